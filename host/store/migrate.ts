import type { Migration, MigrationQuery } from './contract';
import type { Connection } from './database';
import { StoreMisuse } from './errors';

/** The newest version that these migrations lead to. Throws StoreMisuse when they do not count 1, 2, 3… */
export function newestVersion(migrations: readonly Migration[]): number {
  migrations.forEach((migration, index) => {
    if (migration.version !== index + 1) throw new StoreMisuse(`Migration ${index + 1} is missing.`);
  });
  return migrations.length;
}

/** Brings the schema from version `from` to the newest, one transaction per step. Throws with the step undone. */
export function migrate(connection: Connection, from: number, migrations: readonly Migration[]): void {
  const left = migrations.filter((migration) => migration.version > from);
  if (left.length === 0) return;
  // A step that rebuilds a table would otherwise delete by cascade; it cannot be switched inside a transaction.
  connection.script('PRAGMA foreign_keys = off');
  try {
    for (const migration of left) step(connection, migration);
  } finally {
    connection.script('PRAGMA foreign_keys = on');
  }
}

function step(connection: Connection, migration: Migration): void {
  connection.script('BEGIN IMMEDIATE');
  try {
    migration.up(queryOf(connection));
    const broken = connection.all('PRAGMA foreign_key_check', []);
    if (broken.length > 0) {
      throw new StoreMisuse(
        `Migration ${migration.version} leaves broken references in ${String(broken[0]?.[0])}.`,
      );
    }
    connection.script(`PRAGMA user_version = ${migration.version}`);
    connection.script('COMMIT');
  } catch (error) {
    rollback(connection);
    throw error;
  }
}

function queryOf(connection: Connection): MigrationQuery {
  return {
    all: (sql, ...params) => connection.all(sql, params),
    get: (sql, ...params) => connection.get(sql, params),
    run: (sql, ...params) => connection.run(sql, params),
    script: (sql) => connection.script(sql),
  };
}

/**
 * Undoes the open transaction. False when the connection's state is not known afterwards; SQLite's own
 * undoing after a failed write, which leaves no transaction, counts as done.
 */
export function rollback(connection: Connection): boolean {
  try {
    connection.script('ROLLBACK');
    return true;
  } catch (error) {
    return error instanceof Error && error.message.includes('no transaction is active');
  }
}
