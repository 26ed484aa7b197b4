/**
 * better-sqlite3, what our commits are measured against. It compiles for minutes where it has no binary, so it is
 * installed when this benchmark is first run, and nobody else has to wait for it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { outFolder } from '../vscode/paths';

const VERSION = '12.11.1';

export interface Statement {
  run(...values: readonly (string | number)[]): unknown;
  get(...values: readonly (string | number)[]): unknown;
  pluck(): Statement;
}

export interface Database {
  pragma(text: string): unknown;
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  transaction(work: () => void): () => void;
  close(): void;
}

export function openBetterSqlite(path: string): Database {
  const folder = join(outFolder, 'better-sqlite3');
  const entry = join(folder, 'node_modules', 'better-sqlite3', 'package.json');
  if (!existsSync(entry)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'package.json'),
      '{ "private": true, "allowScripts": { "better-sqlite3": true } }\n',
    );
    const ended = spawnSync('npm', ['install', '--no-audit', '--no-fund', `better-sqlite3@${VERSION}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (ended.status !== 0)
      throw new Error('better-sqlite3 could not be installed; it needs a C++ compiler.');
  }
  const Sqlite = createRequire(entry)('better-sqlite3') as new (path: string) => Database;
  return new Sqlite(path);
}
