import { ALWAYS_SET, hasSqliteHead } from './connect';
import type { Connection, Engine } from './database';
import { DatabaseFiles } from './databaseFiles';
import { fromFileError, fromSqliteError, storeDamaged, type StoreError } from './errors';
import type { FileOps } from './files';
import { type Meta, readMeta } from './meta';
import { copy, FRESH } from './restore';

/** A database of at most this many bytes is checked whole after an unclean end; a check takes about 2 ms per MB. */
export const CHECK_LIMIT_BYTES = 64 * 1024 * 1024;

/** Exists in the store's folder while a damaged page was met and the file was not checked since. */
export const SUSPECT_NAME = 'suspect';

export type Look =
  | { readonly kind: 'new' }
  | { readonly kind: 'sound'; readonly connection: Connection; readonly meta: Meta }
  | { readonly kind: 'damaged'; readonly reason: string };

/**
 * Looks at what is on the disk and changes nothing (D2, D5). A sound database is returned open and frozen.
 *
 * After a clean end the log is gone and the file is taken as it is: its head, its length and its schema are
 * read. After an unclean end it is checked whole, up to CHECK_LIMIT_BYTES, and always when `suspect` says
 * that a damaged page was met. Throws StoreError when the disk refuses to be read.
 */
export function look(engine: Engine, path: string, files: FileOps, suspect: boolean): Look {
  try {
    const size = files.state(path)?.size ?? 0;
    const walState = files.state(`${path}-wal`);
    if (size === 0) {
      // SQLite would remove this log without a word: to it, an empty file has none.
      if ((walState?.size ?? 0) > 0)
        return { kind: 'damaged', reason: 'The file is gone, its log is there.' };
      return { kind: 'new' };
    }
    if (!headIsWhole(files, path)) return { kind: 'damaged', reason: 'The file is no SQLite database.' };
    return lookInside(engine, path, files, suspect || (walState !== undefined && size <= CHECK_LIMIT_BYTES));
  } catch (error) {
    throw fromFileError(error);
  }
}

function headIsWhole(files: FileOps, path: string): boolean {
  const head = new Uint8Array(16);
  const fd = files.open(path, 'read');
  try {
    files.read(fd, head, 0);
  } finally {
    files.close(fd);
  }
  return hasSqliteHead(head);
}

function lookInside(engine: Engine, path: string, files: FileOps, whole: boolean): Look {
  const database = new DatabaseFiles(path, files, false);
  // A file that was killed while it was first made has a rollback journal, which SQLite must be free to undo.
  if (files.state(`${path}-journal`) === undefined) database.freeze();
  let connection: Connection | undefined;
  try {
    connection = engine.connect(database);
    connection.script(ALWAYS_SET);
    const meta = readMeta(connection);
    if (whole) {
      const line = connection.get('PRAGMA quick_check(1)', [])?.[0];
      if (line !== 'ok') throw storeDamaged(line);
    }
    return { kind: 'sound', connection, meta };
  } catch (error) {
    connection?.abandon();
    const failure = fromSqliteError(error, database.lastError) ?? fromFileError(error);
    if (failure.code !== 'store_damaged') throw failure;
    return { kind: 'damaged', reason: reasonOf(failure) };
  }
}

function reasonOf(failure: StoreError): string {
  if (failure.cause instanceof Error) return failure.cause.message;
  return typeof failure.cause === 'string' ? failure.cause : failure.message;
}

/**
 * Puts a damaged database aside, whole: the file, its log and its journal, under names that `sqlite3` opens
 * together. Returns the new path of the file. Throws StoreError when the disk refuses.
 */
export function setAside(path: string, files: FileOps, now: number): string {
  const target = freeName(`${path}.damaged-`, files, now);
  try {
    for (const suffix of ['-wal', '-journal', '']) {
      if (files.state(path + suffix) !== undefined) files.rename(path + suffix, target + suffix);
    }
  } catch (error) {
    throw fromFileError(error);
  }
  return target;
}

/**
 * Keeps a copy of a log of which SQLite takes only the commits before its first damage. Returns its path;
 * undefined when there is no log to keep. Throws StoreError when the disk refuses, and leaves nothing of the copy then.
 */
export function keepLog(path: string, files: FileOps, now: number): string | undefined {
  const log = `${path}-wal`;
  const fresh = `${log}${FRESH}`;
  try {
    const size = files.state(log)?.size ?? 0;
    if (size === 0) return undefined;
    const fd = files.open(log, 'read');
    try {
      copy(files, fd, fresh, size);
    } finally {
      files.close(fd);
    }
    const target = freeName(`${log}.damaged-`, files, now);
    files.rename(fresh, target);
    return target;
  } catch (error) {
    // On a full disk its room is needed for the store itself.
    if (files.state(fresh) !== undefined) files.unlink(fresh);
    throw fromFileError(error);
  }
}

/** `start` with the time, and a number where that is taken. */
function freeName(start: string, files: FileOps, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  let target = `${start}${stamp}`;
  for (let count = 2; files.state(target) !== undefined; count += 1) target = `${start}${stamp}-${count}`;
  return target;
}
