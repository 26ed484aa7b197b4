/**
 * The screen of a terminal as text: what stands on it, above it, and where the cursor is.
 *
 * Owns a headless terminal, made with the first question, and fed with what has been kept since the last one.
 * So a terminal that nobody asks costs nothing; and of one that printed more than is kept between two
 * questions, the screen is drawn from what is left.
 */
import type { Terminal } from '@xterm/headless';
import type { Capture } from '../../base/capture';
import type { TerminalScreen } from '../../engine/terminalPort';

/** Lines above the screen that can be looked at. */
const SCROLLED_LINES = 2_000;

interface Resized {
  readonly at: number;
  readonly cols: number;
  readonly rows: number;
}

export class Screen {
  private terminal: Promise<Terminal> | undefined;
  private at = 0;
  private sizes: Resized[] = [];
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly kept: Capture,
    private readonly first: { readonly cols: number; readonly rows: number },
  ) {}

  /** From here on it has another size. */
  resize(cols: number, rows: number): void {
    const last = this.sizes.at(-1);
    const size = { at: this.kept.total, cols, rows };
    if (last?.at === size.at) this.sizes[this.sizes.length - 1] = size;
    else this.sizes.push(size);
    // Without a reader only the newest sizes matter.
    if (this.sizes.length > 256) this.sizes.shift();
  }

  /** One after another, since each feeds the terminal. */
  look(): Promise<TerminalScreen> {
    const look = this.turn.then(() => this.draw());
    this.turn = look.catch(() => undefined);
    return look;
  }

  private async draw(): Promise<TerminalScreen> {
    this.terminal ??= headless(this.first);
    const terminal = await this.terminal;
    const { sizes } = this;
    this.sizes = [];
    for (const { at, cols, rows } of sizes) {
      await this.feed(terminal, at);
      terminal.resize(cols, rows);
    }
    await this.feed(terminal, this.kept.total);
    return shown(terminal);
  }

  private async feed(terminal: Terminal, until: number): Promise<void> {
    const { before, omitted, after } = this.kept.since(this.at);
    const bytes = Buffer.concat([before, after]);
    const behind = this.kept.total - until;
    const piece = bytes.subarray(0, Math.max(0, bytes.length - behind));
    if (omitted > 0) terminal.reset();
    this.at = until;
    if (piece.length > 0) await new Promise<void>((done) => terminal.write(piece, done));
  }
}

async function headless(size: { readonly cols: number; readonly rows: number }): Promise<Terminal> {
  const xterm = await import('@xterm/headless');
  return new xterm.Terminal({ ...size, scrollback: SCROLLED_LINES, allowProposedApi: true });
}

function shown(terminal: Terminal): TerminalScreen {
  const buffer = terminal.buffer.active;
  const lines = (from: number, until: number): string[] =>
    Array.from({ length: until - from }, (_, n) => buffer.getLine(from + n)?.translateToString(true) ?? '');
  const screen = lines(buffer.baseY, buffer.baseY + terminal.rows);
  while (screen.at(-1) === '') screen.pop();
  return {
    text: screen.join('\n'),
    above: lines(0, buffer.baseY).join('\n'),
    cursor: { row: buffer.cursorY + 1, column: buffer.cursorX + 1 },
    cols: terminal.cols,
    rows: terminal.rows,
    alternate: buffer.type === 'alternate',
  };
}
