import { StoreMisuse } from './errors';
import { type Native, SQLITE_DONE, SQLITE_ROW } from './native';

/** What a column holds. Integers are exact up to 2^53. */
export type Value = string | number | null | Uint8Array;

const TYPE_TEXT = 3;
const TYPE_BLOB = 4;
const TYPE_NULL = 5;
/** The bound memory stays as it is until the statement is reset (SQLITE_STATIC). */
const STATIC = 0;
/** Room for parameters that is kept; what needs more gets it for the one use. */
const SCRATCH_BYTES = 64 * 1024;

/** Memory for the texts and bytes that a statement is given, used by one statement at a time. */
export class Scratch {
  private readonly kept: number;

  constructor(private readonly native: Native) {
    this.kept = native.allocate(SCRATCH_BYTES);
  }

  /** Runs `use` with room for `bytes` bytes. */
  with<T>(bytes: number, use: (pointer: number) => T): T {
    if (bytes <= SCRATCH_BYTES) return use(this.kept);
    const pointer = this.native.allocate(bytes);
    try {
      return use(pointer);
    } finally {
      this.native.free(pointer);
    }
  }

  free(): void {
    this.native.free(this.kept);
  }
}

/** One prepared statement. Reset and unbound after every use, so that it holds no read open. */
export class Statement {
  constructor(
    private readonly native: Native,
    private readonly database: number,
    private readonly handle: number,
    private readonly scratch: Scratch,
  ) {}

  /** Every row. */
  all(params: readonly Value[]): Value[][] {
    const rows: Value[][] = [];
    this.use(params, () => {
      while (this.step()) rows.push(this.row());
    });
    return rows;
  }

  /** The first row. */
  first(params: readonly Value[]): Value[] | undefined {
    return this.use(params, () => (this.step() ? this.row() : undefined));
  }

  /** Runs to the end, without a look at the rows. */
  run(params: readonly Value[]): void {
    this.use(params, () => {
      while (this.step());
    });
  }

  free(): void {
    this.native.finalize(this.handle);
  }

  private use<T>(params: readonly Value[], body: () => T): T {
    return this.scratch.with(roomFor(params), (pointer) => {
      try {
        this.bind(params, pointer);
        return body();
      } finally {
        this.native.reset(this.handle);
        this.native.clearBindings(this.handle);
      }
    });
  }

  private step(): boolean {
    const code = this.native.step(this.handle);
    if (code === SQLITE_ROW) return true;
    if (code === SQLITE_DONE) return false;
    throw this.native.error(this.database, code);
  }

  private bind(params: readonly Value[], scratch: number): void {
    let pointer = scratch;
    for (let index = 0; index < params.length; index += 1) {
      const value = params[index] ?? null;
      if (typeof value === 'string') {
        const length = this.native.memory.putText(value, pointer);
        this.check(this.native.bindText(this.handle, index + 1, pointer, length, STATIC));
        pointer += length;
      } else if (typeof value === 'number') {
        this.check(this.bindNumber(index + 1, value));
      } else if (value !== null) {
        this.native.memory.bytes.set(value, pointer);
        this.check(this.native.bindBlob(this.handle, index + 1, pointer, value.byteLength, STATIC));
        pointer += value.byteLength;
      }
    }
  }

  private bindNumber(index: number, value: number): number {
    if ((value | 0) === value) return this.native.bindInt(this.handle, index, value);
    if (Number.isSafeInteger(value)) return this.native.bindInt64(this.handle, index, BigInt(value));
    if (Number.isNaN(value)) throw new StoreMisuse('NaN is no value of a column.');
    return this.native.bindDouble(this.handle, index, value);
  }

  private row(): Value[] {
    const count = this.native.dataCount(this.handle);
    const row: Value[] = [];
    for (let index = 0; index < count; index += 1) row.push(this.column(index));
    return row;
  }

  private column(index: number): Value {
    const { native, handle } = this;
    switch (native.columnType(handle, index)) {
      case TYPE_NULL:
        return null;
      case TYPE_TEXT: {
        const pointer = native.columnText(handle, index);
        return native.memory.textOf(pointer, native.columnBytes(handle, index));
      }
      case TYPE_BLOB: {
        const pointer = native.columnBlob(handle, index);
        return native.memory.copyOf(pointer, native.columnBytes(handle, index));
      }
      default:
        return native.columnDouble(handle, index);
    }
  }

  private check(code: number): void {
    this.native.check(this.database, code);
  }
}

/** Enough for what these parameters hold, three bytes per UTF-16 unit, and never nothing. */
function roomFor(params: readonly Value[]): number {
  let bytes = 1;
  for (const value of params) {
    if (typeof value === 'string') bytes += 3 * value.length;
    else if (value instanceof Uint8Array) bytes += value.byteLength;
  }
  return bytes;
}
