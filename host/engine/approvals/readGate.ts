/** What a call that looks through a folder leaves out: what would not be read without asking (A1). Pure. */
import { concerns, isOfFiles, isSecret, namesFile, type FilesMatch } from './files';
import { rulesOf, type Circumstances } from './judge';
import type { Roots } from './reading';

/** Paths are absolute and real. */
export interface ReadGate {
  /** Whether there is anything that it may keep back. */
  readonly keeps: boolean;
  /** Whether the text of a file may be shown. */
  text(path: string): boolean;
  /** Whether a file may be named. */
  name(path: string): boolean;
}

/**
 * For one call that was judged for `target`: what was asked for that by a rule has been answered. Without a target it
 * is what may be read without asking.
 */
export function readGate(now: Circumstances, roots: Roots, target?: string): ReadGate {
  const ofReads = rulesOf(now).filter(({ match }) => isOfFiles(match) && match.access === 'read');
  const of = (effect: 'allow' | 'ask' | 'deny'): readonly FilesMatch[] =>
    ofReads.filter((rule) => rule.effect === effect).flatMap(({ match }) => (isOfFiles(match) ? match : []));
  const isAnswered = (match: FilesMatch): boolean => target !== undefined && concerns(match, target, roots);
  const kept = [...of('deny'), ...of('ask').filter((match) => !isAnswered(match))];
  const allowed = of('allow');
  // A target that was asked for itself has been answered, with what is under it.
  const isOpen = target !== undefined && isSecret(target, roots);
  const guards = now.protectedReads === true && now.mode !== 'full' && !isOpen;
  const name = (path: string): boolean =>
    path === target || !kept.some((match) => namesFile(match, path, roots));
  return {
    keeps: kept.length > 0 || guards,
    name,
    text: (path) =>
      name(path) &&
      (!guards ||
        !isSecret(path, roots) ||
        allowed.some((match) => match.kind === 'path' && match.path === path)),
  };
}
