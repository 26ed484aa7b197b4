import { z } from 'zod';
import { Preview, ResultCode, ToolOrigin, type CallId, type HandleId, type TurnId } from '../../../protocol';
import type { Tx } from '../../engine/ledger';
import type { ClientAnswered, Prepared } from '../../engine/ports';
import type { CallRecord } from '../../engine/records';
import type { Value } from '../database';
import {
  asFlag,
  asInt,
  asJson,
  asNumber,
  asText,
  callId,
  int,
  json,
  maybeCallId,
  maybeHandleId,
  maybeInt,
  number,
  oneOf,
  orNull,
  sessionId,
  text,
  turnId,
  update,
  type Columns,
  type Db,
} from '../rows';
import { ReadingRow } from './readingRow';

const COLUMNS =
  'turn, call, session, step, place, tool, title, status, asks, prepared, failed, handle, started_at, deadline, parent';
const Status = z.enum(['planned', 'asking', 'allowed', 'running', 'done']);
const Asks = z.enum(['approval', 'answer', 'handles']);

const Roots = z.array(z.string()).optional();

/** Each field has its place here, or this does not compile: what a row leaves out, the run would not have. */
export const PreparedRow = z.object({
  tool: z.string(),
  origin: ToolOrigin.optional(),
  class: z.enum(['read', 'read_outside', 'edit', 'edit_outside', 'edit_protected', 'command', 'own']),
  title: z.string(),
  args: z.unknown(),
  preview: Preview,
  print: z.string().optional(),
  subject: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('command'),
      command: z.string(),
      folder: z.string(),
      reading: ReadingRow.optional(),
      files: z.array(z.object({ name: z.string(), path: z.string(), inside: z.boolean() })).optional(),
    }),
    z.object({
      kind: z.literal('typed'),
      command: z.string(),
      folder: z.string(),
      reading: ReadingRow,
    }),
    z.object({ kind: z.literal('path'), path: z.string(), roots: Roots }),
    z.object({ kind: z.literal('paths'), paths: z.array(z.string()), roots: Roots }),
    z.object({ kind: z.literal('none') }),
  ]),
  tells: z.literal(true).optional(),
  liftable: z.boolean(),
  server: z.string().optional(),
  client: z
    .object({
      person: z.boolean(),
      delivered: z.boolean(),
      timeoutMs: z.number().optional(),
      secret: z.literal(true).optional(),
    } satisfies Record<keyof ClientAnswered, z.ZodType>)
    .optional(),
  opens: z.literal('terminal').optional(),
  editable: z.literal(true).optional(),
  editedFrom: z.string().optional(),
} satisfies Record<keyof Prepared, z.ZodType>);
const UnsoundRow = z.object({
  error: ResultCode.extract(['tool_unknown', 'tool_arguments_invalid']),
  detail: z.string(),
});
const CallPrepared = z.union([UnsoundRow, PreparedRow]);

type Change = Parameters<Tx['changeCall']>[2];
const CHANGES: Columns<Change> = {
  status: { column: 'status', put: asText },
  asks: { column: 'asks', put: asText },
  prepared: { column: 'prepared', put: asJson },
  title: { column: 'title', put: asText },
  failed: { column: 'failed', put: asFlag },
  handle: { column: 'handle', put: asNumber },
  startedAt: { column: 'started_at', put: asInt },
  deadline: { column: 'deadline', put: asInt },
};

const callOf = (row: readonly Value[]): CallRecord => ({
  turn: turnId(int(row[0])),
  call: callId(row[1]),
  session: sessionId(int(row[2])),
  step: int(row[3]),
  place: int(row[4]),
  tool: text(row[5]),
  title: text(row[6]),
  status: oneOf(Status, row[7]),
  asks: row[8] === null ? undefined : oneOf(Asks, row[8]),
  prepared: json(CallPrepared, row[9]),
  failed: row[10] === 1,
  handle: maybeHandleId(row[11]),
  startedAt: maybeInt(row[12]),
  deadline: maybeInt(row[13]),
  parent: maybeCallId(row[14]),
});

/** Pinned by a test: the calls of the newest answer. */
export const ROUND = `SELECT ${COLUMNS} FROM calls
  WHERE turn = ? AND step = (SELECT rounds FROM turns WHERE id = ?) AND parent IS NULL ORDER BY place`;

/** Pinned by a test: steps of a call that have no result yet. */
export const OPEN_STEPS = `SELECT ${COLUMNS} FROM calls
  WHERE turn = ? AND parent = ? AND parent IS NOT NULL AND status <> 'done' ORDER BY place`;
/** Pinned by a test: calls without a result. */
export const OPEN_CALLS = `SELECT ${COLUMNS} FROM calls
  WHERE turn = ? AND status <> 'done' AND parent IS NULL ORDER BY step, place`;

export const callsTable = (db: Db) => ({
  round: (turn: TurnId): readonly CallRecord[] => db.q.all(ROUND, number(turn), number(turn)).map(callOf),
  openCalls: (turn: TurnId): readonly CallRecord[] => db.q.all(OPEN_CALLS, number(turn)).map(callOf),
  callCount: (turn: TurnId): number =>
    int(db.q.get('SELECT count(*) FROM calls WHERE turn = ? AND parent IS NULL', number(turn))?.[0]),
  call(turn: TurnId, call: CallId): CallRecord | undefined {
    const row = db.q.get(`SELECT ${COLUMNS} FROM calls WHERE turn = ? AND call = ?`, number(turn), call);
    return row === undefined ? undefined : callOf(row);
  },
  insertCall(call: Parameters<Tx['insertCall']>[0]): void {
    db.q.run(
      `INSERT INTO calls (turn, call, session, parent, step, place, tool, title, status, asks, prepared)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      number(call.turn),
      call.call,
      number(call.session),
      orNull(call.parent),
      call.step,
      call.place,
      call.tool,
      call.title,
      call.status,
      call.asks ?? null,
      JSON.stringify(call.prepared),
    );
  },
  changeCall(turn: TurnId, call: CallId, change: Change): void {
    update(db, 'calls', CHANGES, change, 'turn = ? AND call = ?', number(turn), call);
  },
  /** Steps of a call, in the order in which they were made. */
  steps: (turn: TurnId, parent: CallId): readonly CallRecord[] =>
    db.q
      .all(`SELECT ${COLUMNS} FROM calls WHERE turn = ? AND parent = ? ORDER BY place`, number(turn), parent)
      .map(callOf),
  openSteps: (turn: TurnId, parent: CallId): readonly CallRecord[] =>
    db.q.all(OPEN_STEPS, number(turn), parent).map(callOf),
  waitersOf: (handle: HandleId): readonly CallRecord[] =>
    db.q
      .all(
        `SELECT ${COLUMNS} FROM calls WHERE (turn, call) IN (SELECT turn, call FROM waits WHERE handle = ?)`,
        number(handle),
      )
      .map(callOf),
  setWait(turn: TurnId, call: CallId, handles: readonly HandleId[]): void {
    for (const handle of handles)
      db.q.run(
        'INSERT OR IGNORE INTO waits (handle, turn, call) VALUES (?, ?, ?)',
        number(handle),
        number(turn),
        call,
      );
  },
  clearWait(turn: TurnId, call: CallId): void {
    db.q.run('DELETE FROM waits WHERE turn = ? AND call = ?', number(turn), call);
  },
  waitsWithDeadline: (): readonly CallRecord[] =>
    db.q.all(`SELECT ${COLUMNS} FROM calls WHERE asks = 'handles' AND deadline IS NOT NULL`).map(callOf),
});
