import type { Disposable } from '../base/lifecycle';
import type { Value } from './database';
import type { StoreError } from './errors';

/**
 * Statements on the store. One statement per call, with `?` for parameters; statements are kept ready per
 * text, so the text is constant and values are parameters. Rows are arrays in the order of the columns.
 * Usable only while the job or read that it was handed to runs.
 */
export interface Query {
  all(sql: string, ...params: Value[]): Value[][];
  /** The first row. */
  get(sql: string, ...params: Value[]): Value[] | undefined;
  /** `changes` counts rows; `lastId` is the row id of an INSERT, else 0. Refused in `read`. */
  run(sql: string, ...params: Value[]): { changes: number; lastId: number };
}

export interface StoreStats {
  /** Commits that changed something, since the store was opened. */
  readonly commits: number;
  /** Times that the database's files were forced to the disk, since the store was opened. */
  readonly syncs: number;
  /** Bytes of the log that are not yet in the database file. */
  readonly walBytes: number;
  readonly dbBytes: number;
}

export interface Store extends Disposable {
  readonly readOnly: boolean;
  /**
   * Runs `job` at once, in one transaction. The commit is visible to `read` when this returns, and safe when
   * `durable` resolves: publish and act only then (R1). `durable` resolves in the order of the commits; it
   * rejects with a StoreError when the disk refused, and then the store is back at the last safe commit,
   * before any of the rejected ones. A job that ran no changing statement commits nothing; its `durable`
   * waits for what it may have read.
   *
   * Throws, with nothing kept: StoreError when the disk or the lease refuses, the job's own error when it
   * throws, StoreMisuse for a commit inside a job or an asynchronous job.
   */
  commit<T>(job: (q: Query) => T): { value: T; durable: Promise<void> };
  /** Reads at once, committed or not yet safe alike. Throws StoreError when the file cannot be read. */
  read<T>(query: (q: Query) => T): T;
  /** Resolves when everything committed so far is on the disk, at once if nothing is pending. Rejects as `durable` does. */
  settled(): Promise<void>;
  /** The lines of the query plan, for tests that pin it (D6). */
  explain(sql: string): string[];
  stats(): StoreStats;
  /** Told when saving fails (again, or differently), and with undefined when it works again (D8). */
  onTrouble(listener: (trouble: StoreError | undefined) => void): Disposable;
  /** The lines of SQLite's integrity check; empty when all is well. Blocks for about 2 ms per MB. */
  check(): string[];
  /** Saves what is pending, folds the log into the file and closes. */
  dispose(): Promise<void>;
}

/** What a migration may use besides Query. */
export interface MigrationQuery extends Query {
  /** Several statements without parameters. */
  script(sql: string): void;
}

/** One step of the schema. Versions count from 1 without a gap; one that was released never changes. */
export interface Migration {
  readonly version: number;
  /** Runs in one transaction with foreign keys off; they are checked before it commits. */
  up(q: MigrationQuery): void;
}

/** What a writer must hold to write (lease.ts). */
export interface Fence {
  /** Grows with each owner of the store. */
  readonly number: number;
  /** Whether this host still is the owner. Takes microseconds. */
  holds(): boolean;
}

export interface OpenedStore {
  readonly store: Store;
  /** Acknowledged commits that the file no longer has; 0 when all is well. Tell the person (D2). */
  readonly lost: number;
  /** With `lost`, no commit is left at all. */
  readonly nothingLeft: boolean;
  /**
   * Where a damaged database was put, whole (`store`), or a copy of a log of which commits behind its damage
   * were dropped (`log`); absent when there was neither, or no room for the copy. Tell the person (D2).
   */
  readonly setAside?: { readonly path: string; readonly what: 'store' | 'log' };
  /** The schema's version before the migrations; 0 for a new store. */
  readonly migratedFrom: number;
}
