import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import { AcknowledgedFile } from './acknowledged';
import { checkEngine, connectWriter, prepareWriter } from './connect';
import type { Fence, Migration, OpenedStore } from './contract';
import { type Connection, type Engine, loadEngine } from './database';
import { DatabaseFiles } from './databaseFiles';
import { codeOf, fromFileError, fromSqliteError, storeLocked, storeNewer } from './errors';
import { type FileOps, nodeFileOps } from './files';
import { LiveDatabase } from './liveDatabase';
import { keepLog, type Look, look, setAside, SUSPECT_NAME } from './look';
import { type Meta, readMeta, writeOwner } from './meta';
import { migrate, newestVersion, rollback } from './migrate';
import { sweepRestored } from './restore';
import { WritableStore } from './writableStore';

/** The database's name in the store's folder. Its log is `belay.db-wal`. */
export const DATABASE_NAME = 'belay.db';
export const ACKNOWLEDGED_NAME = 'acknowledged';

export interface StoreOptions {
  /** Folder of the store; made if missing. */
  readonly dir: string;
  readonly migrations: readonly Migration[];
  /** Path of `sql-wasm.wasm`. */
  readonly wasm: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The lease that makes this host the writer (D4). Only a test goes without one. */
  readonly fence?: Fence;
  readonly files?: FileOps;
}

/**
 * Opens the store for writing: checks the engine (once per thread), looks at what is there, sets a damaged
 * database or log aside, migrates, and makes all of it safe before it returns.
 *
 * Rejects with StoreError: `store_newer` and `store_locked` (both untouched), `store_full`, `store_read_only`,
 * `store_io`.
 */
export async function openStore(options: StoreOptions): Promise<OpenedStore> {
  const files = options.files ?? nodeFileOps(options.clock);
  const newest = newestVersion(options.migrations);
  const engine = await loadEngine(options.wasm, options.log, checkEngine);
  const acknowledged = new AcknowledgedFile(join(options.dir, ACKNOWLEDGED_NAME), files, options.log);
  try {
    files.makeFolder(options.dir);
    return open(options, engine, files, acknowledged, newest);
  } catch (error) {
    acknowledged.close();
    // A migration that is wrong is no failure of the disk.
    throw codeOf(error)?.startsWith('E') === true ? fromFileError(error) : error;
  }
}

function open(
  options: StoreOptions,
  engine: Engine,
  files: FileOps,
  acknowledged: AcknowledgedFile,
  newest: number,
): OpenedStore {
  if (options.fence?.holds() === false) throw storeLocked();
  // The one name that the system itself gives our files, so that it can be asked whether they still have it.
  const dir = realpathSync.native(options.dir);
  const path = join(dir, DATABASE_NAME);
  const suspect = join(dir, SUSPECT_NAME);
  sweepRestored(path, files);
  const found = look(engine, path, files, files.state(suspect) !== undefined);
  if (found.kind === 'sound' && found.meta.version > newest) {
    found.connection.abandon();
    throw storeNewer(found.meta.version, newest);
  }
  const known = acknowledged.read();
  const aside = putAside(found, path, files, options, known);
  if (files.state(suspect) !== undefined) files.unlink(suspect);
  const connection =
    found.kind === 'sound' ? thaw(found.connection) : fresh(engine, new DatabaseFiles(path, files, false));
  const meta = found.kind === 'sound' ? found.meta : readMeta(connection);
  const lost = Math.max(0, known - meta.commits);
  own(connection, meta, options);
  const live = new LiveDatabase(engine, path, files, acknowledged, options.log, connection, meta.commits);
  const store = new WritableStore(live, options.fence, options.clock, options.log);
  return {
    store,
    lost,
    nothingLeft: lost > 0 && meta.commits === 0,
    migratedFrom: meta.version,
    ...(aside === undefined ? {} : { setAside: aside }),
  };
}

/** Before anything is written: keeps what would be lost of a damaged file, or of a damaged log where there is room. */
function putAside(
  found: Look,
  path: string,
  files: FileOps,
  options: StoreOptions,
  known: number,
): OpenedStore['setAside'] {
  const now = options.clock.now();
  if (found.kind === 'damaged') {
    options.log('error', `The database is damaged (${found.reason}).`);
    return { path: setAside(path, files, now), what: 'store' };
  }
  if (found.kind === 'new' || found.meta.commits >= known) return undefined;
  try {
    const log = keepLog(path, files, now);
    return log === undefined ? undefined : { path: log, what: 'log' };
  } catch (error) {
    // A store that stays shut would be worse: its commits up to the damage are all there.
    options.log('error', `The damaged log could not be kept: ${String(error)}`);
    return undefined;
  }
}

function fresh(engine: Engine, files: DatabaseFiles): Connection {
  return explained(files, () => connectWriter(engine, files));
}

function thaw(connection: Connection): Connection {
  connection.files.thaw();
  return explained(connection.files, () => {
    try {
      prepareWriter(connection);
      return connection;
    } catch (error) {
      connection.abandon();
      throw error;
    }
  });
}

/**
 * Migrates, writes who owns the store now, and syncs: what an earlier host left in the log unsynced is on
 * the disk before anyone acts on it.
 */
function own(connection: Connection, meta: Meta, options: StoreOptions): void {
  const database = connection.files;
  try {
    migrate(connection, meta.version, options.migrations);
    database.markWal();
    connection.script('BEGIN IMMEDIATE');
    writeOwner(connection, meta.commits, Math.max(options.fence?.number ?? 0, meta.fence + 1));
    connection.script('COMMIT');
    const wal = database.get('wal');
    if (wal !== undefined) {
      // Behind the last whole commit there may be a torn one of an earlier host.
      if (wal.size > database.walMark) database.truncate(wal, database.walMark);
      database.sync(wal);
    }
    database.files.syncFolder(dirname(database.path));
  } catch (error) {
    rollback(connection);
    connection.abandon();
    throw fromSqliteError(error, database.lastError) ?? error;
  }
}

function explained<T>(database: DatabaseFiles, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw fromSqliteError(error, database.lastError) ?? error;
  }
}
