/**
 * Messages of a server over its output: one a line.
 *
 * Owns the beginning of the line that is not whole yet. 1. It never holds more than one message may have.
 * 2. A server that floods is read in small pieces with pauses between them, so that it delays nobody else; its
 * pipe holds it back meanwhile.
 */
import type { Readable } from 'node:stream';
import type { Clock, Timer } from '../../base/clock';

/** Lines that are taken at once, and the pause before the next ones, ms. */
const LINES_AT_ONCE = 64;
const PAUSE_MS = 4;
const NEWLINE = 0x0a;

export class Lines {
  private waiting: Buffer[] = [];
  private size = 0;
  private timer: Timer | undefined;
  private over = false;

  constructor(
    private readonly from: Readable,
    private readonly options: {
      readonly clock: Clock;
      /** Bytes of one line. */
      readonly most: number;
      take(line: string): void;
      tooLong(): void;
    },
  ) {
    from.on('data', this.read);
    from.on('error', () => undefined);
  }

  /** What is there is not taken any more. */
  end(): void {
    this.over = true;
    this.timer?.clear();
    this.from.off('data', this.read);
    this.waiting = [];
  }

  private readonly read = (bytes: Buffer): void => {
    if (this.over) return;
    this.waiting.push(bytes);
    this.size += bytes.length;
    if (bytes.includes(NEWLINE)) this.cut();
    else if (this.size > this.options.most) this.fail();
  };

  private cut(): void {
    let rest = this.waiting.length === 1 ? (this.waiting[0] ?? Buffer.alloc(0)) : Buffer.concat(this.waiting);
    for (let n = 0; n < LINES_AT_ONCE && !this.over; n++) {
      const at = rest.indexOf(NEWLINE);
      if (at === -1) break;
      if (at > this.options.most) return this.fail();
      const line = rest.toString('utf8', 0, at).trim();
      rest = rest.subarray(at + 1);
      if (line !== '') this.options.take(line);
    }
    if (this.over) return;
    this.waiting = rest.length === 0 ? [] : [rest];
    this.size = rest.length;
    if (rest.includes(NEWLINE)) this.pause();
    else if (this.size > this.options.most) this.fail();
  }

  private pause(): void {
    this.from.pause();
    this.timer = this.options.clock.after(PAUSE_MS, () => {
      this.cut();
      if (!this.over && this.waiting.every((part) => !part.includes(NEWLINE))) this.from.resume();
    });
  }

  private fail(): void {
    this.end();
    this.options.tooLong();
  }
}
