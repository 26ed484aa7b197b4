import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import initSqlJs, { type Database, type SqlJsStatic, type Statement } from 'sql.js';
import type { Log } from '../base/log';
import type { DatabaseFiles } from './databaseFiles';
import { StoreMisuse, storeEngineUnfit } from './errors';
import { NodeFiles, SQL_WASM_SHA256 } from './nodeFiles';

/**
 * The database engine: sql.js on real files. The only file that knows sql.js, with nodeFiles.ts.
 *
 * Owns: the one engine of this thread (sql.js makes no second one) and, per connection, its statements.
 * Does not own: transactions and what a commit means (commitLog.ts).
 */

/** What a column holds. Integers are exact up to 2^53. */
export type Value = string | number | null | Uint8Array;

/** Statements kept ready per connection; the least recently prepared goes first. */
const MAX_STATEMENTS = 400;

type StatementKind = 'read' | 'insert' | 'write';

interface Prepared {
  readonly statement: Statement;
  readonly kind: StatementKind;
}

/** One open database. All calls are synchronous; errors of SQLite go up as sql.js throws them. */
export class Connection {
  private readonly statements = new Map<string, Prepared>();
  private closed = false;

  constructor(
    private readonly database: Database,
    readonly files: DatabaseFiles,
    private readonly onClose: () => void,
  ) {}

  /** Every row, as arrays in the order of the columns. */
  all(sql: string, params: readonly Value[]): Value[][] {
    const { statement } = this.prepare(sql);
    const rows: Value[][] = [];
    try {
      statement.bind([...params]);
      while (statement.step()) rows.push(statement.get());
    } finally {
      statement.reset();
    }
    return rows;
  }

  /** The first row, or undefined. */
  get(sql: string, params: readonly Value[]): Value[] | undefined {
    const { statement } = this.prepare(sql);
    try {
      statement.bind([...params]);
      return statement.step() ? statement.get() : undefined;
    } finally {
      statement.reset();
    }
  }

  /** Runs a statement that changes something. `lastId` is the row id of an insert, else 0. */
  run(sql: string, params: readonly Value[]): { changes: number; lastId: number } {
    const { statement, kind } = this.prepare(sql);
    try {
      statement.bind([...params]);
      statement.step();
    } finally {
      statement.reset();
    }
    if (kind === 'read') return { changes: 0, lastId: 0 };
    const changes = this.database.getRowsModified();
    return { changes, lastId: kind === 'insert' ? this.number('SELECT last_insert_rowid()') : 0 };
  }

  /** Several statements, without parameters or results. */
  script(sql: string): void {
    this.database.exec(sql);
  }

  /** The one number that a statement gives; 0 when it gives none. */
  number(sql: string, ...params: Value[]): number {
    const value = this.get(sql, params)?.[0];
    return typeof value === 'number' ? value : 0;
  }

  /** Whether a statement reads only. Prepares it. */
  reads(sql: string): boolean {
    return this.prepare(sql).kind === 'read';
  }

  /** Checkpoints, removes the WAL and closes. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.statements.clear();
    try {
      this.database.close();
    } finally {
      this.onClose();
    }
  }

  /** Closes without a write: what is on the disk stays as it is. */
  abandon(): void {
    this.files.freeze();
    this.close();
  }

  private prepare(sql: string): Prepared {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(sql);
    // sql.js drops what follows the first statement without a word.
    if (sql.trim().replace(/;$/, '').length > statement.getSQL().trim().replace(/;$/, '').length) {
      statement.free();
      throw new StoreMisuse(`One statement at a time: ${sql}`);
    }
    if (this.statements.size >= MAX_STATEMENTS) this.dropOldest();
    const prepared: Prepared = { statement, kind: kindOf(sql) };
    this.statements.set(sql, prepared);
    return prepared;
  }

  private dropOldest(): void {
    for (const [sql, { statement }] of this.statements) {
      statement.free();
      this.statements.delete(sql);
      return;
    }
  }
}

function kindOf(sql: string): StatementKind {
  const word = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? '';
  if (word === 'insert' || word === 'replace') return 'insert';
  if (word === 'select' || word === 'values' || word === 'explain' || word === 'pragma') return 'read';
  if (word === 'with' && !/\b(insert|update|delete|replace)\b/i.test(sql)) return 'read';
  return 'write';
}

export class Engine {
  constructor(
    private readonly sql: SqlJsStatic,
    private readonly nodeFiles: NodeFiles,
  ) {}

  /** Opens the database that `files` name. Throws sql.js's error when it cannot be opened. */
  connect(files: DatabaseFiles): Connection {
    this.nodeFiles.expect(files);
    try {
      return new Connection(new this.sql.Database(), files, () => this.nodeFiles.forget(files));
    } catch (error) {
      this.nodeFiles.forget(files);
      throw error;
    }
  }
}

let loading: Promise<Engine> | undefined;

/**
 * The engine of this thread, loaded and checked once. `wasm` is the path of `sql-wasm.wasm`; later calls
 * may name another path of the same file. Throws `store_io` when the file is not the pinned one, or when
 * `check` fails.
 */
export function loadEngine(wasm: string, log: Log, check: (engine: Engine) => void): Promise<Engine> {
  loading ??= load(wasm, log, check).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(wasm: string, log: Log, check: (engine: Engine) => void): Promise<Engine> {
  try {
    const bytes = await readFile(wasm);
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (hash !== SQL_WASM_SHA256) throw new Error(`sql-wasm.wasm has the hash ${hash}.`);
    const module = await WebAssembly.compile(bytes);
    const nodeFiles = new NodeFiles();
    const engine = new Engine(await initSqlJs(configuration(module, nodeFiles, log)), nodeFiles);
    check(engine);
    return engine;
  } catch (error) {
    throw storeEngineUnfit(error);
  }
}

function configuration(module: WebAssembly.Module, nodeFiles: NodeFiles, log: Log) {
  return {
    // The old functions would print a warning on first use; SQLite's own of the same names are there.
    useOldExtensionFunctions: false,
    print: (text: string) => log('info', `Database engine: ${text}`),
    printErr: (text: string) => log('warn', `Database engine: ${text}`),
    instantiateWasm(imports: unknown, done: (instance: WebAssembly.Instance) => void): undefined {
      nodeFiles.rebind(functionsOf(imports));
      WebAssembly.instantiate(module, imports).then(
        (instance) => {
          nodeFiles.attach(instance.exports);
          done(instance);
        },
        (error: unknown) => log('error', `The database engine could not start: ${String(error)}`),
      );
      return undefined;
    },
  };
}

function functionsOf(imports: unknown): Record<string, unknown> {
  if (isRecord(imports) && isRecord(imports.a)) return imports.a;
  throw new Error('The database engine asks for other imports than expected.');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
