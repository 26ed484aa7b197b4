import { setImmediate } from 'node:timers';
import type { Clock, Timer } from '../base/clock';
import type { Disposable } from '../base/lifecycle';
import type { Log } from '../base/log';
import type { Fence, Query, Store, StoreStats } from './contract';
import {
  DamagedBlob,
  fromFileError,
  UnfitRow,
  StoreError,
  storeIo,
  storeLocked,
  StoreMisuse,
} from './errors';
import type { JobResult, LiveDatabase, Point } from './liveDatabase';
import { JobQuery, readWith } from './query';
import { Trouble } from './trouble';

/** A log of this many bytes is folded into the file between two commits; it bounds the time that folding blocks. */
export const WAL_LIMIT_BYTES = 4 * 1024 * 1024;
/** While another program has the database open, folding waits for it, but not beyond this. */
export const WAL_SHARED_LIMIT_BYTES = 64 * 1024 * 1024;
/** A log of this many bytes is folded into the file once nothing was committed for WAL_IDLE_MS. */
export const WAL_IDLE_BYTES = 256 * 1024;
export const WAL_IDLE_MS = 2_000;
const TOUCH = "UPDATE store_meta SET value = value WHERE key = 'commits'";

interface Waiter {
  readonly commit: number;
  readonly durable: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: StoreError) => void;
}

/**
 * The store of the host that holds the lease.
 *
 * Owns: who waits for which commit to be safe, when the log is synced and folded, and the trouble that the
 * person is told of. Does not own: the transaction and the ways back (liveDatabase.ts).
 *
 * Invariants:
 * 1. A commit is acknowledged after a sync that began after its COMMIT, when the lease and the names of the
 *    files were then still ours (D1, D4).
 * 2. Acknowledgements come in the order of the commits; after one rejection every later commit that was
 *    already made is rejected as well, and the database is back before all of them.
 * 3. At most one sync runs; commits that come meanwhile share the next one.
 */
export class WritableStore implements Store {
  readonly readOnly = false;
  private waiting: Waiter[] = [];
  private flushing: Promise<void> | undefined;
  private inJob = false;
  private closing: Promise<void> | undefined;
  private lost: StoreError | undefined;
  private readonly trouble: Trouble;
  private commits = 0;
  private idleTimer: Timer | undefined;
  private idleSince = 0;
  private foldAt = WAL_LIMIT_BYTES;

  constructor(
    private readonly live: LiveDatabase,
    private readonly fence: Fence | undefined,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.trouble = new Trouble(clock, log, () => this.retry());
  }

  commit<T>(job: (q: Query) => T): { value: T; durable: Promise<void> } {
    if (this.inJob) throw new StoreMisuse('A commit inside a commit.');
    this.admit();
    this.inJob = true;
    try {
      const { value, wrote } = this.live.transact((connection) => runJob(new JobQuery(connection), job));
      return { value, durable: wrote ? this.wait() : this.settled() };
    } catch (error) {
      if (error instanceof StoreError) this.meet(error);
      throw error;
    } finally {
      this.inJob = false;
    }
  }

  read<T>(query: (q: Query) => T): T {
    if (this.lost !== undefined) throw this.lost;
    if (this.closing !== undefined) throw new StoreMisuse('The store is closed.');
    try {
      return readWith(this.live.use(), query);
    } catch (error) {
      if (error instanceof StoreError) this.meet(error);
      throw error;
    }
  }

  settled(): Promise<void> {
    return this.waiting.at(-1)?.durable ?? Promise.resolve();
  }

  explain(sql: string): string[] {
    return this.live
      .use()
      .all(`EXPLAIN QUERY PLAN ${sql}`, [])
      .map((row) => String(row[3]));
  }

  stats(): StoreStats {
    const { syncs, walBytes, dbBytes } = this.live;
    return { commits: this.commits, syncs, walBytes, dbBytes };
  }

  onTrouble(listener: (trouble: StoreError | undefined) => void): Disposable {
    return this.trouble.onChange(listener);
  }

  check(): string[] {
    return this.read((q) => q.all('PRAGMA integrity_check'))
      .map((row) => String(row[0]))
      .filter((line) => line !== 'ok');
  }

  dispose(): Promise<void> {
    this.closing ??= this.close();
    return this.closing;
  }

  /** Throws unless a commit may begin: this host still writes, and the log is as we left it. */
  private admit(): void {
    if (this.lost !== undefined) throw this.lost;
    if (this.closing !== undefined) throw new StoreMisuse('The store is closed.');
    if (!this.owns()) throw this.lose();
    try {
      this.live.checkLog();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code !== 'store_damaged') throw this.refuse(error);
      this.rescue(error);
    }
  }

  /** Whether this host still has the lease. Throws StoreError when that cannot be seen. */
  private owns(): boolean {
    try {
      return this.fence?.holds() !== false;
    } catch (error) {
      throw this.refuse(error);
    }
  }

  /** Registers the commit just made and sees to its sync. */
  private wait(): Promise<void> {
    this.commits += 1;
    this.idleSince = this.clock.now();
    let resolve = (): void => {};
    let reject = (_: StoreError): void => {};
    const durable = new Promise<void>((onDone, onFailure) => {
      resolve = onDone;
      reject = onFailure;
    });
    // A caller that does not look learns of it by `onTrouble`; the process must not end over it.
    durable.catch(() => {});
    this.waiting.push({ commit: this.live.point().commit, durable, resolve, reject });
    // The sync begins after this moment's other work, so that all its commits share it. No time passes.
    this.flushing ??= new Promise<void>((begin) => setImmediate(begin)).then(() => this.flush());
    return durable;
  }

  private async flush(): Promise<void> {
    while (this.waiting.length > 0) {
      const point = this.live.point();
      let generation = this.live.generation;
      let failure: StoreError | undefined;
      try {
        const synced = this.live.sync();
        generation = this.live.generation;
        await synced;
      } catch (error) {
        failure = fromFileError(error);
      }
      // Opened anew meanwhile: what still waits is in the new log and needs a sync of that one.
      if (generation !== this.live.generation) continue;
      this.conclude(point, failure);
    }
    this.flushing = undefined;
  }

  /** Whatever goes wrong here, nobody waits for ever. */
  private conclude(point: Point, failure: StoreError | undefined): void {
    try {
      if (failure === undefined) this.confirm(point);
      else this.giveUp(failure);
    } catch (error) {
      this.giveUp(error instanceof StoreError ? error : storeIo(error));
    }
  }

  /** The log is synced up to `point`: acknowledges, if it still is our log (invariant 1). */
  private confirm(point: Point): void {
    if (!this.owns()) {
      this.lose();
      return;
    }
    try {
      this.live.checkNames();
    } catch (error) {
      try {
        this.rescue(fromFileError(error));
      } catch (failure) {
        this.giveUp(fromFileError(failure));
      }
      return;
    }
    this.acknowledge(point);
    this.fold();
  }

  private acknowledge(point: Point): void {
    this.live.acknowledge(point);
    const still = this.waiting.findIndex((waiter) => waiter.commit > point.commit);
    const done = this.waiting.splice(0, still === -1 ? this.waiting.length : still);
    this.trouble.end();
    for (const waiter of done) waiter.resolve();
  }

  /** Another program took the log away: puts it back with everything committed, which then is safe. Throws StoreError. */
  private rescue(reason: StoreError): void {
    this.log('warn', `${reason.message} Belay puts its files back.`);
    this.trouble.begin(reason);
    try {
      this.live.rescue();
    } catch (error) {
      throw this.refuse(error);
    }
    this.acknowledge(this.live.point());
  }

  /** The disk refused the sync: back to the last safe commit, then tell those who waited. */
  private giveUp(failure: StoreError): void {
    const rejected = this.waiting;
    this.waiting = [];
    try {
      this.live.bringBack();
    } catch (error) {
      this.log('error', `The store could not be brought back yet: ${String(error)}`);
    }
    this.trouble.begin(failure);
    for (const waiter of rejected) waiter.reject(failure);
  }

  /** Another host owns the store now: nothing more is written, not even at the end. */
  private lose(): StoreError {
    const error = storeLocked();
    this.lost = error;
    this.idleTimer?.clear();
    this.live.close(false);
    const rejected = this.waiting;
    this.waiting = [];
    this.trouble.dispose(error);
    for (const waiter of rejected) waiter.reject(error);
    return error;
  }

  /** Folds the log into the file when it is long, or arms the timer for a quiet moment. */
  private fold(): void {
    if (this.live.walBytes >= this.foldAt) this.foldNow();
    else if (this.live.walBytes >= WAL_IDLE_BYTES) this.armIdle();
  }

  private foldNow(): void {
    // Another connection to the database has this file; the log is not folded under it while that can wait.
    const shared = this.live.sharedIndexExists();
    if (shared && this.live.walBytes < WAL_SHARED_LIMIT_BYTES) return;
    try {
      if (this.waiting.length > 0) this.syncNow();
      if (!this.owns()) {
        this.lose();
        return;
      }
      this.live.checkNames();
      if (this.waiting.length > 0) this.acknowledge(this.live.point());
      if (shared) this.live.rescue();
      else this.live.checkpoint();
      this.foldAt = WAL_LIMIT_BYTES;
    } catch (error) {
      // Nothing is lost: the log holds it all. The next try waits until the log has grown as much again.
      this.foldAt = this.live.walBytes + WAL_LIMIT_BYTES;
      this.log('warn', `The log could not be folded into the database: ${String(error)}`);
    }
  }

  /** A sync that failed is not tried again: the system may take the lost pages for written. */
  private syncNow(): void {
    try {
      this.live.syncNow();
    } catch (error) {
      this.giveUp(fromFileError(error));
      throw error;
    }
  }

  private armIdle(): void {
    this.idleTimer ??= this.clock.after(WAL_IDLE_MS, () => {
      this.idleTimer = undefined;
      const quiet = this.waiting.length === 0 && this.clock.now() - this.idleSince >= WAL_IDLE_MS;
      if (this.live.walBytes < WAL_IDLE_BYTES) return;
      if (quiet) this.foldNow();
      else this.armIdle();
    });
  }

  /** What to throw for a failure of the disk, which is trouble as well. */
  private refuse(error: unknown): StoreError {
    const refusal = fromFileError(error);
    this.trouble.begin(refusal);
    return refusal;
  }

  /** A read or a commit failed. */
  private meet(error: StoreError): void {
    // What a job has written itself may be what it cannot read, and a file beside it may be damaged: the database is none the worse.
    if (error instanceof UnfitRow || error instanceof DamagedBlob) return;
    if (error.code !== 'store_damaged') this.trouble.begin(error);
    else if (this.trouble.beginLasting(error)) this.live.markSuspect();
  }

  /** An empty commit shows whether the disk works again; its own failure sees to the next try. */
  private retry(): void {
    try {
      this.commit((q) => q.run(TOUCH));
    } catch (error) {
      this.log('debug', `The store still cannot save: ${String(error)}`);
    }
  }

  private async close(): Promise<void> {
    this.trouble.dispose();
    while (this.flushing !== undefined) await this.flushing;
    this.idleTimer?.clear();
    if (this.lost !== undefined) return;
    this.live.close(this.seemsOurs() && this.leaveWhole());
  }

  /** Whether the end may write: when it cannot be told, everything stays as it is, which the next start takes in. */
  private seemsOurs(): boolean {
    try {
      return this.owns();
    } catch {
      return false;
    }
  }

  /** Before the end: what another program took away, or still has open, is put back out of its reach. */
  private leaveWhole(): boolean {
    try {
      this.live.checkNames();
      if (this.live.sharedIndexExists()) this.live.rescue();
      return true;
    } catch (error) {
      return this.rescued(fromFileError(error));
    }
  }

  private rescued(reason: StoreError): boolean {
    try {
      this.rescue(reason);
      return true;
    } catch (error) {
      this.log('error', `The store could not be put back at the end: ${String(error)}`);
      return false;
    }
  }
}

function runJob<T>(q: JobQuery, job: (q: Query) => T): JobResult<T> {
  try {
    const value = job(q);
    if (value instanceof Promise) throw new StoreMisuse('A job of the store is synchronous.');
    q.rethrow();
    return { value, wrote: q.wrote };
  } finally {
    q.end();
  }
}
