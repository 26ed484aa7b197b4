/** Files that a person has changed in an editor and not saved: what is on the disk is not what they see. */
import type { Launch } from './launch';

/** Asked right before each write, so it answers at once, from memory. */
export interface Unsaved {
  /** `path` is absolute and without links. */
  has(path: string): boolean;
  /** All of them, each absolute and without links. */
  paths(): readonly string[];
}

/** A write would go behind the back of whoever edits that file. Nothing was written. */
export class FileUnsaved extends Error {
  readonly code = 'file_unsaved';
}

/**
 * The same gate, for effects on one file: it throws `FileUnsaved` without calling the effect while the person has
 * unsaved changes there. It looks when the cord is looked at, so nothing comes between the look and the effect.
 */
export function unlessUnsaved(launch: Launch, unsaved: Unsaved, path: string): Launch {
  return (effect) =>
    launch(() => {
      if (unsaved.has(path)) throw new FileUnsaved();
      return effect();
    });
}
