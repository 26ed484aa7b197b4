import { z } from 'zod';
import {
  IMAGE_BYTES,
  FILE_BYTES,
  READ_LINES,
  READ_LINES_MOST,
  SHOWN_BYTES,
  type Image,
} from '../../../protocol';
import { openFile, type FileHandle } from '../../base/effects';
import type { Unsaved } from '../../base/unsaved';
import { asText, readBytes, refuseNoFile, Unusable } from './disk';
import { pathTool } from './pathTool';
import { locateAgain, type Located } from './paths';
import { longLines } from './longLines';
import { lineEndsOf, toLf } from './text';
import { success, work, type Stopping, type Tool } from './tool';

const Args = z.strictObject({
  path: z.string().min(1).max(4096),
  offset: z.number().int().min(1).optional(),
  limit: z.number().int().min(1).max(READ_LINES_MOST).optional(),
});

export const readTool = (unsaved: Unsaved): Tool =>
  pathTool({
    name: 'read',
    description: `Read a text file or picture. offset: first line, from 1; limit: lines (default ${READ_LINES}). More follows when next_offset is given.`,
    args: Args,
    verb: 'Read',
    purpose: 'read',
    run: (args, prepared, place, launch) =>
      work(async (stopping) => {
        const at = await locateAgain(prepared, place, args.path, 'read');
        refuseNoFile(at);
        stopping.check();
        const handle = await openFile(launch, at.real);
        try {
          const { output, images } = await read(args, handle, at, stopping);
          return success({ ...output, ...(unsaved.has(at.real) ? { unsaved: UNSAVED } : {}) }, images);
        } finally {
          await handle.close();
        }
      }),
  });

const UNSAVED = 'The person has unsaved changes to this file in their editor. This is the text on the disk.';

async function read(
  args: z.infer<typeof Args>,
  handle: FileHandle,
  at: Located,
  stopping: Stopping,
): Promise<{ readonly output: Record<string, unknown>; readonly images?: readonly Image[] }> {
  const { size } = await handle.stat();
  const picture = await pictureType(handle);
  if (picture !== undefined)
    return {
      output: { image: picture, bytes: size },
      images: [await pictureOf(handle, picture, size, at)],
    };
  const offset = args.offset ?? 1;
  const limit = args.limit ?? READ_LINES;
  return {
    output:
      size > FILE_BYTES
        ? await longLines(handle, at, offset, limit, stopping)
        : await lines(handle, size, at, offset, limit, stopping),
  };
}

async function lines(
  handle: FileHandle,
  size: number,
  at: Located,
  offset: number,
  limit: number,
  stopping: Stopping,
): Promise<Record<string, unknown>> {
  const bytes = await readBytes(handle, 0, size);
  stopping.check();
  const { text, encoding } = asText(bytes, at);
  const ends = lineEndsOf(text);
  const { from, until, total } = linesAt(text, offset, limit);
  if (offset > Math.max(1, total)) throw new Unusable(`${at.shown} has ${total} lines.`);
  const page = pageOf(toLf(text.slice(from, until)).match(/[^\n]*\n|[^\n]+$/g) ?? []);
  const to = offset - 1 + page.lines;
  return {
    text: page.text,
    from: total === 0 ? 0 : offset,
    to,
    total_lines: total,
    ...(to < total ? { next_offset: to + 1 } : {}),
    ...(page.cutLine === undefined ? {} : { note: page.cutLine }),
    ...(encoding === 'utf-8' ? {} : { encoding }),
    ...(ends === 'crlf' ? { line_ends: ends } : {}),
  };
}

/** Where a page of lines begins and ends in a text, and how many lines there are: none but the page is cut out. */
function linesAt(
  text: string,
  offset: number,
  limit: number,
): { readonly from: number; readonly until: number; readonly total: number } {
  let ends = 0;
  let from = offset === 1 ? 0 : text.length;
  let until = text.length;
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) !== 10) continue;
    ends += 1;
    if (ends === offset - 1) from = at + 1;
    if (ends === offset - 1 + limit) until = at + 1;
  }
  return { from, until, total: text === '' || text.endsWith('\n') ? ends : ends + 1 };
}

/** As many whole lines as fit; a first line that is longer than a page is cut, and said to be. */
export function pageOf(lines: readonly string[]): { text: string; lines: number; cutLine?: string } {
  let size = 0;
  const taken: string[] = [];
  for (const line of lines) {
    size += Buffer.byteLength(line);
    if (size > SHOWN_BYTES) break;
    taken.push(line);
  }
  const first = lines[0];
  if (taken.length > 0 || first === undefined) return { text: taken.join(''), lines: taken.length };
  const shown = Buffer.from(first)
    .subarray(0, SHOWN_BYTES)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  const note = `This line has ${Buffer.byteLength(first)} bytes; only its first ${SHOWN_BYTES} are shown.`;
  return { text: shown, lines: 1, cutLine: note };
}

async function pictureType(handle: FileHandle): Promise<Image['mediaType'] | undefined> {
  const head = (await readBytes(handle, 0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return undefined;
}

async function pictureOf(
  handle: FileHandle,
  mediaType: Image['mediaType'],
  size: number,
  at: Located,
): Promise<Image> {
  if (size > IMAGE_BYTES) {
    throw new Unusable(`${at.shown} is a picture of ${size} bytes; models take at most ${IMAGE_BYTES}.`);
  }
  return { mediaType, data: (await readBytes(handle, 0, size)).toString('base64') };
}
