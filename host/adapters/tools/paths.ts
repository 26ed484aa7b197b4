/**
 * Where a path that a model wrote really leads, and what that means. Everything is judged by the real path:
 * links are followed to their end, also those that lead nowhere yet, and what was judged is what is used.
 */
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { lstat, readlink, realpath } from 'node:fs/promises';
import type { CallClass, Workplace } from '../../engine/ports';
import { protectedBy } from './protectedPaths';

export interface Located {
  /** The path as a person reads it: relative inside the turn's folder, absolute elsewhere. */
  readonly shown: string;
  /** Absolute, without links as far as it exists. */
  readonly real: string;
  readonly inside: boolean;
  readonly kind: 'file' | 'folder' | 'other' | 'missing';
  /** Why an edit asks in every mode (A12). */
  readonly protectedAs?: string;
}

/** Links on one path, as many as Linux follows. */
const LINKS_MOST = 40;

/** Finds out where `path` leads. Throws `PathRefused`, or the system's error when a part cannot be looked at. */
export async function locate(place: Workplace, path: string): Promise<Located> {
  refuseUnusable(path);
  const real = await realPath(resolve(place.folder, path));
  const folder = await realPath(resolve(place.folder));
  const roots = await Promise.all(place.roots.map((root) => realPath(resolve(root))));
  await refuseHidden(real, place);
  const inside = roots.some((root) => isWithin(root, real));
  const reason = protectedBy(real);
  return {
    shown: isWithin(folder, real) ? relative(folder, real) || '.' : real,
    real,
    inside,
    kind: await kindOf(real),
    ...(reason === undefined ? {} : { protectedAs: reason }),
  };
}

/** The path is one that no tool may name, or that no system call can take. */
export class PathRefused extends Error {}

export const readClass = (at: Located): CallClass => (at.inside ? 'read' : 'read_outside');

export function editClass(at: Located): CallClass {
  if (at.protectedAs !== undefined) return 'edit_protected';
  return at.inside ? 'edit' : 'edit_outside';
}

/** How much a class asks for; a call whose class has grown since it was judged must not run. */
const WEIGHT: Readonly<Record<CallClass, number>> = {
  own: 0,
  read: 1,
  edit: 1,
  read_outside: 2,
  edit_outside: 2,
  edit_protected: 3,
  command: 3,
};

/** Throws when the path now leads to a place that asks for more than the one that was judged. */
export function refuseWorse(judged: CallClass, now: CallClass): void {
  if (WEIGHT[now] > WEIGHT[judged]) {
    throw new PathRefused('The path leads elsewhere than when this call was judged. Nothing was done.');
  }
}

export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The real paths that no tool may name (A12). */
export function hiddenPaths(place: Workplace): Promise<readonly string[]> {
  return Promise.all(place.hidden.map((path) => realPath(resolve(path))));
}

/** Compared without case: some file system takes such names for the same. */
async function refuseHidden(real: string, place: Workplace): Promise<void> {
  const lower = real.toLowerCase();
  if ((await hiddenPaths(place)).some((path) => isWithin(path.toLowerCase(), lower))) {
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
