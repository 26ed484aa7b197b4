/** Both sides of what an outside agent is about to change, from the file as it is now. Pure. */
import type { FileChange, TextEdit } from '../../engine/harnessPort';

/** A file as it is now. */
export type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  /** It is no text, too large, or cannot be read. */
  | { readonly kind: 'unreadable' };

export interface Sides {
  /** Undefined when the file is created. */
  readonly before: string | undefined;
  readonly after: string;
}

type Told = Extract<FileChange, { kind: 'whole' | 'replaced' }>;

/** Undefined when they cannot be told: then the arguments themselves are shown. */
export function sidesOf(change: Told, now: Content): Sides | undefined {
  if (change.kind === 'whole')
    return now.kind === 'unreadable' ? undefined : { before: textOf(now), after: change.after };
  return (
    (now.kind === 'unreadable' ? undefined : applied(change.edits, textOf(now))) ?? piecesOf(change.edits)
  );
}

const textOf = (now: Exclude<Content, { kind: 'unreadable' }>): string | undefined =>
  now.kind === 'text' ? now.text : undefined;

/** Undefined when a text is not there, or not once: the agent means another place, or its edit will fail. */
function applied(edits: readonly TextEdit[], before: string | undefined): Sides | undefined {
  let after = before === undefined ? '' : lf(before);
  for (const { old, next, all } of edits) {
    const pieces = old === '' ? (after === '' ? ['', ''] : []) : after.split(lf(old));
    if (pieces.length < 2 || (pieces.length > 2 && !all)) return undefined;
    after = pieces.join(lf(next));
  }
  return { before: before === undefined ? undefined : lf(before), after };
}

/** Only what is replaced, without its place. */
const piecesOf = (edits: readonly TextEdit[]): Sides => ({
  before: edits.map((one) => one.old).join('\n'),
  after: edits.map((one) => one.next).join('\n'),
});

/** Agents tell texts of files without their carriage returns. */
const lf = (text: string): string => text.replaceAll('\r\n', '\n');
