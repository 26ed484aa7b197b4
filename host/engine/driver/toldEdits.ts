/** Whether a file holds what an agent said it would write. Pure: it decides what an end without a result may count as its edit. */
import type { FileChange, TextEdit } from '../harnessPort';

/** False also where the agent's words do not tell: then it may be anybody's edit. Undefined stands for no file. */
export function fitsTold(
  told: readonly FileChange[],
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): boolean {
  if (after === undefined || told.length === 0) return false;
  let expected = before === undefined ? undefined : textOf(before);
  for (const change of told) {
    const next = changed(change, expected);
    if (next === undefined) return false;
    expected = next;
  }
  return expected === textOf(after);
}

/** Undefined when it cannot be told. */
function changed(change: FileChange, before: string | undefined): string | undefined {
  switch (change.kind) {
    case 'whole':
      return lf(change.after);
    case 'replaced':
      return replaced(change.edits, before ?? '');
    case 'text':
      if (change.before === undefined || before === undefined || lf(change.before) === before)
        return lf(change.after);
      return replaced([{ old: change.before, next: change.after, all: false }], before);
    case 'diff':
    case 'target':
    case 'unknown':
      return undefined;
  }
}

function replaced(edits: readonly TextEdit[], before: string): string | undefined {
  let text = before;
  for (const { old, next, all } of edits) {
    const pieces = old === '' ? (text === '' ? ['', ''] : []) : text.split(lf(old));
    if (pieces.length < 2 || (pieces.length > 2 && !all)) return undefined;
    text = pieces.join(lf(next));
  }
  return text;
}

const textOf = (bytes: Uint8Array): string => lf(Buffer.from(bytes).toString('utf8'));

/** Agents tell texts of files without their carriage returns. */
const lf = (text: string): string => text.replaceAll('\r\n', '\n');
