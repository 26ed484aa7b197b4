/**
 * What a `wait` hands over of handles that have ended (L7, L10). Pure.
 *
 * One alone is handed over whole. Several share what a model is shown of one result, short ones whole; what is
 * shown in part says so, and is had whole by a wait for that handle alone.
 */
import { IMAGES_PER_MESSAGE, SHOWN_BYTES, type HandleId, type Image } from '../../../protocol';
import { Capture } from '../../base/capture';
import type { HandleRecord } from '../records';

const CUT = 'Shown in part beside the others: wait for this handle alone to have it whole.';

export interface Collected {
  readonly results: readonly (readonly [HandleId, Fields])[];
  readonly images: readonly Image[];
}

type Fields = Readonly<Record<string, unknown>>;

export function collected(handles: readonly HandleRecord[]): Collected {
  const images: Image[] = [];
  const whole = handles.map((handle) => {
    const own = handle.result?.images ?? [];
    const isRoom = handles.length === 1 || images.length + own.length <= IMAGES_PER_MESSAGE;
    if (isRoom) images.push(...own);
    return { handle, end: endOf(handle, isRoom ? own : []), isWhole: isRoom };
  });
  const shares = shared(
    handles.length === 1 ? Infinity : SHOWN_BYTES,
    whole.map(({ handle, end }) => bytesOf({ ...outputOf(handle), ...end, cut: CUT })),
  );
  const results = whole.map(({ handle, end, isWhole }, at) => {
    const shown = cut(outputOf(handle), end, shares[at] ?? 0);
    return [handle.id, isWhole || 'cut' in shown ? shown : { ...shown, cut: CUT }] as const;
  });
  return { results, images };
}

/** An output that has a field of such a name itself stays whole as `output` (L7). */
function outputOf({ result }: HandleRecord): Fields {
  const output = result?.output ?? {};
  return ['parts', 'ended', 'cut'].some((name) => name in output) ? { output } : output;
}

/** How it ended. Pictures go with the wait's own result, and are named as `parts`. */
const endOf = (handle: HandleRecord, images: readonly Image[]): Fields => ({
  ...(images.length === 0 ? {} : { parts: images.map(({ mediaType }) => ({ type: 'image', mediaType })) }),
  ended: handle.end,
  ...(handle.exitCode === undefined ? {} : { exit_code: handle.exitCode }),
});

/** What each gets of `room`: all that it wants, or as much as any other. */
function shared(room: number, wanted: readonly number[]): readonly number[] {
  let left = room;
  let others = wanted.length;
  let most = Infinity;
  for (const want of [...wanted].sort((one, other) => one - other)) {
    if (want * others > left) {
      most = Math.floor(left / others);
      break;
    }
    left -= want;
    others -= 1;
  }
  return wanted.map((want) => Math.min(want, most));
}

/** Long texts lose their middle; an output that is too long without any is shown as a text that does. */
function cut(output: Fields, end: Fields, share: number): Fields {
  const whole = { ...output, ...end };
  if (bytesOf({ ...whole, cut: CUT }) <= share) return whole;
  const rest = { ...end, cut: CUT };
  const texts = Object.values(output).filter(
    (value) => typeof value === 'string' && value.length > share / 8,
  );
  const room = Math.floor((share * 3) / 4 / Math.max(1, texts.length));
  const shortened = Object.fromEntries(
    Object.entries(output).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > share / 8 ? headAndTail(value, room) : value,
    ]),
  );
  if (bytesOf({ ...shortened, ...rest }) <= share) return { ...shortened, ...rest };
  // Quotes and escapes of the text may double it.
  const left = Math.floor((share - bytesOf(rest)) / 2) - MARK_BYTES;
  return { output: headAndTail(JSON.stringify(output), Math.max(left, 0)), ...rest };
}

/** The line that says how much is missing, and what holds the text, bytes. */
const MARK_BYTES = 64;

function headAndTail(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  const capture = new Capture(Math.min(limit, bytes.length));
  capture.add(bytes);
  return capture.shown(limit).text;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
