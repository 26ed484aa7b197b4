import type { Connection } from './database';

/**
 * The store's own facts, in the database: the number of the last commit (written with every commit) and the
 * fence of its last owner. Part of the file format; no migration touches it.
 */
const CREATE = `
  CREATE TABLE IF NOT EXISTS store_meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;
const SET =
  'INSERT INTO store_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';

/** Hot: once per commit. */
export const COUNT_COMMIT = "UPDATE store_meta SET value = ? WHERE key = 'commits'";

export interface Meta {
  readonly version: number;
  readonly commits: number;
  readonly fence: number;
}

export function readMeta(connection: Connection): Meta {
  const version = connection.number('PRAGMA user_version');
  const known = connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'store_meta'") > 0;
  if (!known) return { version, commits: 0, fence: 0 };
  return { version, commits: readCommits(connection), fence: readKey(connection, 'fence') };
}

export function readCommits(connection: Connection): number {
  return readKey(connection, 'commits');
}

/** Inside a transaction. */
export function writeOwner(connection: Connection, commits: number, fence: number): void {
  connection.script(CREATE);
  connection.execute(SET, 'commits', commits);
  connection.execute(SET, 'fence', fence);
}

function readKey(connection: Connection, key: string): number {
  return connection.number('SELECT value FROM store_meta WHERE key = ?', key);
}
