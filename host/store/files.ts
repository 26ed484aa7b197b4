import * as fs from 'node:fs';
import { promisify } from 'node:util';
import type { Clock } from '../base/clock';

/** What a file is, as far as the store asks. Inode and device are exact, so that a replaced file is seen. */
export interface FileState {
  readonly size: number;
  readonly inode: bigint;
  readonly device: bigint;
  /** Number of names; 0 means that the file was removed while open. */
  readonly links: number;
  /** Last change of the content, nanoseconds since 1970. */
  readonly changed: bigint;
}

export type OpenMode = 'read' | 'write' | 'create';

/**
 * Every file operation of the store, so that a test can fail any of them and count syncs. All throw Node's
 * errors (with `code`); paths are absolute.
 */
export interface FileOps {
  /** `write` needs the file to exist, `create` makes it if it is missing; both also read. */
  open(path: string, mode: OpenMode): number;
  close(fd: number): void;
  /** Bytes read; fewer than asked only at the end of the file. */
  read(fd: number, into: Uint8Array, position: number): number;
  /** Bytes written; may be fewer than given. */
  write(fd: number, bytes: Uint8Array, position: number): number;
  truncate(fd: number, size: number): void;
  /** Forces the content to the disk, blocking. */
  sync(fd: number): void;
  /** Forces the content to the disk, off the loop where that takes long. */
  syncSoon(fd: number): Promise<void>;
  /** Forces names in a folder to the disk; a no-op where the system has no such thing. */
  syncFolder(path: string): void;
  stateOf(fd: number): FileState;
  /** Whether `path` leads to the open file. */
  isNamed(fd: number, path: string): boolean;
  /** Undefined when nothing has this name. */
  state(path: string): FileState | undefined;
  unlink(path: string): void;
  rename(from: string, to: string): void;
  makeFolder(path: string): void;
}

const FLAGS = {
  read: fs.constants.O_RDONLY,
  write: fs.constants.O_RDWR,
  create: fs.constants.O_RDWR | fs.constants.O_CREAT,
} as const;

/** Files of the person alone: they hold conversations. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

function toState(stat: fs.BigIntStats): FileState {
  return {
    size: Number(stat.size),
    inode: stat.ino,
    device: stat.dev,
    links: Number(stat.nlink),
    changed: stat.mtimeNs,
  };
}

/**
 * While syncs take longer than this on average, they run off the loop. On a faster disk the way to another
 * thread and back costs more than the sync itself (measured: 0.2 ms against 0.1 ms).
 */
const SLOW_SYNC_MS = 1;
/** How much the newest sync counts in that average. */
const NEWEST_PART = 1 / 16;

const datasync = promisify(fs.fdatasync);

/** The real file system. `clock` tells a slow disk from a fast one. */
export function nodeFileOps(clock: Clock): FileOps {
  let averageMs = 0;
  return {
    open: (path, mode) => fs.openSync(path, FLAGS[mode], FILE_MODE),
    close: (fd) => fs.closeSync(fd),
    read(fd, into, position) {
      let done = 0;
      while (done < into.byteLength) {
        const got = fs.readSync(fd, into, done, into.byteLength - done, position + done);
        if (got === 0) break;
        done += got;
      }
      return done;
    },
    write: (fd, bytes, position) => fs.writeSync(fd, bytes, 0, bytes.byteLength, position),
    truncate: (fd, size) => fs.ftruncateSync(fd, size),
    sync: (fd) => fs.fdatasyncSync(fd),
    async syncSoon(fd) {
      const start = clock.now();
      if (averageMs > SLOW_SYNC_MS) await datasync(fd);
      else fs.fdatasyncSync(fd);
      averageMs += (clock.now() - start - averageMs) * NEWEST_PART;
    },
    syncFolder(path) {
      // Windows has no handle of a folder that could be synced; its file system journals names by itself.
      if (process.platform === 'win32') return;
      const fd = fs.openSync(path, fs.constants.O_RDONLY);
      try {
        fs.fsyncSync(fd);
      } finally {
        fs.closeSync(fd);
      }
    },
    isNamed: process.platform === 'linux' ? isNamedByProc : isNamedByInode,
    stateOf: (fd) => toState(fs.fstatSync(fd, { bigint: true })),
    state(path) {
      const stat = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
      return stat === undefined ? undefined : toState(stat);
    },
    unlink: (path) => fs.unlinkSync(path),
    rename: (from, to) => fs.renameSync(from, to),
    makeFolder: (path) => {
      fs.mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
    },
  };
}

/**
 * Asks for the open file's own name, which the system keeps up to date, rather than for the state of what
 * has the name: since Linux 6.13 a file whose times were asked for costs a third more at its next sync.
 */
function isNamedByProc(fd: number, path: string): boolean {
  try {
    if (fs.readlinkSync(`/proc/self/fd/${fd}`) === path) return true;
  } catch {
    // Without /proc the slower way decides.
  }
  return isNamedByInode(fd, path);
}

function isNamedByInode(fd: number, path: string): boolean {
  const named = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
  if (named === undefined) return false;
  const open = fs.fstatSync(fd, { bigint: true });
  return named.ino === open.ino && named.dev === open.dev;
}

/** Writes all of `bytes`; a disk that takes nothing more is full. */
export function writeAll(files: FileOps, fd: number, bytes: Uint8Array, position: number): void {
  let done = 0;
  while (done < bytes.byteLength) {
    const took = files.write(fd, bytes.subarray(done), position + done);
    if (took <= 0) throw Object.assign(new Error('The disk took no more bytes.'), { code: 'ENOSPC' });
    done += took;
  }
}
