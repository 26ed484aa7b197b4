import type { Connection, Engine } from './database';
import { DatabaseFiles } from './databaseFiles';
import type { FileOps } from './files';
import { MemoryFileOps } from './memoryFiles';

/** Memory for pages of one connection, KiB. Bounds what the store takes whatever the file's size (D1). */
const CACHE_KIB = 16_000;

/**
 * A log that grew beyond this is cut when it is next begun anew. A shorter one is written over: a sync after
 * writing over costs half of one after growing the file.
 */
const WAL_KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Set on every connection, in this order: only with the exclusive mode set first does SQLite keep the WAL's
 * index in its own memory, and only this host's own lease keeps others out (lease.ts). NORMAL leaves the
 * sync of a commit to commitLog.ts, which does it off the loop.
 */
export const ALWAYS_SET = `
  PRAGMA locking_mode = exclusive;
  PRAGMA cache_size = -${CACHE_KIB};
  PRAGMA temp_store = memory;
  PRAGMA foreign_keys = on;
  PRAGMA trusted_schema = off;
  PRAGMA wal_autocheckpoint = 0;
  PRAGMA journal_size_limit = ${WAL_KEPT_BYTES};
  PRAGMA synchronous = normal;
`;

/** Before the first page exists, or it has no effect. */
const WHEN_NEW = 'PRAGMA auto_vacuum = incremental;';

/** Opens a database for writing and puts it into WAL mode; a missing file is made. */
export function connectWriter(engine: Engine, files: DatabaseFiles): Connection {
  const connection = engine.connect(files);
  try {
    prepareWriter(connection);
    return connection;
  } catch (error) {
    connection.abandon();
    throw error;
  }
}

/** Sets the modes of a connection that was opened to look at first. */
export function prepareWriter(connection: Connection): void {
  connection.script(ALWAYS_SET);
  if (connection.files.stateOf('main')?.size === 0) connection.script(WHEN_NEW);
  const mode = connection.get('PRAGMA journal_mode = wal', [])?.[0];
  if (mode !== 'wal') throw new Error(`The database stayed in journal mode ${String(mode)}.`);
}

/** Opens a database that is never written. */
export function connectReader(engine: Engine, path: string, files: FileOps): Connection {
  const connection = engine.connect(new DatabaseFiles(path, files, true));
  try {
    connection.script(ALWAYS_SET);
    return connection;
  } catch (error) {
    connection.abandon();
    throw error;
  }
}

/**
 * Proves that the engine writes through the given files, syncs them and reads them back: its file calls are
 * replaced by names that hold for one build only. Throws when anything differs.
 */
export function checkEngine(engine: Engine): void {
  const disk = new MemoryFileOps();
  const path = '/check/belay.db';
  const first = connectWriter(engine, new DatabaseFiles(path, disk, false));
  first.script('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT');
  first.script("BEGIN IMMEDIATE; INSERT INTO t (b) VALUES ('kept'); COMMIT");
  if ((disk.state(`${path}-wal`)?.size ?? 0) === 0) throw new Error('The commit did not reach the log file.');
  first.close();
  if (disk.syncs === 0) throw new Error('Nothing was synced.');
  if (disk.state(`${path}-wal`) !== undefined) throw new Error('The log was not removed at the end.');
  const head = new Uint8Array(16);
  disk.read(disk.open(path, 'read'), head, 0);
  if (!hasSqliteHead(head)) throw new Error('The file is no SQLite database.');
  const second = connectWriter(engine, new DatabaseFiles(path, disk, false));
  const kept = second.get('SELECT b FROM t WHERE a = ?', [1])?.[0];
  second.close();
  if (kept !== 'kept') throw new Error('What was committed could not be read.');
}

const HEAD = new TextEncoder().encode('SQLite format 3\0');

/** Whether these first 16 bytes of a file are those of every SQLite database. */
export function hasSqliteHead(head: Uint8Array): boolean {
  return HEAD.every((byte, index) => head[index] === byte);
}
