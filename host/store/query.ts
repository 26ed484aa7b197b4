import type { Query } from './contract';
import type { Connection, Value } from './database';
import { fromSqliteError, type StoreError, StoreMisuse } from './errors';

/**
 * The statements of one job. After a failure of the disk every further statement fails with the same error:
 * SQLite may have undone the transaction by itself, and a job that caught the error must not go on outside it.
 */
export class JobQuery implements Query {
  /** Whether a changing statement ran. */
  wrote = false;
  private failure: StoreError | undefined;
  private over = false;

  constructor(private readonly connection: Connection) {}

  all(sql: string, ...params: Value[]): Value[][] {
    return this.guard(sql, () => this.connection.all(sql, params));
  }

  get(sql: string, ...params: Value[]): Value[] | undefined {
    return this.guard(sql, () => this.connection.get(sql, params));
  }

  run(sql: string, ...params: Value[]): { changes: number; lastId: number } {
    return this.guard(sql, () => this.connection.run(sql, params));
  }

  /** Throws the failure that the job may have swallowed. */
  rethrow(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  /** Closes the query to later use. */
  end(): void {
    this.over = true;
  }

  private guard<T>(sql: string, run: () => T): T {
    if (this.over) throw new StoreMisuse('A query was used after its job.');
    if (this.failure !== undefined) throw this.failure;
    try {
      if (!this.connection.reads(sql)) this.wrote = true;
      return run();
    } catch (error) {
      const failure = fromSqliteError(error, this.connection.files.lastError);
      this.failure = failure;
      throw failure ?? error;
    }
  }
}

/** The statements of one read. */
export class ReadQuery implements Query {
  private over = false;

  constructor(private readonly connection: Connection) {}

  all(sql: string, ...params: Value[]): Value[][] {
    this.admit(sql);
    return this.connection.all(sql, params);
  }

  get(sql: string, ...params: Value[]): Value[] | undefined {
    this.admit(sql);
    return this.connection.get(sql, params);
  }

  run(sql: string): never {
    throw new StoreMisuse(`A read changes nothing: ${sql}`);
  }

  end(): void {
    this.over = true;
  }

  private admit(sql: string): void {
    if (this.over) throw new StoreMisuse('A query was used after its read.');
    if (!this.connection.reads(sql)) throw new StoreMisuse(`A read changes nothing: ${sql}`);
  }
}

/** Runs `query` on `connection`. Throws StoreError for what the disk or the file refused. */
export function readWith<T>(connection: Connection, query: (q: Query) => T): T {
  const q = new ReadQuery(connection);
  connection.files.lastError = undefined;
  try {
    return query(q);
  } catch (error) {
    throw fromSqliteError(error, connection.files.lastError) ?? error;
  } finally {
    q.end();
  }
}
