import { type DatabaseFiles, type FileKind, Frozen, type OpenFile } from './databaseFiles';
import { codeOf } from './errors';
import type { WasmMemory } from './wasmMemory';

/**
 * SQLite's file calls, bound to `node:fs`.
 *
 * sql.js keeps its files in memory. The calls that its WASM imports are replaced here for the paths of
 * opened databases, so that SQLite's own pager and WAL work on real files; every other path (the folder
 * `/`, scratch files) stays in memory.
 *
 * Owns: which made-up path stands for which database, and the descriptors given to SQLite.
 * Invariants:
 * 1. No JavaScript exception crosses WASM: every failure becomes an errno.
 * 2. Our descriptors are numbered from FIRST_DESCRIPTOR, far above those that sql.js gives out itself.
 */

/** The one build that the names below are right for; another one has to be looked at anew. */
export const SQL_WASM_SHA256 = '6918fd54c1192011b85af0365a819411285bb5579b9ae6a7308778a1750a2765';

/** The calls that are replaced, and their names in that build (minified, so they change with every version). */
const CALLS = {
  faccessat: 'D',
  fchmod: 'j',
  fchown32: 'h',
  fcntl64: 'b',
  fstat64: 'g',
  ftruncate64: 'J',
  lstat64: 'M',
  newfstatat: 'L',
  openat: 'x',
  stat64: 'N',
  unlinkat: 'o',
  fd_close: 'e',
  fd_read: 't',
  fd_seek: 'E',
  fd_sync: 'K',
  fd_write: 'q',
} as const;
type CallName = keyof typeof CALLS;
type Call = (...args: (number | bigint)[]) => number;

/** musl's numbers, as Emscripten uses them. */
const ERRNO: Readonly<Record<string, number>> = {
  EACCES: 2,
  EBADF: 8,
  EBUSY: 10,
  EDQUOT: 19,
  EEXIST: 20,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  EMFILE: 33,
  ENAMETOOLONG: 37,
  ENFILE: 41,
  ENOENT: 44,
  ENOSPC: 51,
  ENOTDIR: 54,
  EPERM: 63,
  EROFS: 69,
  ETXTBSY: 74,
};
const EIO = 29;
const EINVAL = 28;

const O_CREAT = 0x40;
const F_GETLK = 12;
const F_UNLCK = 2;
const S_IFREG_0600 = 0o100600;
const FIRST_DESCRIPTOR = 100_000;
/** What SQLite calls the databases; each name stands for one real file. */
const NAME = '/belay-';
const PATH = /^(\/belay-\d+)(?:-(wal|journal))?$/;
const NANOS = 1_000_000_000n;

interface Alias {
  readonly files: DatabaseFiles;
  readonly number: number;
}

interface Named {
  readonly alias: Alias;
  readonly kind: FileKind;
}

const INODE_STEP: Readonly<Record<FileKind, number>> = { main: 0, wal: 1, journal: 2 };

function isCall(value: unknown): value is Call {
  return typeof value === 'function';
}

export class NodeFiles {
  private readonly aliases = new Map<string, Alias>();
  private readonly open = new Map<number, OpenFile>();
  private nextDescriptor = FIRST_DESCRIPTOR;
  private nextAlias = 1;

  constructor(private readonly memory: WasmMemory) {}

  /** A name under which SQLite can open these files. */
  lend(files: DatabaseFiles): string {
    const name = `${NAME}${this.nextAlias}`;
    this.aliases.set(name, { files, number: this.nextAlias });
    this.nextAlias += 1;
    return name;
  }

  /** The database of this name is closed, or was never opened. */
  forget(name: string): void {
    this.aliases.delete(name);
  }

  /** Replaces the calls in `env`, the object of functions that the WASM imports. Throws when one is missing. */
  rebind(env: Record<string, unknown>): void {
    const replacements = this.replacements((name) => {
      const original = env[CALLS[name]];
      if (!isCall(original)) throw new Error(`The database engine has no call ${name}.`);
      return original;
    });
    for (const [name, call] of Object.entries(replacements)) env[name] = call;
  }

  private replacements(original: (name: CallName) => Call): Record<string, unknown> {
    const inMemory = {
      access: original('faccessat'),
      chmod: original('fchmod'),
      chown: original('fchown32'),
      fcntl: original('fcntl64'),
      fstat: original('fstat64'),
      truncate: original('ftruncate64'),
      lstat: original('lstat64'),
      fstatat: original('newfstatat'),
      openat: original('openat'),
      stat: original('stat64'),
      unlink: original('unlinkat'),
      close: original('fd_close'),
      read: original('fd_read'),
      seek: original('fd_seek'),
      sync: original('fd_sync'),
      write: original('fd_write'),
    };
    const statPath = (call: Call) => (path: number, at: number) => {
      const named = this.named(path);
      return named === undefined ? call(path, at) : this.statPath(named, at);
    };
    return {
      [CALLS.lstat64]: statPath(inMemory.lstat),
      [CALLS.stat64]: statPath(inMemory.stat),
      [CALLS.newfstatat]: (dir: number, path: number, at: number, flags: number) => {
        const named = this.named(path);
        return named === undefined ? inMemory.fstatat(dir, path, at, flags) : this.statPath(named, at);
      },
      [CALLS.faccessat]: (dir: number, path: number, mode: number, flags: number) => {
        const named = this.named(path);
        if (named === undefined) return inMemory.access(dir, path, mode, flags);
        return this.attempt(named.alias.files, (files) => {
          if (files.files.state(files.pathOf(named.kind)) === undefined) throw missing();
        });
      },
      [CALLS.openat]: (dir: number, path: number, flags: number, rest: number) => {
        const named = this.named(path);
        if (named === undefined) return inMemory.openat(dir, path, flags, rest);
        return this.openAlias(named, (flags & O_CREAT) !== 0);
      },
      [CALLS.unlinkat]: (dir: number, path: number, flags: number) => {
        const named = this.named(path);
        if (named === undefined) return inMemory.unlink(dir, path, flags);
        return this.attempt(named.alias.files, (files) => {
          files.refuseFrozen();
          files.files.unlink(files.pathOf(named.kind));
        });
      },
      [CALLS.fstat64]: (fd: number, at: number) => {
        const file = this.open.get(fd);
        return file === undefined ? inMemory.fstat(fd, at) : this.statOpen(file, at);
      },
      [CALLS.fcntl64]: (fd: number, command: number, rest: number) => {
        if (!this.open.has(fd)) return inMemory.fcntl(fd, command, rest);
        return this.lock(command, rest);
      },
      // Modes and owners of the real files are set when they are made.
      [CALLS.fchmod]: (fd: number, mode: number) => (this.open.has(fd) ? 0 : inMemory.chmod(fd, mode)),
      [CALLS.fchown32]: (fd: number, user: number, group: number) =>
        this.open.has(fd) ? 0 : inMemory.chown(fd, user, group),
      [CALLS.ftruncate64]: (fd: number, size: bigint) => {
        const file = this.open.get(fd);
        if (file === undefined) return inMemory.truncate(fd, size);
        return this.attempt(file.owner, (files) => files.truncate(file, Number(size)));
      },
      [CALLS.fd_close]: (fd: number) => {
        const file = this.open.get(fd);
        if (file === undefined) return inMemory.close(fd);
        this.open.delete(fd);
        return -this.attempt(file.owner, (files) => files.closeFile(file));
      },
      [CALLS.fd_seek]: (fd: number, offset: bigint, whence: number, at: number) => {
        const file = this.open.get(fd);
        return file === undefined
          ? inMemory.seek(fd, offset, whence, at)
          : this.seek(file, offset, whence, at);
      },
      [CALLS.fd_read]: (fd: number, list: number, count: number, at: number) => {
        const file = this.open.get(fd);
        return file === undefined ? inMemory.read(fd, list, count, at) : this.read(file, list, count, at);
      },
      [CALLS.fd_write]: (fd: number, list: number, count: number, at: number) => {
        const file = this.open.get(fd);
        return file === undefined ? inMemory.write(fd, list, count, at) : this.write(file, list, count, at);
      },
      [CALLS.fd_sync]: (fd: number) => {
        const file = this.open.get(fd);
        return file === undefined
          ? inMemory.sync(fd)
          : -this.attempt(file.owner, (files) => files.sync(file));
      },
    };
  }

  /** The real file that a path stands for. */
  private named(pointer: number): Named | undefined {
    const match = PATH.exec(this.memory.text(pointer));
    const alias = this.aliases.get(match?.[1] ?? '');
    if (alias === undefined) return undefined;
    const suffix = match?.[2];
    return { alias, kind: suffix === 'wal' || suffix === 'journal' ? suffix : 'main' };
  }

  private openAlias(named: Named, create: boolean): number {
    const fd = this.nextDescriptor;
    const failure = this.attempt(named.alias.files, (files) => {
      this.open.set(fd, files.openFile(named.kind, create));
    });
    if (failure !== 0) return failure;
    this.nextDescriptor += 1;
    return fd;
  }

  private seek(file: OpenFile, offset: bigint, whence: number, at: number): number {
    const base = whence === 0 ? 0 : whence === 1 ? file.position : file.size;
    const position = base + Number(offset);
    if (position < 0) return EINVAL;
    file.position = position;
    this.memory.view.setBigInt64(at, BigInt(position), true);
    return 0;
  }

  private read(file: OpenFile, list: number, count: number, at: number): number {
    return -this.attempt(file.owner, (files) => {
      let total = 0;
      for (const part of this.parts(list, count)) {
        const got = files.read(file, part, file.position);
        file.position += got;
        total += got;
        if (got < part.byteLength) break;
      }
      this.memory.view.setUint32(at, total, true);
    });
  }

  private write(file: OpenFile, list: number, count: number, at: number): number {
    return -this.attempt(file.owner, (files) => {
      let total = 0;
      for (const part of this.parts(list, count)) {
        const took = files.write(file, part, file.position);
        file.position += took;
        total += took;
        if (took < part.byteLength) break;
      }
      this.memory.view.setUint32(at, total, true);
    });
  }

  /** The pieces of memory of a vectored read or write. */
  private parts(list: number, count: number): Uint8Array[] {
    const { view, bytes } = this.memory;
    const parts: Uint8Array[] = [];
    for (let index = 0; index < count; index += 1) {
      const start = view.getUint32(list + 8 * index, true);
      const length = view.getUint32(list + 8 * index + 4, true);
      if (length > 0) parts.push(bytes.subarray(start, start + length));
    }
    return parts;
  }

  /** Nobody else is asked: the lease (lease.ts) is what keeps a second writer out. */
  private lock(command: number, rest: number): number {
    if (command !== F_GETLK) return 0;
    const view = this.memory.view;
    view.setInt16(view.getInt32(rest, true), F_UNLCK, true);
    return 0;
  }

  private statPath(named: Named, at: number): number {
    return this.attempt(named.alias.files, (files) => {
      const state = files.files.state(files.pathOf(named.kind));
      if (state === undefined) throw missing();
      this.putStat(named.alias.number, named.kind, state.size, state.changed, at);
    });
  }

  private statOpen(file: OpenFile, at: number): number {
    return this.attempt(file.owner, (files) => {
      const state = files.stateOf(file.kind);
      const alias = [...this.aliases.values()].find((one) => one.files === files);
      this.putStat(alias?.number ?? 0, file.kind, state?.size ?? 0, state?.changed ?? 0n, at);
    });
  }

  /**
   * Writes a `struct stat`. The inode is made up, one per opened database: SQLite keeps the locks of one
   * process by inode, and a reader beside the writer of the same file must not meet the writer's.
   */
  private putStat(alias: number, kind: FileKind, size: number, changed: bigint, at: number): void {
    const view = this.memory.view;
    for (let offset = 0; offset < 96; offset += 4) view.setUint32(at + offset, 0, true);
    view.setUint32(at, 1, true);
    view.setUint32(at + 4, S_IFREG_0600, true);
    view.setUint32(at + 8, 1, true);
    view.setBigInt64(at + 24, BigInt(size), true);
    view.setInt32(at + 32, 4096, true);
    view.setInt32(at + 36, Math.ceil(size / 512), true);
    for (const offset of [40, 56, 72]) {
      view.setBigInt64(at + offset, changed / NANOS, true);
      view.setUint32(at + offset + 8, Number(changed % NANOS), true);
    }
    view.setBigInt64(at + 88, BigInt(FIRST_DESCRIPTOR + alias * 4 + INODE_STEP[kind]), true);
  }

  /** 0, or the negative errno of what `run` threw (invariant 1). A missing file is no failure of the disk. */
  private attempt(files: DatabaseFiles, run: (files: DatabaseFiles) => void): number {
    try {
      run(files);
      return 0;
    } catch (error) {
      const code = codeOf(error) ?? '';
      if (code !== 'ENOENT' && !(error instanceof Frozen)) files.lastError = error;
      return -(ERRNO[code] ?? EIO);
    }
  }
}

function missing(): Error {
  return Object.assign(new Error('There is no such file.'), { code: 'ENOENT' });
}
