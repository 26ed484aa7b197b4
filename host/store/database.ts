import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import initSqlJs from 'sql.js';
import type { Log } from '../base/log';
import type { DatabaseFiles } from './databaseFiles';
import { StoreMisuse, storeEngineUnfit } from './errors';
import { Native } from './native';
import { NodeFiles, SQL_WASM_SHA256 } from './nodeFiles';
import { Scratch, Statement, type Value } from './statement';
import { WasmMemory } from './wasmMemory';

export type { Value } from './statement';

/**
 * The database engine: sql.js on real files.
 *
 * Owns: the one engine of this thread (sql.js makes no second one) and, per connection, its statements.
 * Does not own: transactions and what a commit means (liveDatabase.ts).
 */

/** Statements kept ready per connection; the least recently prepared goes first. */
const MAX_STATEMENTS = 400;

type StatementKind = 'read' | 'insert' | 'write';

interface Prepared {
  readonly statement: Statement;
  readonly kind: StatementKind;
}

/** One open database. All calls are synchronous; they throw SqliteError for what SQLite refused. */
export class Connection {
  private readonly statements = new Map<string, Prepared>();
  private readonly scratch: Scratch;
  private closed = false;

  constructor(
    private readonly native: Native,
    private readonly database: number,
    readonly files: DatabaseFiles,
    private readonly onClose: () => void,
  ) {
    this.scratch = new Scratch(native);
  }

  /** Every row, as arrays in the order of the columns. */
  all(sql: string, params: readonly Value[]): Value[][] {
    return this.prepare(sql).statement.all(params);
  }

  /** The first row, or undefined. */
  get(sql: string, params: readonly Value[]): Value[] | undefined {
    return this.prepare(sql).statement.first(params);
  }

  /** Runs a statement that changes something. `lastId` is the row id of an insert, else 0. */
  run(sql: string, params: readonly Value[]): { changes: number; lastId: number } {
    const { statement, kind } = this.prepare(sql);
    statement.run(params);
    if (kind === 'read') return { changes: 0, lastId: 0 };
    const changes = this.native.changes(this.database);
    return { changes, lastId: kind === 'insert' ? this.number('SELECT last_insert_rowid()') : 0 };
  }

  /** Runs a statement of which nothing is asked, such as BEGIN. */
  execute(sql: string, ...params: Value[]): void {
    this.prepare(sql).statement.run(params);
  }

  /** Several statements, without parameters or results. */
  script(sql: string): void {
    this.native.script(this.database, sql);
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
    for (const { statement } of this.statements.values()) statement.free();
    this.statements.clear();
    this.scratch.free();
    try {
      this.native.close(this.database);
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
    const { handle, rest } = this.native.statement(this.database, sql);
    const statement = new Statement(this.native, this.database, handle, this.scratch);
    if (handle === 0 || rest.trim() !== '') {
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
    private readonly native: Native,
    private readonly nodeFiles: NodeFiles,
  ) {}

  /** Opens the database that `files` name. Throws SqliteError when it cannot be opened. */
  connect(files: DatabaseFiles): Connection {
    const name = this.nodeFiles.lend(files);
    try {
      return new Connection(this.native, this.native.open(name), files, () => this.nodeFiles.forget(name));
    } catch (error) {
      this.nodeFiles.forget(name);
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
    const memory = new WasmMemory();
    const nodeFiles = new NodeFiles(memory);
    const sql = await initSqlJs(configuration(module, nodeFiles, memory, log));
    const engine = new Engine(new Native(sql, memory), nodeFiles);
    check(engine);
    return engine;
  } catch (error) {
    throw storeEngineUnfit(error);
  }
}

function configuration(module: WebAssembly.Module, nodeFiles: NodeFiles, memory: WasmMemory, log: Log) {
  return {
    // The old functions would print a warning on first use; SQLite's own of the same names are there.
    useOldExtensionFunctions: false,
    print: (text: string) => log('info', `Database engine: ${text}`),
    printErr: (text: string) => log('warn', `Database engine: ${text}`),
    instantiateWasm(imports: unknown, done: (instance: WebAssembly.Instance) => void): undefined {
      nodeFiles.rebind(functionsOf(imports));
      WebAssembly.instantiate(module, imports).then(
        (instance) => {
          memory.attach(instance.exports);
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
