/**
 * Files that persons have changed and not saved, in all windows that work through one host.
 *
 * Owns: what was last shown of them. Does not own: what each window says of itself (company.ts).
 * U1 What a window says counts at once, as it is written; where links lead is added as soon as it is known.
 */
import { realPath } from '../adapters/tools/paths';
import type { Unsaved } from '../base/unsaved';
import type { Company, Member } from './company';

export interface UnsavedFiles extends Unsaved {
  /** All that a window has from now on. Settles once links on the way are followed. */
  told(member: Member, paths: readonly string[]): Promise<void>;
  /** Shows what they are now if they are others: windows have gone. */
  show(): void;
  /** Shows them in any case: who listens may have heard of those of another host. */
  showAll(): void;
}

/** Systems of which the file systems know no case, as a rule, so that an editor may write a name in another one. */
const CASELESS = process.platform === 'win32' || process.platform === 'darwin';
const keyOf = (path: string): string => (CASELESS ? path.toLowerCase() : path);

export function createUnsaved(company: Company, shown: (paths: readonly string[]) => void): UnsavedFiles {
  let last = '';
  const show = (): void => {
    const paths = company.unsaved();
    const key = paths.join('\0');
    if (key === last) return;
    last = key;
    shown(paths);
  };
  return {
    has: (path) => company.unsaved().some((one) => keyOf(one) === keyOf(path)),
    paths: () => company.unsaved(),
    show,
    showAll: () => shown(company.unsaved()),
    told: async (member, paths) => {
      company.change(member, { unsaved: paths });
      show();
      const real = await Promise.all(paths.map((path) => realPath(path).catch(() => path)));
      // Told anew meanwhile.
      if (member.unsaved !== paths) return;
      company.change(member, { unsaved: [...new Set([...paths, ...real])] });
      show();
    },
  };
}
