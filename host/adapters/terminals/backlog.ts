/**
 * Output of one terminal on its way to the host.
 *
 * Owns what the host has not been sent yet. 1. The program is never slowed: what the host does not take in time
 * is kept up to `BACKLOG_BYTES`, first and last half, and the rest is counted. 2. Bytes go out in order.
 */
import { Capture } from '../../base/capture';

/** Sent and not yet confirmed, bytes: a slow host is a few milliseconds behind at full speed. */
const WINDOW_BYTES = 512 * 1_024;
/** Sent beside what is on its way, bytes: fewer wait for its confirmation, since each message has its cost. */
const GATHERED_BYTES = 32 * 1_024;
/** In one message, bytes. */
const MESSAGE_BYTES = 64 * 1_024;
const BACKLOG_BYTES = 1_024 * 1_024;

export class Backlog {
  private waiting = new Capture(BACKLOG_BYTES);
  private underWay = 0;

  constructor(private readonly send: (data: Buffer, omitted: number) => void) {}

  add(bytes: Buffer): void {
    this.waiting.add(bytes);
  }

  /** The host has taken so many. */
  taken(bytes: number): void {
    this.underWay = Math.max(0, this.underWay - bytes);
    this.flush();
  }

  /** Sends what the window allows; at the end, everything. */
  flush(isEnd = false): void {
    if (this.waiting.total === 0 || (!isEnd && this.isHeldBack())) return;
    const { before, omitted, after } = this.waiting.since(0);
    this.waiting = new Capture(BACKLOG_BYTES);
    this.sendAll(before, 0);
    this.sendAll(after, omitted);
  }

  /** A key's echo goes out at once; while something is on its way, what comes is gathered. */
  private isHeldBack(): boolean {
    return this.underWay >= WINDOW_BYTES || (this.underWay > 0 && this.waiting.total < GATHERED_BYTES);
  }

  private sendAll(bytes: Buffer, omitted: number): void {
    for (let at = 0; at < bytes.length; at += MESSAGE_BYTES) {
      const piece = bytes.subarray(at, at + MESSAGE_BYTES);
      this.underWay += piece.length;
      this.send(piece, at === 0 ? omitted : 0);
    }
  }
}
