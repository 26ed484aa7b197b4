import * as fs from 'node:fs';

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
  /** Forces the content to the disk, off the loop. */
  syncSoon(fd: number): Promise<void>;
  /** Forces names in a folder to the disk; a no-op where the system has no such thing. */
  syncFolder(path: string): void;
  stateOf(fd: number): FileState;
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

/** The real file system. */
export const nodeFileOps: FileOps = {
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
  syncSoon: (fd) =>
    new Promise((resolve, reject) => {
      fs.fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
    }),
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

/** Writes all of `bytes`; a disk that takes nothing more is full. */
export function writeAll(files: FileOps, fd: number, bytes: Uint8Array, position: number): void {
  let done = 0;
  while (done < bytes.byteLength) {
    const took = files.write(fd, bytes.subarray(done), position + done);
    if (took <= 0) throw Object.assign(new Error('The disk took no more bytes.'), { code: 'ENOSPC' });
    done += took;
  }
}
