/** How many lines two contents of a file differ by. */
import { diffPreview } from './diffPreview';
import { decode, encodingOf } from './text';

export function isText(bytes: Uint8Array): boolean {
  return encodingOf(Buffer.from(bytes), true) !== undefined;
}

/** Lines that were added and removed; both sides are texts, or not there. */
export function countLines(
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): { readonly added: number; readonly removed: number } {
  const { added, removed } = diffPreview('', textOf(before), textOf(after) ?? '').preview;
  return { added, removed };
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  const buffer = Buffer.from(bytes);
  return decode(buffer, encodingOf(buffer, true) ?? 'utf-8');
}
