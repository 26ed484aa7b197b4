import { z } from 'zod';
import {
  Mode,
  NOTHING_USED,
  TurnCode,
  TurnStatus,
  Usage,
  type SessionId,
  type TurnId,
} from '../../../protocol';
import type { Tx } from '../../engine/ledger';
import type { TurnRecord } from '../../engine/records';
import type { Value } from '../database';
import {
  asFlag,
  asInt,
  asJson,
  asText,
  int,
  json,
  maybeInt,
  maybeText,
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

const COLUMNS =
  'id, session, status, phase, code, detail, cause, model, mode, folder, rounds, lifting, usage, started_at, ended_at';
const Phase = z.enum(['model', 'calls', 'agent', 'ending']);
const Cause = z.enum(['message', 'continue', 'wake']);

type Change = Parameters<Tx['changeTurn']>[1];
const CHANGES: Columns<Change> = {
  status: { column: 'status', put: asText },
  phase: { column: 'phase', put: asText },
  mode: { column: 'mode', put: asText },
  code: { column: 'code', put: asText },
  detail: { column: 'detail', put: asText },
  rounds: { column: 'rounds', put: asInt },
  lifting: { column: 'lifting', put: asFlag },
  usage: { column: 'usage', put: asJson },
  endedAt: { column: 'ended_at', put: asInt },
};

const turnOf = (row: readonly Value[]): TurnRecord => ({
  id: turnId(int(row[0])),
  session: sessionId(int(row[1])),
  status: oneOf(TurnStatus, row[2]),
  phase: oneOf(Phase, row[3]),
  code: row[4] === null ? undefined : oneOf(TurnCode, row[4]),
  detail: maybeText(row[5]),
  cause: oneOf(Cause, row[6]),
  model: text(row[7]),
  mode: oneOf(Mode, row[8]),
  folder: text(row[9]),
  rounds: int(row[10]),
  lifting: row[11] === 1,
  usage: json(Usage, row[12]),
  startedAt: int(row[13]),
  endedAt: maybeInt(row[14]),
});

const one = (row: Value[] | undefined) => (row === undefined ? undefined : turnOf(row));

/** Pinned by a test: unfinished turns by the partial index. */
export const BY_STATUS = `SELECT ${COLUMNS} FROM turns WHERE status = ? AND ended_at IS NULL ORDER BY id`;
const BY_ID = `SELECT ${COLUMNS} FROM turns WHERE id = ?`;
/** Pinned by a test. */
export const COPY_OF = `SELECT ${COLUMNS} FROM turns WHERE session = ? AND origin = ?`;
/** Pinned by a test. */
export const LAST = `SELECT ${COLUMNS} FROM turns WHERE session = ? ORDER BY id DESC LIMIT 1`;

/** Pinned by a test. */
export const NEXT = 'SELECT id FROM turns WHERE session = ? AND id > ? ORDER BY id LIMIT 1';
/** Tables with an index that begins with the turn. */
const OF_TURN = ['events', 'calls', 'approvals', 'questions', 'waits', 'kept', 'changes'];

export const turnsTable = (db: Db) => ({
  turn: (id: TurnId) => one(db.q.get(BY_ID, number(id))),
  insertTurn(turn: Parameters<Tx['insertTurn']>[0]): TurnRecord {
    const { lastId } = db.q.run(
      `INSERT INTO turns (session, status, phase, cause, model, mode, folder, usage, started_at)
       VALUES (?, 'running', 'calls', ?, ?, ?, ?, ?, ?)`,
      number(turn.session),
      turn.cause,
      turn.model,
      turn.mode,
      turn.folder,
      JSON.stringify(NOTHING_USED),
      db.now,
    );
    return {
      ...turn,
      id: turnId(lastId),
      status: 'running',
      phase: 'calls',
      code: undefined,
      detail: undefined,
      rounds: 0,
      lifting: false,
      usage: NOTHING_USED,
      startedAt: db.now,
      endedAt: undefined,
    };
  },
  changeTurn(id: TurnId, change: Change): void {
    update(db, 'turns', CHANGES, change, 'id = ?', number(id));
  },
  turnsByStatus: (status: 'running' | 'waiting' | 'paced' | 'paused'): readonly TurnRecord[] =>
    db.q.all(BY_STATUS, status).map(turnOf),
  lastTurn: (session: SessionId) => one(db.q.get(LAST, number(session))),
  turnIds: (session: SessionId): readonly TurnId[] =>
    db.q
      .all('SELECT id FROM turns WHERE session = ? ORDER BY id', number(session))
      .map((row) => turnId(int(row[0]))),
  insertToldTurn(turn: Parameters<Tx['insertToldTurn']>[0]): TurnId {
    const { lastId } = db.q.run(
      `INSERT INTO turns (session, status, phase, code, detail, cause, model, mode, folder, rounds, usage, started_at, ended_at)
       VALUES (?, ?, 'ending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      number(turn.session),
      turn.status,
      orNull(turn.code),
      orNull(turn.detail),
      turn.cause,
      turn.model,
      turn.mode,
      turn.folder,
      turn.rounds,
      JSON.stringify(turn.usage),
      turn.startedAt,
      turn.endedAt,
    );
    return turnId(lastId);
  },
  turnAsTold(session: SessionId, id: TurnId): TurnRecord | undefined {
    const own = one(db.q.get(BY_ID, number(id)));
    return own?.session === session ? own : one(db.q.get(COPY_OF, number(session), number(id)));
  },
  /** The next turn of a session in order; the first one without `behind`. */
  turnAfter: (session: SessionId, behind: TurnId | undefined): TurnId | undefined => {
    const row = db.q.get(NEXT, number(session), behind === undefined ? 0 : number(behind));
    return row === undefined ? undefined : turnId(int(row[0]));
  },
  /** Newest first, below `before`. */
  turns: (session: SessionId, before: number | undefined, limit: number): readonly TurnRecord[] =>
    db.q
      .all(
        `SELECT ${COLUMNS} FROM turns WHERE session = ? AND id < ? ORDER BY id DESC LIMIT ?`,
        number(session),
        before ?? Number.MAX_SAFE_INTEGER,
        limit,
      )
      .map(turnOf),
  prunable: (session: SessionId, keep: number, most: number): readonly TurnId[] =>
    db.q
      .all(
        `SELECT id FROM turns t WHERE session = ? AND ended_at IS NOT NULL
           AND id <= coalesce((SELECT id FROM turns WHERE session = ? ORDER BY id DESC LIMIT 1 OFFSET ?), 0)
           AND NOT EXISTS (SELECT 1 FROM handles h WHERE h.session = t.session AND h.turn = t.id AND h.ended_at IS NULL)
           AND NOT EXISTS (SELECT 1 FROM reports r WHERE r.session = t.session AND r.turn = t.id)
         ORDER BY id LIMIT ?`,
        number(session),
        number(session),
        keep,
        most,
      )
      .map((row) => turnId(int(row[0]))),
  dropTurn(session: SessionId, turn: TurnId): void {
    for (const table of OF_TURN) db.q.run(`DELETE FROM ${table} WHERE turn = ?`, number(turn));
    db.q.run('DELETE FROM handles WHERE session = ? AND turn = ?', number(session), number(turn));
    db.q.run(
      "DELETE FROM messages WHERE session = ? AND turn = ? AND state <> 'accepted'",
      number(session),
      number(turn),
    );
    db.q.run('DELETE FROM blobs WHERE session = ? AND turn = ?', number(session), number(turn));
    db.q.run('DELETE FROM turns WHERE id = ?', number(turn));
  },
});
