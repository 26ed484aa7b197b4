/**
 * What is typed into one terminal and not yet taken by its program.
 *
 * Owns the queue. 1. Order is kept. 2. A program that does not read costs a timer that grows rare, and never
 * the thread. 3. Every byte is told as taken once, also when it is dropped.
 */
import type { Clock, Timer } from '../../base/clock';

/** Written at once, bytes: a terminal's own queue has four times as much. */
const CHUNK_BYTES = 1_024;
/** Written before others on this thread get a turn, bytes. */
const TURN_BYTES = 16 * 1_024;
/** First and longest pause before a program that reads nothing is tried again, ms. */
const AGAIN_FIRST_MS = 2;
const AGAIN_MOST_MS = 100;

export class Input {
  private queue: Uint8Array[] = [];
  private timer: Timer | undefined;
  private pause = AGAIN_FIRST_MS;

  constructor(
    private readonly clock: Clock,
    /** Bytes that were taken; 0 when none can be now, -1 when none ever will. */
    private readonly write: (bytes: Uint8Array) => number,
    private readonly taken: (bytes: number) => void,
  ) {}

  push(bytes: Uint8Array): void {
    this.queue.push(bytes);
    if (this.timer === undefined) this.pump();
  }

  /** Forgets what has not been taken. */
  drop(): void {
    this.timer?.clear();
    this.timer = undefined;
    const bytes = this.queue.reduce((sum, piece) => sum + piece.length, 0);
    this.queue = [];
    if (bytes > 0) this.taken(bytes);
  }

  private pump(): void {
    this.timer = undefined;
    let sum = 0;
    for (let first = this.queue[0]; first !== undefined; first = this.queue[0]) {
      const written = this.write(first.subarray(0, CHUNK_BYTES));
      if (written === -1) {
        this.drop();
        return;
      }
      if (written === 0) break;
      this.pause = AGAIN_FIRST_MS;
      sum += written;
      if (written === first.length) this.queue.shift();
      else this.queue[0] = first.subarray(written);
      if (sum >= TURN_BYTES) break;
    }
    if (sum > 0) this.taken(sum);
    if (this.queue.length === 0) return;
    const wait = sum >= TURN_BYTES ? 0 : this.pause;
    if (sum === 0) this.pause = Math.min(this.pause * 2, AGAIN_MOST_MS);
    this.timer = this.clock.after(wait, () => this.pump());
  }
}
