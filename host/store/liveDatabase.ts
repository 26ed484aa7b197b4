import { dirname, join } from 'node:path';
import type { Log } from '../base/log';
import type { AcknowledgedFile } from './acknowledged';
import { connectWriter } from './connect';
import type { Connection, Engine } from './database';
import { DatabaseFiles } from './databaseFiles';
import { fromFileError, fromSqliteError, storeDamaged, storeLogReplaced } from './errors';
import type { FileOps } from './files';
import { SUSPECT_NAME } from './look';
import { COUNT_COMMIT, readCommits } from './meta';
import { rollback } from './migrate';
import { restoreFiles } from './restore';

/** A point that the database can be brought back to: a commit and the length of the log that ends with it. */
export interface Point {
  readonly commit: number;
  readonly walEnd: number;
}

export interface JobResult<T> {
  readonly value: T;
  readonly wrote: boolean;
}

/**
 * The database that this host writes, and how far it is safe.
 *
 * Owns: the connection, the last commit, the last acknowledged one, and the ways back to it. Does not own:
 * who waits for which commit, and when to sync (writableStore.ts).
 *
 * Invariants:
 * 1. `safe` is on the disk: its frames were synced, in a log that had this name at that moment.
 * 2. Nothing beyond `safe` is ever moved into the database file by us, so the log can always be cut there.
 * 3. While `connection` is undefined the files are at rest, and `reopen` is the only way on: to `last`.
 */
export class LiveDatabase {
  private connection: Connection | undefined;
  private last: Point;
  private safe: Point;
  private syncsBefore = 0;
  private foldFirst = false;
  private repairDue = false;
  /** Counts the connections: a sync that began on an earlier one says nothing about this one. */
  generation = 0;

  constructor(
    private readonly engine: Engine,
    readonly path: string,
    private readonly files: FileOps,
    private readonly acknowledged: AcknowledgedFile,
    private readonly log: Log,
    connection: Connection,
    commits: number,
  ) {
    this.connection = connection;
    this.last = { commit: commits, walEnd: connection.files.walMark };
    this.safe = this.last;
  }

  get walBytes(): number {
    return this.last.walEnd;
  }

  /** Whether another program has, or left, the index that connections to a log share. */
  sharedIndexExists(): boolean {
    return this.files.state(this.sharedIndex) !== undefined;
  }

  private get sharedIndex(): string {
    return `${this.path}-shm`;
  }

  get dbBytes(): number {
    return this.files.state(this.path)?.size ?? 0;
  }

  get syncs(): number {
    return this.syncsBefore + (this.connection?.files.syncs ?? 0);
  }

  /** The connection, opened again if need be. Throws StoreError while the disk refuses. */
  use(): Connection {
    if (this.repairDue) this.bringBack();
    return this.connection ?? this.reopen();
  }

  /**
   * Runs `job` in one transaction. A job that wrote nothing gets no commit number. Throws StoreError when
   * SQLite refused, else what the job threw; nothing is kept then.
   */
  transact<T>(job: (connection: Connection) => JobResult<T>): JobResult<T> {
    const connection = this.use();
    connection.files.lastError = undefined;
    connection.files.markWal();
    try {
      connection.execute('BEGIN IMMEDIATE');
      const result = job(connection);
      const commit = this.last.commit + 1;
      if (result.wrote) connection.execute(COUNT_COMMIT, commit);
      connection.execute('COMMIT');
      if (result.wrote) this.last = { commit, walEnd: connection.files.walMark };
      return result;
    } catch (error) {
      const refusal = fromSqliteError(error, connection.files.lastError);
      if (!rollback(connection)) this.dropConnection();
      throw refusal ?? error;
    }
  }

  /** Before a commit: throws when another program wrote to the log since our last commit. Microseconds. */
  checkLog(): void {
    const files = this.use().files;
    if (files.hasForeignFrames(this.last.walEnd)) throw storeLogReplaced('frames');
  }

  /** Before an acknowledgement: throws when the names no longer lead to our files. Some 15 microseconds. */
  checkNames(): void {
    if (!namesAreOurs(this.use().files)) throw storeLogReplaced('names');
  }

  /** Forces what is committed so far to the disk, off the loop. Rejects with StoreError. */
  async sync(): Promise<void> {
    try {
      await this.use().files.syncWalSoon();
    } catch (error) {
      throw fromFileError(error);
    }
  }

  /** The same, at once. */
  syncNow(): void {
    const files = this.use().files;
    const wal = files.get('wal');
    if (wal === undefined) return;
    try {
      files.sync(wal);
    } catch (error) {
      throw fromFileError(error);
    }
  }

  /** Commits up to `point` are synced and the names were checked: they are safe. */
  acknowledge(point: Point): void {
    this.safe = point;
    this.acknowledged.write(point.commit);
  }

  /** The point of the last commit. */
  point(): Point {
    return this.last;
  }

  /** A damaged page was met: the next start checks the file whole, however large it is. */
  markSuspect(): void {
    try {
      this.files.close(this.files.open(join(dirname(this.path), SUSPECT_NAME), 'create'));
    } catch (error) {
      this.log('warn', `The damage could not be noted for the next start: ${String(error)}`);
    }
  }

  /**
   * Moves the log into the file, so that the next commit begins it anew. Only while everything is safe
   * (invariant 2). Throws StoreError.
   */
  checkpoint(): void {
    const connection = this.use();
    connection.files.lastError = undefined;
    try {
      const busy = connection.get('PRAGMA wal_checkpoint(restart)', [])?.[0];
      if (busy !== 0) return;
      this.last = { commit: this.last.commit, walEnd: 0 };
      this.safe = this.last;
    } catch (error) {
      throw fromSqliteError(error, connection.files.lastError) ?? error;
    }
  }

  /**
   * After a failed sync: forgets every commit after the last safe one. Throws StoreError while the disk
   * refuses; `use` then tries again.
   */
  bringBack(): void {
    this.repairDue = true;
    this.last = this.safe;
    const files = this.connection?.files;
    if (files !== undefined && !namesAreOurs(files)) this.putBack(files, this.safe.walEnd, false);
    this.repairDue = false;
    this.reopen();
  }

  /**
   * After another program took our files' names away or wrote to our log, and before the log is folded while
   * one has the database open: puts everything under its name again, out of that program's reach (restore.ts).
   * What it committed properly stays. Everything is safe and folded afterwards. Throws StoreError.
   */
  rescue(): void {
    const files = this.use().files;
    const foreign = files.hasForeignFrames(this.last.walEnd);
    const end = foreign ? (files.stateOf('wal')?.size ?? 0) : this.last.walEnd;
    const shared = this.sharedIndexExists();
    this.putBack(files, end, shared);
    this.last = { commit: this.last.commit, walEnd: end };
    // Where the frames of another program end is not known; with the log folded in, it starts at 0.
    this.foldFirst = true;
    this.reopen();
    if (shared) this.files.unlink(this.sharedIndex);
    this.acknowledge(this.last);
  }

  private putBack(files: DatabaseFiles, walEnd: number, moveMain: boolean): void {
    try {
      restoreFiles(files, walEnd, moveMain);
    } catch (error) {
      throw fromFileError(error);
    }
  }

  /** Cuts the log at the last commit and opens again; the connection in use is dropped. */
  private reopen(): Connection {
    this.dropConnection();
    const files = new DatabaseFiles(this.path, this.files, false);
    try {
      this.cutLog();
      const connection = connectWriter(this.engine, files);
      this.connection = connection;
      this.generation += 1;
      this.verify(connection);
      if (this.foldFirst) this.checkpoint();
      this.foldFirst = false;
      return connection;
    } catch (error) {
      this.dropConnection();
      throw fromSqliteError(error, files.lastError) ?? fromFileError(error);
    }
  }

  private verify(connection: Connection): void {
    const found = readCommits(connection);
    if (found !== this.last.commit) {
      throw storeDamaged(`The file is at commit ${found} instead of ${this.last.commit}.`);
    }
    if (!this.foldFirst) return;
    const line = connection.get('PRAGMA quick_check(1)', [])?.[0];
    if (line !== 'ok') throw storeDamaged(line);
  }

  private cutLog(): void {
    const path = `${this.path}-wal`;
    const size = this.files.state(path)?.size ?? 0;
    if (size <= this.last.walEnd) return;
    const fd = this.files.open(path, 'write');
    try {
      this.files.truncate(fd, this.last.walEnd);
    } finally {
      this.files.close(fd);
    }
  }

  private dropConnection(): void {
    const connection = this.connection;
    if (connection === undefined) return;
    this.connection = undefined;
    this.syncsBefore += connection.files.syncs;
    try {
      connection.abandon();
    } catch (error) {
      this.log('warn', `A database connection did not close: ${String(error)}`);
    }
  }

  /** Folds the log into the file and closes. Leaves the files alone when told that they are not ours any more. */
  close(ours: boolean): void {
    const connection = this.connection;
    this.connection = undefined;
    this.acknowledged.close();
    if (connection === undefined) return;
    this.syncsBefore += connection.files.syncs;
    if (ours) connection.close();
    else connection.abandon();
  }
}

function namesAreOurs(files: DatabaseFiles): boolean {
  return files.isNamed('wal') && files.isNamed('main');
}
