import type { WasmMemory } from './wasmMemory';

/** Result codes of SQLite (https://sqlite.org/rescode.html). */
export const SQLITE_OK = 0;
export const SQLITE_ROW = 100;
export const SQLITE_DONE = 101;

const NAMES: Readonly<Record<number, string>> = {
  1: 'SQLITE_ERROR',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  9: 'SQLITE_INTERRUPT',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH',
  25: 'SQLITE_RANGE',
  26: 'SQLITE_NOTADB',
};

/** What SQLite refused. `code` is the name of its primary result code, `extended` the whole number. */
export class SqliteError extends Error {
  readonly code: string;
  constructor(
    message: string,
    readonly extended: number,
  ) {
    super(message);
    this.name = 'SqliteError';
    this.code = NAMES[extended & 0xff] ?? `SQLITE_${extended & 0xff}`;
  }
}

type Call = (...args: (number | bigint)[]) => number;

/**
 * SQLite's C interface, as sql.js exports it. Used directly rather than through sql.js's own classes, which
 * copy texts character by character and prepare anew for each parameterised `run`.
 *
 * Pointers are plain numbers; who gets one frees it.
 */
export class Native {
  readonly malloc: Call;
  readonly free: Call;
  readonly prepare: Call;
  readonly bindText: Call;
  readonly bindBlob: Call;
  readonly bindDouble: Call;
  readonly bindInt: Call;
  readonly bindInt64: Call;
  readonly step: Call;
  readonly dataCount: Call;
  readonly columnType: Call;
  readonly columnDouble: Call;
  readonly columnText: Call;
  readonly columnBlob: Call;
  readonly columnBytes: Call;
  readonly reset: Call;
  readonly clearBindings: Call;
  readonly finalize: Call;
  readonly changes: Call;
  private readonly openCall: Call;
  private readonly closeCall: Call;
  private readonly exec: Call;
  private readonly errmsg: Call;
  private readonly extendedErrcode: Call;
  /** Where calls put a pointer that they return. */
  private readonly slot: number;

  constructor(
    module: unknown,
    readonly memory: WasmMemory,
  ) {
    const call = (name: string): Call => callOf(module, name);
    this.malloc = call('_malloc');
    this.free = call('_free');
    this.prepare = call('_sqlite3_prepare_v2');
    this.bindText = call('_sqlite3_bind_text');
    this.bindBlob = call('_sqlite3_bind_blob');
    this.bindDouble = call('_sqlite3_bind_double');
    this.bindInt = call('_sqlite3_bind_int');
    this.bindInt64 = call('_sqlite3_bind_int64');
    this.step = call('_sqlite3_step');
    this.dataCount = call('_sqlite3_data_count');
    this.columnType = call('_sqlite3_column_type');
    this.columnDouble = call('_sqlite3_column_double');
    this.columnText = call('_sqlite3_column_text');
    this.columnBlob = call('_sqlite3_column_blob');
    this.columnBytes = call('_sqlite3_column_bytes');
    this.reset = call('_sqlite3_reset');
    this.clearBindings = call('_sqlite3_clear_bindings');
    this.finalize = call('_sqlite3_finalize');
    this.changes = call('_sqlite3_changes');
    this.openCall = call('_sqlite3_open');
    this.closeCall = call('_sqlite3_close_v2');
    this.exec = call('_sqlite3_exec');
    this.errmsg = call('_sqlite3_errmsg');
    this.extendedErrcode = call('_sqlite3_extended_errcode');
    this.slot = this.allocate(8);
  }

  /** Throws when the engine has no more memory. */
  allocate(bytes: number): number {
    const pointer = this.malloc(bytes);
    if (pointer === 0) throw new SqliteError('The database engine is out of memory.', 7);
    return pointer;
  }

  open(path: string): number {
    const database = this.withText(path, (pointer) => {
      const code = this.openCall(pointer, this.slot);
      return { code, handle: this.memory.view.getUint32(this.slot, true) };
    });
    if (database.code === SQLITE_OK) return database.handle;
    const error = this.error(database.handle, database.code);
    this.closeCall(database.handle);
    throw error;
  }

  close(database: number): void {
    this.check(database, this.closeCall(database));
  }

  /** Several statements without parameters or results. */
  script(database: number, sql: string): void {
    this.check(
      database,
      this.withText(sql, (pointer) => this.exec(database, pointer, 0, 0, 0)),
    );
  }

  /** The statement of `sql`, and what follows it in the text. */
  statement(database: number, sql: string): { readonly handle: number; readonly rest: string } {
    return this.withText(sql, (pointer) => {
      this.check(database, this.prepare(database, pointer, -1, this.slot, this.slot + 4));
      const handle = this.memory.view.getUint32(this.slot, true);
      return { handle, rest: this.memory.text(this.memory.view.getUint32(this.slot + 4, true)) };
    });
  }

  check(database: number, code: number): void {
    if (code !== SQLITE_OK) throw this.error(database, code);
  }

  error(database: number, code: number): SqliteError {
    const extended = this.extendedErrcode(database);
    const message = this.memory.text(this.errmsg(database));
    return new SqliteError(message, (extended & 0xff) === (code & 0xff) ? extended : code);
  }

  private withText<T>(text: string, use: (pointer: number) => T): T {
    const pointer = this.allocate(3 * text.length + 1);
    try {
      const length = this.memory.putText(text, pointer);
      this.memory.bytes[pointer + length] = 0;
      return use(pointer);
    } finally {
      this.free(pointer);
    }
  }
}

function callOf(module: unknown, name: string): Call {
  const value: unknown =
    typeof module === 'object' && module !== null ? Reflect.get(module, name) : undefined;
  if (!isCall(value)) throw new Error(`The database engine has no ${name}.`);
  return value;
}

function isCall(value: unknown): value is Call {
  return typeof value === 'function';
}
