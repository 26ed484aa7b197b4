/**
 * Where a path that a model wrote really leads, and what that means. Everything is judged by the real path:
 * links are followed to their end, also those that lead nowhere yet, and what was judged is what is used.
 */
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { lstat, readlink, realpath } from 'node:fs/promises';
import type { CallClass, Prepared, Workplace } from '../../engine/ports';
import { namedByGit } from './gitHooks';
import { protectedBy } from './protectedPaths';

export interface Located {
  /** The path as a person reads it: relative inside the turn's folder, absolute elsewhere. */
  readonly shown: string;
  /** Absolute, without links as far as it exists. */
  readonly real: string;
  readonly inside: boolean;
  /** The workspace's folders, without links. */
  readonly roots: readonly string[];
  readonly kind: 'file' | 'folder' | 'other' | 'missing';
  /** Why an edit asks in every mode (A12). */
  readonly protectedAs?: string;
}

/** Links on one path, as many as Linux follows. */
const LINKS_MOST = 40;

/** Where a path is looked at from. */
type Around = Pick<Workplace, 'folder' | 'roots' | 'hidden' | 'started'>;

/** What a call does with a path. */
export type Purpose = 'read' | 'edit';

/** Finds out where `path` leads. Throws `PathRefused`, or the system's error when a part cannot be looked at. */
export async function locate(place: Around, path: string, purpose: Purpose): Promise<Located> {
  refuseUnusable(path);
  const [real, folder, roots, hidden] = await Promise.all([
    realPath(resolve(place.folder, path)),
    realPath(resolve(place.folder)),
    Promise.all(place.roots.map((root) => realPath(resolve(root)))),
    hiddenPaths(place),
  ]);
  refuseHidden(real, hidden);
  const inside = roots.some((root) => isWithin(root, real));
  const reason = purpose === 'edit' ? await protectionOf(real, place, roots) : undefined;
  return {
    shown: isWithin(folder, real) ? relative(folder, real) || '.' : real,
    real,
    inside,
    roots,
    kind: await kindOf(real),
    ...(reason === undefined ? {} : { protectedAs: reason }),
  };
}

async function protectionOf(
  real: string,
  place: Around,
  roots: readonly string[],
): Promise<string | undefined> {
  const started = await Promise.all((place.started ?? []).map(orAsWritten));
  const lower = real.toLowerCase();
  if (started.some((path) => path.toLowerCase() === lower)) return 'a server is started from it';
  return protectedBy(real, await namedByGit(roots));
}

/** A word that only looks like a path may not be one. */
const orAsWritten = (path: string): Promise<string> => realPath(path).catch(() => path);

/** The path is one that no tool may name, or that no system call can take. */
export class PathRefused extends Error {}

/** How a call on this place is judged (A1). */
export function classOf(purpose: Purpose, at: Located): CallClass {
  if (purpose === 'read') return at.inside ? 'read' : 'read_outside';
  if (at.protectedAs !== undefined) return 'edit_protected';
  return at.inside ? 'edit' : 'edit_outside';
}

/**
 * Locates the path of a call that is about to run. Throws when it does not lead to the very place for which
 * the call was judged and shown, or when that place is now judged otherwise.
 */
export async function locateAgain(
  prepared: Prepared,
  place: Workplace,
  path: string,
  purpose: Purpose,
): Promise<Located> {
  const at = await locate(place, path, purpose);
  const { subject } = prepared;
  if (subject.kind !== 'path' || subject.path !== at.real || prepared.class !== classOf(purpose, at)) {
    throw new PathRefused('The path leads elsewhere than when this call was judged. Nothing was done.');
  }
  return at;
}

export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The real paths that no tool may name (A12). */
export function hiddenPaths(place: Pick<Workplace, 'hidden'>): Promise<readonly string[]> {
  return Promise.all(place.hidden.map((path) => realPath(resolve(path))));
}

/** Compared without case: some file system takes such names for the same. */
function refuseHidden(real: string, hidden: readonly string[]): void {
  const lower = real.toLowerCase();
  if (hidden.some((path) => isWithin(path.toLowerCase(), lower))) {
    throw new PathRefused("That path holds Belay's own records; no tool may use it.");
  }
}

function refuseUnusable(path: string): void {
  if (path.includes('\0')) throw new PathRefused('A path cannot hold a NUL.');
  if (process.platform !== 'win32') return;
  if (/^[\\/]{2}/.test(path)) throw new PathRefused('Network and device paths are not used.');
  if (path.slice(2).includes(':')) throw new PathRefused('A path cannot hold a colon after its drive.');
  if (path.split(/[\\/]/).some((part) => /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i.test(part.trim()))) {
    throw new PathRefused('A device is no file.');
  }
}

/** The path without links; a part that does not exist yet is kept as it was written. */
export async function realPath(path: string): Promise<string> {
  let here = path;
  let rest: readonly string[] = [];
  for (let links = 0; links < LINKS_MOST;) {
    const real = await orMissing(realpath(here));
    if (real !== undefined) return join(real, ...rest);
    const target = await linkTarget(here);
    if (target === undefined) {
      rest = [basename(here), ...rest];
      here = dirname(here);
    } else {
      links += 1;
      const parent = await realPath(dirname(here));
      here = resolve(parent, target, ...rest);
      rest = [];
    }
  }
  throw new PathRefused('The path goes through too many symbolic links.');
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch {
    return undefined;
  }
}

async function kindOf(real: string): Promise<Located['kind']> {
  const stats = await orMissing(lstat(real));
  if (stats === undefined) return 'missing';
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
}

async function orMissing<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
