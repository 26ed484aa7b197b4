import { type FileOps, type FileState, writeAll } from './files';
import { WAL_FRAME_HEAD_BYTES, WAL_HEAD_BYTES, WalBuffer } from './walBuffer';

/** The salts that tie a log's frames to its head: where they stand in the head, and in each frame's. */
const HEAD_SALTS_AT = 16;
const FRAME_SALTS_AT = 8;
const SALT_BYTES = 8;

export type FileKind = 'main' | 'wal' | 'journal';

/** One real file that SQLite has open. `fd` is undefined for one that is imagined as empty until it is written. */
export interface OpenFile {
  readonly kind: FileKind;
  readonly path: string;
  fd: number | undefined;
  readonly owner: DatabaseFiles;
  /** What the file was when it was opened; undefined for an imagined one. */
  readonly opened: FileState | undefined;
  /** Where SQLite's next read or write goes. */
  position: number;
  /** Bytes as of our own writes; differs from the disk only when another program wrote. */
  size: number;
}

/** Our own refusal to change a frozen database; not an error of the disk. */
export class Frozen extends Error {
  readonly code = 'EROFS';
  constructor(path: string) {
    super(`${path} is not written now.`);
  }
}

/**
 * The files of one opened database: the file, its WAL and its rollback journal.
 *
 * Owns: the open descriptors and what is known about them. Does not own: when to sync or what to do about
 * a failure (commitLog.ts). Called by nodeFiles.ts for SQLite, and by the store for what SQLite does not do.
 *
 * Invariants:
 * 1. While frozen, nothing is written, truncated, removed or synced through it.
 * 2. What SQLite wrote to the log is in the file before it is read, synced, cut or measured, and at the
 *    latest with the last frame of its commit.
 * 3. A descriptor is closed only after the last sync that runs on it has ended, so that its number cannot
 *    be given to another file meanwhile.
 */
export class DatabaseFiles {
  /** The last error that the file system gave; tells apart what SQLite reports as one and the same. */
  lastError: unknown;
  /** Syncs that reached the disk, whoever asked for them. */
  syncs = 0;
  /** Highest end of a write to the WAL since `markWal`. */
  walMark = 0;

  private readonly open = new Map<FileKind, OpenFile>();
  private readonly syncing = new Map<number, number>();
  private readonly closeLater = new Set<number>();
  private readonly walBuffer = new WalBuffer();
  private readonly scratch = new Uint8Array(WAL_FRAME_HEAD_BYTES);
  /** Highest end of our own writes to the log since it was begun anew. */
  private walReach = 0;
  private salts: Uint8Array | undefined;
  private frozen: boolean;

  constructor(
    readonly path: string,
    readonly files: FileOps,
    /** A database that is never written: SQLite is told that writing fails. */
    readonly readOnly: boolean,
  ) {
    this.frozen = readOnly;
  }

  /** Refuses every change from now on. */
  freeze(): void {
    this.frozen = true;
  }

  /** Throws Frozen while nothing may change. */
  refuseFrozen(): void {
    if (this.frozen) throw new Frozen(this.path);
  }

  /** Ends the look that comes before a store is accepted: from now on it may be written. */
  thaw(): void {
    if (!this.readOnly) this.frozen = false;
  }

  pathOf(kind: FileKind): string {
    return kind === 'main' ? this.path : `${this.path}-${kind}`;
  }

  /** Opens for SQLite; a frozen database opens what is there for reading and imagines the rest as empty. */
  openFile(kind: FileKind, create: boolean): OpenFile {
    const path = this.pathOf(kind);
    const fd = this.openDescriptor(path, create);
    const opened = fd === undefined ? undefined : this.files.stateOf(fd);
    const file: OpenFile = { kind, path, fd, owner: this, opened, position: 0, size: opened?.size ?? 0 };
    this.open.set(kind, file);
    return file;
  }

  private openDescriptor(path: string, create: boolean): number | undefined {
    if (!this.readOnly && !this.frozen) return this.files.open(path, create ? 'create' : 'write');
    if (this.files.state(path) !== undefined) return this.files.open(path, this.readOnly ? 'read' : 'write');
    if (create && path !== this.path) return undefined;
    throw Object.assign(new Error(`There is no ${path}.`), { code: 'ENOENT' });
  }

  closeFile(file: OpenFile): void {
    if (this.open.get(file.kind) === file) this.open.delete(file.kind);
    if (file.fd === undefined) return;
    if (this.syncing.has(file.fd)) this.closeLater.add(file.fd);
    else this.files.close(file.fd);
  }

  /** What SQLite has open now; undefined before it needed the file. */
  get(kind: FileKind): OpenFile | undefined {
    return this.open.get(kind);
  }

  read(file: OpenFile, into: Uint8Array, position: number): number {
    if (file.fd === undefined) return 0;
    if (file.kind === 'wal') this.flush(file);
    return this.files.read(file.fd, into, position);
  }

  write(file: OpenFile, bytes: Uint8Array, position: number): number {
    const fd = this.writable(file);
    const end = position + bytes.byteLength;
    if (file.kind === 'wal') this.writeWal(fd, bytes, position);
    else writeAll(this.files, fd, bytes, position);
    if (end > file.size) file.size = end;
    return bytes.byteLength;
  }

  private writeWal(fd: number, bytes: Uint8Array, position: number): void {
    if (position === 0) {
      this.walReach = 0;
      this.salts = bytes.slice(HEAD_SALTS_AT, HEAD_SALTS_AT + SALT_BYTES);
    }
    this.walBuffer.write(bytes, position, (run, at) => writeAll(this.files, fd, run, at));
    this.walMark = Math.max(this.walMark, position + bytes.byteLength);
    this.walReach = Math.max(this.walReach, this.walMark);
  }

  /** Brings what SQLite wrote into the file (invariant 2). */
  private flush(file: OpenFile): void {
    if (file.kind !== 'wal' || this.frozen || file.fd === undefined) return;
    const fd = file.fd;
    this.walBuffer.flush((run, at) => writeAll(this.files, fd, run, at));
  }

  truncate(file: OpenFile, size: number): void {
    const fd = this.writable(file);
    this.flush(file);
    this.files.truncate(fd, size);
    file.size = size;
  }

  sync(file: OpenFile): void {
    const fd = this.writable(file);
    this.flush(file);
    this.files.sync(fd);
    this.syncs += 1;
  }

  /** Forces the WAL to the disk, off the loop where that is slow. Resolves at once when there is none yet. */
  async syncWalSoon(): Promise<void> {
    const file = this.open.get('wal');
    if (file?.fd === undefined) return;
    const fd = file.fd;
    this.flush(file);
    this.syncing.set(fd, (this.syncing.get(fd) ?? 0) + 1);
    try {
      await this.files.syncSoon(fd);
      this.syncs += 1;
    } finally {
      this.endSync(fd);
    }
  }

  private endSync(fd: number): void {
    const left = (this.syncing.get(fd) ?? 1) - 1;
    if (left > 0) {
      this.syncing.set(fd, left);
      return;
    }
    this.syncing.delete(fd);
    if (this.closeLater.delete(fd)) this.files.close(fd);
  }

  /** Begins a new measure of the WAL's end: what is written from now on. */
  markWal(): void {
    this.walMark = 0;
  }

  /** What the open file is on the disk now; undefined when it is not open. */
  stateOf(kind: FileKind): FileState | undefined {
    const file = this.open.get(kind);
    if (file?.fd === undefined) return undefined;
    this.flush(file);
    return this.files.stateOf(file.fd);
  }

  /** Whether the file's name still leads to what is open here. True for what is not open. */
  isNamed(kind: FileKind): boolean {
    const file = this.open.get(kind);
    if (file?.fd === undefined) return true;
    if (kind === 'wal' || file.opened === undefined) return this.files.isNamed(file.fd, file.path);
    // The file itself is seldom written, so looking at it costs its next sync nothing.
    const named = this.files.state(file.path);
    return named?.inode === file.opened.inode && named.device === file.opened.device;
  }

  /**
   * Whether the log goes on at `end` with a frame of its present run, which another program must have
   * written, or was begun anew by another.
   */
  hasForeignFrames(end: number): boolean {
    const file = this.open.get('wal');
    // What we undid ourselves may stand behind our last commit.
    if (file?.fd === undefined || end === 0 || end < this.walReach) return false;
    this.flush(file);
    const head = this.scratch;
    if (this.files.read(file.fd, head, end) < WAL_FRAME_HEAD_BYTES) return false;
    this.salts ??= this.readSalts(file.fd);
    return this.salts.every((byte, index) => head[FRAME_SALTS_AT + index] === byte);
  }

  private readSalts(fd: number): Uint8Array {
    const head = new Uint8Array(WAL_HEAD_BYTES);
    this.files.read(fd, head, 0);
    return head.slice(HEAD_SALTS_AT, HEAD_SALTS_AT + SALT_BYTES);
  }

  private writable(file: OpenFile): number {
    this.refuseFrozen();
    file.fd ??= this.files.open(file.path, 'create');
    return file.fd;
  }
}
