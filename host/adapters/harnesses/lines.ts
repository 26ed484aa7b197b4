/**
 * The lines of a stream of bytes. Only `\n` ends a line: U+2028 stands raw in the JSON of agents, and a chunk may
 * end in the middle of a character (H5).
 * Owns the beginning of a line that has not ended. A line longer than `limit` bytes is passed over: from then on
 * nothing of it is kept, and its length is told once it ends (R10).
 */
export class Lines {
  private parts: Buffer[] = [];
  private held = 0;
  /** Bytes of a line that is too long, so far. */
  private skipped = 0;

  constructor(
    private readonly limit: number,
    private readonly onLine: (line: string) => void,
    private readonly onTooLong: (bytes: number) => void,
  ) {}

  push(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      this.add(bytes.subarray(from, end));
      this.finish();
      from = end + 1;
    }
    this.add(bytes.subarray(from));
  }

  /** The stream is over; what is left is a line, too. */
  end(): void {
    if (this.held > 0 || this.skipped > 0) this.finish();
  }

  private add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.skipped > 0 || this.held + bytes.length > this.limit) {
      this.skipped += this.held + bytes.length;
      this.parts = [];
      this.held = 0;
      return;
    }
    this.parts.push(bytes);
    this.held += bytes.length;
  }

  private finish(): void {
    if (this.skipped > 0) {
      const { skipped } = this;
      this.skipped = 0;
      this.onTooLong(skipped);
      return;
    }
    const line = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
    this.parts = [];
    this.held = 0;
    const text = (line ?? EMPTY).toString('utf8').trim();
    if (text !== '') this.onLine(text);
  }
}

const NEWLINE = 0x0a;
const EMPTY = Buffer.alloc(0);
