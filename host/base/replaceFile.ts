/**
 * Puts a new content in the place of a file, whole or not at all.
 *
 * It happens in one synchronous go inside a `Launch`: when the cord is pulled, either all of it is done or
 * nothing. On Linux every step goes through descriptors of the folders on the way, so that a link put in the
 * way between two steps cannot lead it elsewhere. May be called by adapters only through `base/effects.ts`.
 */
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readlinkSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { Launch } from './launch';

/** Tells one state of a file from the next: any change of its content changes it. */
export interface FileVersion {
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  /** Nanoseconds. */
  readonly modified: bigint;
}

export interface Replacement {
  /** Absolute, without links as far as it exists. */
  readonly path: string;
  readonly bytes: Buffer;
  /** What is expected there now; undefined when nothing is. */
  readonly expected: FileVersion | undefined;
}

/** The file is no longer the one that was looked at. Nothing was written. */
export class FileChanged extends Error {}

/**
 * Writes and returns once the data is on disk. Missing folders are made. An existing file keeps its mode,
 * owner and hard links. Throws `CordPulled`, `FileChanged`, or the system's error.
 */
export async function replaceFile(launch: Launch, replacement: Replacement): Promise<void> {
  const descriptor = launch(() => place(replacement));
  await new Promise<void>((done, fail) => {
    fdatasync(descriptor, (error) => {
      closeSync(descriptor);
      // Some file systems know no sync; the content is in its place all the same.
      if (error === null || error.code === 'EINVAL' || error.code === 'ENOTSUP') done();
      else fail(error);
    });
  });
}

/** Removes a file. Throws `CordPulled`, `FileChanged`, or the system's error; then nothing was removed. */
export function removeFile(launch: Launch, path: string, expected: FileVersion): void {
  launch(() => {
    const folder = enter(dirname(path));
    try {
      const target = join(folder.path, basename(path));
      const now = lookAt(target);
      if (now === undefined || !sameVersion(versionOf(now), expected))
        throw new FileChanged('The file has changed meanwhile. Nothing was removed.');
      unlinkSync(target);
    } finally {
      folder.close();
    }
  });
}

export function versionOf(stats: BigIntStats): FileVersion {
  return { device: stats.dev, inode: stats.ino, size: stats.size, modified: stats.mtimeNs };
}

const DESCRIPTORS = '/proc/self/fd';
const POSIX = process.platform !== 'win32';
const THROUGH_DESCRIPTORS = process.platform === 'linux' && existsSync(DESCRIPTORS);
const NOT_A_LINK = POSIX ? constants.O_NOFOLLOW : 0;
/** An old content up to this size is put back when an overwrite in place fails, bytes. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** Returns the descriptor of the written file, for the caller to sync and close. */
function place({ path, bytes, expected }: Replacement): number {
  const folder = enter(dirname(path));
  try {
    const target = join(folder.path, basename(path));
    const now = lookAt(target);
    if (!sameVersion(now === undefined ? undefined : versionOf(now), expected)) {
      throw new FileChanged('The file has changed meanwhile. Nothing was written.');
    }
    if (now !== undefined && now.nlink > 1n) return overwrite(target, bytes, expected);
    return swapIn(folder.path, target, bytes, now) ?? overwrite(target, bytes, expected);
  } finally {
    folder.close();
  }
}

interface Folder {
  /** Where its entries are reached. */
  readonly path: string;
  close(): void;
}

/** Goes to a folder, making what is missing of it. */
function enter(path: string): Folder {
  const missing: string[] = [];
  let existing = path;
  while (lookAt(existing) === undefined && dirname(existing) !== existing) {
    missing.unshift(basename(existing));
    existing = dirname(existing);
  }
  if (!THROUGH_DESCRIPTORS) return enterByPath(existing, missing);
  let descriptor = openFolder(existing);
  try {
    if (readlinkSync(`${DESCRIPTORS}/${String(descriptor)}`) !== existing) throw moved();
    for (const name of missing) {
      const next = `${DESCRIPTORS}/${String(descriptor)}/${name}`;
      makeFolder(next);
      const inner = openFolder(next);
      closeSync(descriptor);
      descriptor = inner;
    }
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return { path: `${DESCRIPTORS}/${String(descriptor)}`, close: () => closeSync(descriptor) };
}

function enterByPath(existing: string, missing: readonly string[]): Folder {
  if (realpathSync.native(existing) !== existing) throw moved();
  let path = existing;
  for (const name of missing) {
    path = join(path, name);
    makeFolder(path);
  }
  if (realpathSync.native(path) !== path) throw moved();
  return { path, close: () => {} };
}

function openFolder(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | NOT_A_LINK);
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function moved(): Error {
  return new FileChanged('A folder on the way has just become another one. Nothing was written.');
}

/** By a temporary file beside it and a rename; undefined when the folder or the owner does not allow that. */
function swapIn(
  folder: string,
  target: string,
  bytes: Buffer,
  now: BigIntStats | undefined,
): number | undefined {
  const temporary = join(folder, `.belay-${randomBytes(8).toString('hex')}.tmp`);
  let descriptor: number;
  try {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NOT_A_LINK;
    descriptor = openSync(temporary, flags, 0o666);
  } catch (error) {
    if (now !== undefined && isRefusal(error)) return undefined;
    throw error;
  }
  try {
    if (now !== undefined && !adopt(descriptor, now)) {
      discard(descriptor, temporary);
      return undefined;
    }
    writeAll(descriptor, bytes);
    renameSync(temporary, target);
    return descriptor;
  } catch (error) {
    discard(descriptor, temporary);
    if (now !== undefined && isRefusal(error)) return undefined;
    throw error;
  }
}

/** Gives the new file the owner and mode of the old one; false when that is not allowed. */
function adopt(descriptor: number, old: BigIntStats): boolean {
  if (!POSIX) return true;
  try {
    const own = fstatSync(descriptor, { bigint: true });
    if (own.uid !== old.uid || own.gid !== old.gid) fchownSync(descriptor, Number(old.uid), Number(old.gid));
    fchmodSync(descriptor, Number(old.mode & 0o7777n));
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

/** Where a swap would cut hard links or is not allowed: the file itself is written, and put back on failure. */
function overwrite(target: string, bytes: Buffer, expected: FileVersion | undefined): number {
  const descriptor = openSync(target, constants.O_RDWR | NOT_A_LINK);
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    if (!sameVersion(versionOf(stats), expected)) throw new FileChanged('The file has changed meanwhile.');
    const old = stats.size <= KEPT_BYTES ? readAll(descriptor, Number(stats.size)) : undefined;
    try {
      writeAll(descriptor, bytes);
      ftruncateSync(descriptor, bytes.length);
    } catch (error) {
      if (old !== undefined) {
        writeAll(descriptor, old);
        ftruncateSync(descriptor, old.length);
      }
      throw error;
    }
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
}

function readAll(descriptor: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let at = 0;
  for (let got = -1; got !== 0 && at < size; at += got) got = readSync(descriptor, bytes, at, size - at, at);
  return bytes.subarray(0, at);
}

function discard(descriptor: number, path: string): void {
  closeSync(descriptor);
  try {
    unlinkSync(path);
  } catch {
    // It was never there, or the rename has moved it: nothing is left behind.
  }
}

function lookAt(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

function sameVersion(one: FileVersion | undefined, two: FileVersion | undefined): boolean {
  if (one === undefined || two === undefined) return one === two;
  return (
    one.device === two.device &&
    one.inode === two.inode &&
    one.size === two.size &&
    one.modified === two.modified
  );
}

const REFUSALS: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY']);
const isRefusal = (error: unknown): boolean => REFUSALS.has(codeOf(error));

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
