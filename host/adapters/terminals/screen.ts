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

type Clean = (line: string) => string;

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

  /** One after another, since each feeds the terminal. `clean` is given each line whole, also one of several rows. */
  look(clean: Clean): Promise<TerminalScreen> {
    const look = this.turn.then(() => this.draw(clean));
    this.turn = look.catch(() => undefined);
    return look;
  }

  private async draw(clean: Clean): Promise<TerminalScreen> {
    this.terminal ??= headless(this.first);
    const terminal = await this.terminal;
    const { sizes } = this;
    this.sizes = [];
    for (const { at, cols, rows } of sizes) {
      await this.feed(terminal, at);
      terminal.resize(cols, rows);
    }
    await this.feed(terminal, this.kept.total);
    return shown(terminal, clean);
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

function shown(terminal: Terminal, clean: Clean): TerminalScreen {
  const buffer = terminal.buffer.active;
  const all = rows(terminal, clean);
  const screen = all.slice(buffer.baseY);
  while (screen.at(-1) === '') screen.pop();
  return {
    text: screen.join('\n'),
    above: all.slice(0, buffer.baseY).join('\n'),
    cursor: { row: buffer.cursorY + 1, column: buffer.cursorX + 1 },
    cols: terminal.cols,
    rows: terminal.rows,
    alternate: buffer.type === 'alternate',
  };
}

/** Every row. Those that are one line, since each but the last is full, are cleaned as one, and stay as many. */
function rows(terminal: Terminal, clean: Clean): string[] {
  const buffer = terminal.buffer.active;
  const until = buffer.baseY + terminal.rows;
  const cleaned: string[] = [];
  let line: string[] = [];
  for (let n = 0; n < until; n += 1) {
    const row = buffer.getLine(n)?.translateToString(true) ?? '';
    line.push(row);
    const isFull =
      buffer
        .getLine(n)
        ?.getCell(terminal.cols - 1)
        ?.getChars() !== '';
    if (n + 1 < until && row !== '' && (isFull || buffer.getLine(n + 1)?.isWrapped === true)) continue;
    cleaned.push(...cleanedRows(line, clean));
    line = [];
  }
  return cleaned;
}

function cleanedRows(line: readonly string[], clean: Clean): readonly string[] {
  const whole = line.join('');
  const text = clean(whole);
  if (text === whole) return line;
  let at = 0;
  return line.map((row, n) => {
    const from = at;
    at += row.length;
    return n === line.length - 1 ? text.slice(from) : text.slice(from, at);
  });
}
