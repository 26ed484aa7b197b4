/** What ripgrep prints as JSON, gathered for a model: bounded, by file, cut lines marked. */
import { z } from 'zod';
import { SHOWN_BYTES } from '../../../protocol';
import { plainPath } from './keptBack';

/** Lines that one answer holds; a pattern that finds more is to be narrowed. */
const LINES_MOST = 500;
/** What is shown of a line, characters: long ones are generated code. */
const LINE_CHARACTERS = 300;
/** A message of ripgrep that is longer holds a line of this size, which is not shown, characters. */
const MESSAGE_CHARACTERS = 1024 * 1024;

const Text = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })]);
const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('begin'), data: z.object({ path: Text }) }),
  z.object({
    type: z.literal('match'),
    data: z.object({
      path: Text,
      lines: Text,
      line_number: z.number().nullable(),
      submatches: z.array(z.object({ start: z.number() })),
    }),
  }),
]);

interface Line {
  readonly number: number;
  readonly text: string;
}

export class Found {
  private readonly files = new Map<string, Line[]>();
  private open = '';
  private overlong = false;
  private current = '';
  private lines = 0;
  private bytes = 0;
  private full = false;

  /** `isShown` says whether lines of a file may be shown: one may have come since the others were left out. */
  constructor(private readonly isShown: (path: string) => boolean) {}

  add(output: string): 'full' | 'more' {
    const pieces = output.split('\n');
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      this.extend(piece);
      this.finish();
    }
    this.extend(last);
    return this.full ? 'full' : 'more';
  }

  result(): Record<string, unknown> {
    const paths = [...this.files.keys()].sort();
    const parts = paths.map((path) => {
      const lines = [...(this.files.get(path) ?? [])].sort((one, two) => one.number - two.number);
      return `${path}\n${lines.map((line) => `${line.number}: ${line.text}`).join('\n')}`;
    });
    return {
      text: parts.join('\n\n'),
      matches: this.lines,
      files: paths.length,
      ...(this.full ? { note: `There is more. Narrow it by path, glob or pattern.` } : {}),
    };
  }

  private extend(piece: string): void {
    if (this.open.length + piece.length > MESSAGE_CHARACTERS) this.overlong = true;
    else this.open += piece;
  }

  private finish(): void {
    const message = this.open;
    const overlong = this.overlong;
    this.open = '';
    this.overlong = false;
    if (this.full) return;
    if (!overlong) this.take(message);
    else if (this.isShown(this.current)) this.show(this.current, 0, '(a line too long to be shown)');
  }

  private take(message: string): void {
    const parsed = Message.safeParse(parse(message));
    if (!parsed.success) return;
    const { type, data } = parsed.data;
    const path = plainPath(textOf(data.path));
    if (type === 'begin') {
      this.current = path;
    } else if (this.isShown(path)) {
      const start = data.submatches[0]?.start ?? 0;
      this.show(path, data.line_number ?? 0, excerpt(textOf(data.lines).replace(/\r?\n$/, ''), start));
    }
  }

  private show(path: string, number: number, text: string): void {
    const known = this.files.get(path);
    const size = Buffer.byteLength(text) + 8 + (known === undefined ? Buffer.byteLength(path) + 2 : 0);
    if (this.lines === LINES_MOST || this.bytes + size > SHOWN_BYTES) {
      this.full = true;
      return;
    }
    this.lines += 1;
    this.bytes += size;
    if (known === undefined) this.files.set(path, [{ number, text }]);
    else known.push({ number, text });
  }
}

function parse(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

function textOf(text: z.infer<typeof Text>): string {
  return 'text' in text ? text.text : Buffer.from(text.bytes, 'base64').toString('utf8');
}

/** The part of a line around its match; `start` counts bytes. */
function excerpt(line: string, start: number): string {
  if (line.length <= LINE_CHARACTERS) return line;
  const at = Buffer.from(line).subarray(0, start).toString('utf8').length;
  const from = Math.max(0, Math.min(at - LINE_CHARACTERS / 3, line.length - LINE_CHARACTERS));
  const shown = line.slice(from, from + LINE_CHARACTERS);
  return `${from > 0 ? '…' : ''}${shown}${from + LINE_CHARACTERS < line.length ? '…' : ''}`;
}
