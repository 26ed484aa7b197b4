import { StringDecoder } from 'node:string_decoder';
import { READ_LINES_MOST, SHOWN_BYTES } from '../../../protocol';
import type { FileHandle } from '../../base/effects';
import { readBytes, Unusable } from './disk';
import type { Located } from './paths';
import { decode, encodingOf, SNIFFED_BYTES, type Encoding } from './text';
import type { Stopping } from './tool';

/** Bytes read at a time: large enough to be quick, small enough that a stop is obeyed at once. */
const STEP_BYTES = 1024 * 1024;

/**
 * A page of a file that is too large to be loaded: read from its beginning to the end of the page, keeping
 * only the page. The number of all lines is not known then.
 */
export async function longLines(
  handle: FileHandle,
  at: Located,
  offset: number,
  limit: number,
  stopping: Stopping,
): Promise<Record<string, unknown>> {
  const encoding = encodingOf(await readBytes(handle, 0, SNIFFED_BYTES), false);
  if (encoding === undefined) throw new Unusable(`${at.shown} is a binary file.`);
  const decoder = decoderOf(encoding);
  const page = new Page(offset, Math.min(limit, READ_LINES_MOST));
  for (let position = 0; !page.full;) {
    const bytes = await readBytes(handle, position, STEP_BYTES);
    stopping.check();
    if (bytes.length === 0) {
      page.end();
      break;
    }
    const text = decoder(bytes);
    page.add(position === 0 ? text.replace(/^\ufeff/, '') : text);
    position += bytes.length;
  }
  if (page.lines === 0) throw new Unusable(`${at.shown} has ${page.seen} lines.`);
  const to = offset - 1 + page.lines;
  return {
    text: page.text,
    from: offset,
    to,
    ...(page.full ? { next_offset: to + 1 } : {}),
    ...(page.cut ? { note: `A line is longer than ${SHOWN_BYTES} bytes and is cut.` } : {}),
    ...(encoding === 'utf-8' ? {} : { encoding }),
  };
}

/** Gathers the lines of one page from a text that comes in pieces. */
class Page {
  text = '';
  /** Whole lines gathered. */
  lines = 0;
  /** Lines that went by, gathered or not. */
  seen = 0;
  full = false;
  cut = false;
  private bytes = 0;
  private open = '';
  private openCut = false;

  constructor(
    private readonly offset: number,
    private readonly limit: number,
  ) {}

  add(text: string): void {
    let from = 0;
    for (let at = text.indexOf('\n'); at !== -1 && !this.full; at = text.indexOf('\n', from)) {
      this.extend(text.slice(from, at));
      this.finish('\n');
      from = at + 1;
    }
    if (!this.full) this.extend(text.slice(from));
  }

  /** The file has ended; a last line without an end counts. */
  end(): void {
    if (this.open !== '') this.finish('');
  }

  private extend(piece: string): void {
    if (this.seen + 1 < this.offset) {
      this.open = piece === '' ? this.open : 'x';
      return;
    }
    if (this.open.length + piece.length > SHOWN_BYTES) this.openCut = true;
    this.open = (this.open + piece).slice(0, SHOWN_BYTES);
  }

  private finish(end: string): void {
    this.seen += 1;
    const line = this.open.replace(/\r$/, '') + end;
    const cut = this.openCut;
    this.open = '';
    this.openCut = false;
    if (this.seen < this.offset) return;
    const size = Buffer.byteLength(line);
    if (this.lines >= this.limit || (this.lines > 0 && this.bytes + size > SHOWN_BYTES)) {
      this.full = true;
      return;
    }
    this.text += line;
    this.bytes += size;
    this.lines += 1;
    this.cut ||= cut;
  }
}

function decoderOf(encoding: Encoding): (bytes: Buffer) => string {
  switch (encoding) {
    case 'windows-1252':
      return (bytes) => decode(bytes, encoding);
    case 'utf-16be': {
      const big = new TextDecoder('utf-16be');
      return (bytes) => big.decode(bytes, { stream: true });
    }
    case 'utf-16le': {
      const little = new StringDecoder('utf16le');
      return (bytes) => little.write(bytes);
    }
    case 'utf-8':
    case 'utf-8-bom':
    case 'utf-8-damaged': {
      const utf8 = new StringDecoder('utf8');
      return (bytes) => utf8.write(bytes);
    }
  }
}
