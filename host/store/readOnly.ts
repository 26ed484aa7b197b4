import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock';
import type { Disposable } from '../base/lifecycle';
import type { Log } from '../base/log';
import { checkEngine, connectReader } from './connect';
import type { Query, Store, StoreStats } from './contract';
import { type Connection, type Engine, loadEngine } from './database';
import {
  fromFileError,
  fromSqliteError,
  storeLocked,
  StoreMisuse,
  storeNewer,
  storeOpenedReadOnly,
} from './errors';
import { type FileOps, type FileState, nodeFileOps } from './files';
import { readMeta } from './meta';
import { readWith } from './query';
import { DATABASE_NAME } from './store';
import { WAL_HEAD_BYTES } from './walBuffer';

/** A read that the writer's folding of the log disturbs is made again, at most this often. */
const MAX_TRIES = 50;

export interface ReadOnlyOptions {
  /** Folder of a store that exists. */
  readonly dir: string;
  /** Path of `sql-wasm.wasm`. */
  readonly wasm: string;
  /** The newest schema version that the caller knows. */
  readonly newest: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly files?: FileOps;
}

/**
 * Opens the store of another host for reading (D4): it writes nothing, not even a lock, and every read sees
 * what that host has committed by then, some of it perhaps a moment before it is safe.
 *
 * Rejects with StoreError: `store_newer`, `store_io`, `store_damaged`.
 */
export async function openReadOnly(options: ReadOnlyOptions): Promise<Store> {
  const files = options.files ?? nodeFileOps(options.clock);
  const engine = await loadEngine(options.wasm, options.log, checkEngine);
  try {
    const store = new ReadOnlyStore(
      engine,
      join(realpathSync.native(options.dir), DATABASE_NAME),
      files,
      options.clock,
    );
    const version = store.version();
    if (version > options.newest) {
      await store.dispose();
      throw storeNewer(version, options.newest);
    }
    return store;
  } catch (error) {
    throw fromFileError(error);
  }
}

/**
 * A log that changed less than this before a look may change again without its time moving, for file
 * systems count in ticks of up to this long; such a view is not kept.
 */
const TICK_MS = 20;

/** What the files were at one moment, as far as a reader's view depends on it. */
interface View {
  readonly main: FileState | undefined;
  readonly wal: FileState | undefined;
  /** The log's head, with the salts of its present run. */
  readonly head: string;
  /** Whether a later look that finds the same may take it for the same. */
  readonly keeps: boolean;
}

/**
 * Owns: a connection that was opened on one view of the files.
 *
 * Invariant: a result is given only if, from the opening of its connection to its end, the log was not begun
 * anew and the file was not written: frames that the writer added meanwhile do not change an older view.
 */
class ReadOnlyStore implements Store {
  readonly readOnly = true;
  private connection: Connection | undefined;
  private view: View | undefined;
  private closed = false;

  constructor(
    private readonly engine: Engine,
    private readonly path: string,
    private readonly files: FileOps,
    private readonly clock: Clock,
  ) {}

  commit(): never {
    throw storeOpenedReadOnly();
  }

  read<T>(query: (q: Query) => T): T {
    return this.onStableView((connection) => readWith(connection, query));
  }

  version(): number {
    return this.onStableView((connection) => readMeta(connection).version);
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }

  explain(sql: string): string[] {
    return this.read((q) => q.all(`EXPLAIN QUERY PLAN ${sql}`)).map((row) => String(row[3]));
  }

  stats(): StoreStats {
    const { main, wal } = this.look();
    return { commits: 0, syncs: 0, walBytes: wal?.size ?? 0, dbBytes: main?.size ?? 0 };
  }

  /** Reading has no lasting trouble: each read tells its own. */
  onTrouble(): Disposable {
    return { dispose: () => {} };
  }

  check(): string[] {
    return this.read((q) => q.all('PRAGMA integrity_check'))
      .map((row) => String(row[0]))
      .filter((line) => line !== 'ok');
  }

  dispose(): Promise<void> {
    this.closed = true;
    this.drop();
    return Promise.resolve();
  }

  private onStableView<T>(run: (connection: Connection) => T): T {
    if (this.closed) throw new StoreMisuse('The store is closed.');
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const before = this.look();
      try {
        const result = run(this.connect(before));
        if (isStable(before, this.look())) return result;
      } catch (error) {
        // What was read while the files changed under it may be anything, an error included.
        if (isStable(before, this.look())) throw error;
      }
      this.drop();
    }
    throw storeLocked();
  }

  /** The connection of this view; another one when the files have changed since. */
  private connect(view: View): Connection {
    if (this.connection !== undefined && this.view !== undefined && isSame(this.view, view)) {
      return this.connection;
    }
    this.drop();
    let connection: Connection | undefined;
    try {
      connection = connectReader(this.engine, this.path, this.files);
      // The first read makes SQLite take in the log: from here on the connection stands on this view.
      connection.number('PRAGMA schema_version');
    } catch (error) {
      connection?.abandon();
      throw fromSqliteError(error, connection?.files.lastError) ?? error;
    }
    this.connection = connection;
    this.view = view.keeps ? view : undefined;
    return connection;
  }

  private drop(): void {
    this.connection?.abandon();
    this.connection = undefined;
    this.view = undefined;
  }

  private look(): View {
    const main = this.files.state(this.path);
    const walPath = `${this.path}-wal`;
    const wal = this.files.state(walPath);
    const age = this.clock.now() - Number((wal?.changed ?? 0n) / 1_000_000n);
    return {
      main,
      wal,
      head: (wal?.size ?? 0) === 0 ? '' : this.head(walPath),
      keeps: Math.abs(age) > TICK_MS,
    };
  }

  private head(path: string): string {
    try {
      const fd = this.files.open(path, 'read');
      try {
        const head = new Uint8Array(WAL_HEAD_BYTES);
        this.files.read(fd, head, 0);
        return Buffer.from(head).toString('latin1');
      } finally {
        this.files.close(fd);
      }
    } catch {
      // Removed between the two looks; the next look sees that.
      return '';
    }
  }
}

function isSame(one: View, other: View): boolean {
  return isStable(one, other) && one.wal?.size === other.wal?.size && one.wal?.changed === other.wal?.changed;
}

/** Whether a view taken at `before` still holds: the log at most grew. */
function isStable(before: View, after: View): boolean {
  return (
    before.head === after.head &&
    before.wal?.inode === after.wal?.inode &&
    before.main?.inode === after.main?.inode &&
    before.main?.size === after.main?.size &&
    before.main?.changed === after.main?.changed
  );
}
