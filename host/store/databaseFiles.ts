import type { FileOps, FileState } from './files';

/** Bytes of a page of the database, and of a frame and the head of the WAL (https://sqlite.org/fileformat2.html#walformat). */
export const PAGE_BYTES = 4096;
export const WAL_HEAD_BYTES = 32;
export const WAL_FRAME_BYTES = PAGE_BYTES + 24;

export type FileKind = 'main' | 'wal' | 'journal';

/** One real file that SQLite has open. `fd` is undefined for one that is imagined as empty until it is written. */
export interface OpenFile {
  readonly kind: FileKind;
  readonly path: string;
  fd: number | undefined;
  readonly owner: DatabaseFiles;
  /** Where SQLite's next read or write goes. */
  position: number;
  /** Bytes as of our own writes; differs from the disk only when another program wrote. */
  size: number;
}

/**
 * The files of one opened database: the file, its WAL and its rollback journal.
 *
 * Owns: the open descriptors and what is known about them. Does not own: when to sync or what to do about
 * a failure (commitLog.ts). Called by nodeFiles.ts for SQLite, and by the store for what SQLite does not do.
 *
 * Invariants:
 * 1. While frozen, nothing is written, truncated, removed or synced through it.
 * 2. A descriptor is closed only after the last sync that runs on it has ended, so that its number cannot
 *    be given to another file meanwhile.
 */
export class DatabaseFiles {
  /** The last error that the file system gave; tells apart what SQLite reports as one and the same. */
  lastError: unknown;
  /** Syncs that reached the disk, whoever asked for them. */
  syncs = 0;
  /** How often the WAL was begun anew; everything before is in the database file, synced. */
  walRestarts = 0;
  /** Highest end of a write to the WAL since `markWal`. */
  walMark = 0;

  private readonly open = new Map<FileKind, OpenFile>();
  private readonly syncing = new Map<number, number>();
  private readonly closeLater = new Set<number>();
  private frozen: boolean;

  constructor(
    readonly path: string,
    readonly files: FileOps,
    /** A database that is never written: SQLite is told that writing fails. */
    readonly readOnly: boolean,
  ) {
    this.frozen = readOnly;
  }

  get isFrozen(): boolean {
    return this.frozen;
  }

  /** Refuses every change from now on. */
  freeze(): void {
    this.frozen = true;
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
    const size = fd === undefined ? 0 : this.files.stateOf(fd).size;
    const file: OpenFile = { kind, path, fd, owner: this, position: 0, size };
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
    return file.fd === undefined ? 0 : this.files.read(file.fd, into, position);
  }

  write(file: OpenFile, bytes: Uint8Array, position: number): number {
    const fd = this.writable(file);
    if (file.kind === 'wal' && position === 0) this.walRestarts += 1;
    const took = this.files.write(fd, bytes, position);
    const end = position + took;
    if (end > file.size) file.size = end;
    if (file.kind === 'wal' && end > this.walMark) this.walMark = end;
    return took;
  }

  truncate(file: OpenFile, size: number): void {
    this.files.truncate(this.writable(file), size);
    file.size = size;
  }

  sync(file: OpenFile): void {
    this.files.sync(this.writable(file));
    this.syncs += 1;
  }

  /** Forces the WAL to the disk, off the loop. Resolves at once when there is none yet. */
  async syncWalSoon(): Promise<void> {
    const file = this.open.get('wal');
    if (file?.fd === undefined) return;
    const fd = file.fd;
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
    return file?.fd === undefined ? undefined : this.files.stateOf(file.fd);
  }

  private writable(file: OpenFile): number {
    if (this.frozen) throw Object.assign(new Error(`${file.path} is not written now.`), { code: 'EROFS' });
    file.fd ??= this.files.open(file.path, 'create');
    return file.fd;
  }
}
