/** Columns to values and back. What a row holds was written by this store; what does not fit is damage. */
import type { z } from 'zod';
import {
  ApprovalId,
  CallId,
  HandleId,
  MessageId,
  QuestionId,
  RuleId,
  SessionId,
  TurnId,
} from '../../protocol';
import type { Query } from './contract';
import type { Value } from './database';
import { UnfitRow, type StoreError } from './errors';

/** The query object of the job under way; set by the ledger for each job. */
export interface Db {
  q: Query;
  now: number;
}

/** A row that is not of our shape. */
export const unfit = (what: string): StoreError => new UnfitRow(what);

export function text(value: Value | undefined): string {
  if (typeof value !== 'string') throw unfit('a text is missing');
  return value;
}

export function int(value: Value | undefined): number {
  if (typeof value !== 'number') throw unfit('a number is missing');
  return value;
}

export const maybeText = (value: Value | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
export const maybeInt = (value: Value | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** A JSON column, checked against its schema. */
export function json<T extends z.ZodType>(schema: T, value: Value | undefined): z.output<T> {
  const parsed = schema.safeParse(dataOf(text(value)));
  if (!parsed.success) throw unfit(parsed.error.message);
  return parsed.data;
}

function dataOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw unfit(String(error));
  }
}

export const maybeJson = <T extends z.ZodType>(
  schema: T,
  value: Value | undefined,
): z.output<T> | undefined => (typeof value === 'string' ? json(schema, value) : undefined);

export function oneOf<T extends string>(schema: z.ZodType<T>, value: Value | undefined): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw unfit(parsed.error.message);
  return parsed.data;
}

/** The number inside an id such as `s12`, or 0, which no row has. */
export function number(id: string): number {
  const digits = id.replace(/^[a-z]+:?/, '');
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : 0;
}

export const sessionId = (n: number): SessionId => SessionId.parse(`s${String(n)}`);
export const messageId = (n: number): MessageId => MessageId.parse(`m${String(n)}`);
export const turnId = (n: number): TurnId => TurnId.parse(`t${String(n)}`);
export const approvalId = (n: number): ApprovalId => ApprovalId.parse(`a${String(n)}`);
export const questionId = (n: number): QuestionId => QuestionId.parse(`q${String(n)}`);
export const ruleId = (n: number): RuleId => RuleId.parse(`r${String(n)}`);
export const handleId = (n: number): HandleId => HandleId.parse(`proc:${String(n)}`);
export const callId = (value: Value | undefined): CallId => CallId.parse(text(value));
export const maybeCallId = (value: Value | undefined): CallId | undefined =>
  typeof value === 'string' ? CallId.parse(value) : undefined;
export const maybeTurnId = (value: Value | undefined): TurnId | undefined =>
  typeof value === 'number' ? turnId(value) : undefined;
export const maybeHandleId = (value: Value | undefined): HandleId | undefined =>
  typeof value === 'number' ? handleId(value) : undefined;

/** How each field of a change is written; the key of the map is the field. */
export type Columns<T> = {
  readonly [K in keyof Required<T>]: {
    readonly column: string;
    readonly put: (value: NonNullable<T[K]>) => Value;
  };
};

/** Runs `UPDATE table SET … WHERE where` for the fields that `change` names; an `undefined` clears. */
export function update<T extends object>(
  db: Db,
  table: string,
  columns: Columns<T>,
  change: T,
  where: string,
  ...params: Value[]
): void {
  const sets: string[] = [];
  const values: Value[] = [];
  for (const key in columns) {
    if (!(key in change)) continue;
    const value = change[key];
    const { column, put } = columns[key];
    sets.push(`${column} = ?`);
    values.push(value === undefined || value === null ? null : put(value));
  }
  if (sets.length > 0)
    db.q.run(`UPDATE ${table} SET ${sets.join(', ')} WHERE ${where}`, ...values, ...params);
}

export const asText = (value: string): Value => value;
export const asInt = (value: number): Value => value;
export const asFlag = (value: boolean): Value => (value ? 1 : 0);
export const asNumber = (id: string): Value => number(id);
export const asJson = (value: unknown): Value => JSON.stringify(value);
export const orNull = (value: string | number | undefined): Value => value ?? null;
export const numberOrNull = (id: string | undefined): Value => (id === undefined ? null : number(id));

/** A text for `LIKE … ESCAPE '\'` that means itself. */
export const likeText = (part: string): string => part.replace(/[\\%_]/g, '\\$&');
