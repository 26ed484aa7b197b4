/** What single changes come to over a turn or a session: one entry a file, from its first content to its last. */
import type { TurnId } from '../../protocol';
import type { ChangeRecord } from './records';

export interface ChangedFile {
  readonly path: string;
  /** Hash of the content before the first change; undefined when the file was not there, or where `isUnknown`. */
  readonly before: string | undefined;
  /** Nobody knows what it was before one of these changes. */
  readonly isUnknown: boolean;
  /** Hash of the content after the last change; undefined when the file was not there any more. */
  readonly after: string | undefined;
  readonly ids: readonly number[];
  readonly turns: readonly TurnId[];
  readonly at: number;
  /** A turn behind the one asked for has changed it too. */
  readonly changedLater: boolean;
  /** Somebody else has edited it between two of these changes. */
  readonly editedBetween: boolean;
}

/**
 * What these turns have changed, all of them by default. `changes` are those of a session, oldest first. A file that is
 * known to be as it was before is none.
 */
export function filesOf(changes: readonly ChangeRecord[], turns?: readonly TurnId[]): readonly ChangedFile[] {
  const byPath = new Map<string, ChangedFile>();
  for (const change of changes) {
    const known = byPath.get(change.path);
    if (turns?.includes(change.turn) === false) {
      if (known !== undefined) byPath.set(change.path, { ...known, changedLater: true });
      continue;
    }
    byPath.set(change.path, {
      path: change.path,
      before: known === undefined ? change.before : known.before,
      isUnknown: change.isUnknown || known?.isUnknown === true,
      after: change.after,
      ids: [...(known?.ids ?? []), change.id],
      turns:
        known?.turns.includes(change.turn) === true ? known.turns : [...(known?.turns ?? []), change.turn],
      at: change.at,
      changedLater: known?.changedLater ?? false,
      editedBetween:
        known !== undefined && (known.editedBetween || (!change.isUnknown && known.after !== change.before)),
    });
  }
  return [...byPath.values()].filter((file) => file.isUnknown || file.before !== file.after);
}
