/**
 * One person's view of a terminal: everything that is kept, then what comes, as fast as the viewer takes it.
 *
 * Owns the viewer's place in the output. 1. Only the way to the viewer is slowed, never the program (X4). 2. A
 * character is never split. 3. What a slow viewer misses is counted. 4. After `end` nothing follows.
 */
import { StringDecoder } from 'node:string_decoder';
import type { Capture } from '../../base/capture';
import type { TerminalPiece } from '../../engine/terminalPort';
import { endOfSequences, withoutQueries } from './plain';

/** Sent and not confirmed, bytes: about a tenth of a second of a terminal's full speed. */
const WINDOW_BYTES = 256 * 1_024;
/** In one piece, bytes. */
const PIECE_BYTES = 32 * 1_024;

export class Viewer {
  private at = 0;
  private underWay = 0;
  private decoder = new StringDecoder('utf8');
  /** The beginning of an escape sequence, of which the rest has not come yet. */
  private begun = '';
  private isOver = false;
  /** Where the past ends: the program's questions in it have been answered, or nobody waits for that. */
  private readonly past: number;

  constructor(
    private readonly kept: Capture,
    /** Whether this viewer answers what the program asks its terminal: one of several does. */
    private readonly answers: () => boolean,
    private readonly send: (piece: TerminalPiece) => void,
  ) {
    this.past = kept.total;
  }

  /** Something has come. */
  pump(): void {
    while (!this.isOver && this.underWay < WINDOW_BYTES && this.at < this.kept.total) this.next();
  }

  /** It has shown so many of the bytes that it was sent. */
  taken(bytes: number): void {
    this.underWay = Math.max(0, this.underWay - bytes);
    this.pump();
  }

  /** The rest at once, and that it was the last. */
  end(): void {
    while (!this.isOver && this.at < this.kept.total) this.next();
    if (this.isOver) return;
    this.isOver = true;
    this.send({ text: this.begun + this.decoder.end(), bytes: 0, omitted: 0, last: true });
  }

  close(): void {
    this.isOver = true;
  }

  private next(): void {
    const { before, omitted, after } = this.kept.since(this.at);
    const gap = before.length === 0 ? omitted : 0;
    const from = this.at + gap;
    const limit = from < this.past ? Math.min(PIECE_BYTES, this.past - from) : PIECE_BYTES;
    const bytes = (before.length > 0 ? before : after).subarray(0, limit);
    if (gap > 0) {
      this.decoder = new StringDecoder('utf8');
      this.begun = '';
    }
    const text = this.begun + this.decoder.write(bytes);
    this.at = from + bytes.length;
    this.underWay += bytes.length;
    const isAnswered = from >= this.past && this.answers();
    // Half of a question is recognized by nobody: it is kept until its rest has come.
    const whole = isAnswered ? text.length : endOfSequences(text);
    this.begun = text.slice(whole);
    this.send({
      text: isAnswered ? text : withoutQueries(text.slice(0, whole)),
      bytes: bytes.length,
      omitted: gap,
      last: false,
    });
  }
}
