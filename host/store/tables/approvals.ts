import { z } from 'zod';
import { Offer, type ApprovalId, type CallId, type SessionId, type TurnId } from '../../../protocol';
import type { Tx } from '../../engine/ledger';
import type { ApprovalRecord } from '../../engine/records';
import type { Value } from '../database';
import {
  approvalId,
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
import { PreparedRow } from './calls';

const COLUMNS = `a.id, a.session, a.turn, a.call, a.parent, a.request, a.handle, a.state, c.prepared, a.folder, a.why,
  a.offers, a.asked_at, a.lapses_at, a.by, a.reason, a.answered_at, a.asked_again_at`;
const FROM = 'FROM approvals a JOIN calls c ON c.turn = a.turn AND c.call = a.call';
const State = z.enum(['open', 'allowed', 'denied', 'lapsed', 'withdrawn']);

type Change = Parameters<Tx['changeApproval']>[1];
const CHANGES: Columns<Change> = {
  state: { column: 'state', put: asText },
  request: { column: 'request', put: asInt },
  handle: { column: 'handle', put: asNumber },
  why: { column: 'why', put: asText },
  offers: { column: 'offers', put: asJson },
  by: { column: 'by', put: asText },
  reason: { column: 'reason', put: asText },
  answeredAt: { column: 'answered_at', put: asInt },
  askedAgainAt: { column: 'asked_again_at', put: asInt },
  lapsesAt: { column: 'lapses_at', put: asInt },
};

const approvalOf = (row: readonly Value[]): ApprovalRecord => ({
  id: approvalId(int(row[0])),
  session: sessionId(int(row[1])),
  turn: turnId(int(row[2])),
  call: callId(row[3]),
  parent: maybeCallId(row[4]),
  request: int(row[5]),
  handle: maybeHandleId(row[6]),
  state: oneOf(State, row[7]),
  prepared: json(PreparedRow, row[8]),
  folder: text(row[9]),
  why: text(row[10]),
  offers: json(z.array(Offer), row[11]),
  askedAt: int(row[12]),
  lapsesAt: maybeInt(row[13]),
  by: maybeText(row[14]),
  reason: maybeText(row[15]),
  answeredAt: maybeInt(row[16]),
  askedAgainAt: maybeInt(row[17]),
});

const one = (row: Value[] | undefined) => (row === undefined ? undefined : approvalOf(row));

/** Pinned by a test: all that wait, in the order in which they were first asked. */
export const OPEN = `SELECT ${COLUMNS}, a.place ${FROM} WHERE a.state = 'open' AND a.place > ? ORDER BY a.place LIMIT ?`;
/** Pinned by a test: one session's listing touches only its own rows (L14). */
export const OPEN_OF_SESSION = `SELECT ${COLUMNS}, a.place ${FROM}
  WHERE a.session = ? AND a.state = 'open' AND a.place > ? ORDER BY a.place LIMIT ?`;

/**
 * The next place in the list of needs, shared by approvals and questions, and never given twice: a client that pages
 * through the list goes on behind a place. Each request that gets one is told by an event of the same job, so no place
 * is beyond the newest event's number.
 */
export const NEXT_PLACE = `(SELECT 1 + max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0),
  coalesce((SELECT max(place) FROM approvals WHERE state = 'open'), 0),
  coalesce((SELECT max(place) FROM questions WHERE state = 'open'), 0)))`;

const ALL = 1_000_000;

export const approvalsTable = (db: Db) => ({
  approval: (id: ApprovalId) => one(db.q.get(`SELECT ${COLUMNS} ${FROM} WHERE a.id = ?`, number(id))),
  approvalOf: (turn: TurnId, call: CallId) =>
    one(db.q.get(`SELECT ${COLUMNS} ${FROM} WHERE a.turn = ? AND a.call = ?`, number(turn), call)),
  insertApproval(approval: Parameters<Tx['insertApproval']>[0]): ApprovalRecord {
    const { lastId } = db.q.run(
      `INSERT INTO approvals (session, turn, call, parent, request, state, folder, why, offers, asked_at, lapses_at, place)
       VALUES (?, ?, ?, ?, 1, 'open', ?, ?, ?, ?, ?, ${NEXT_PLACE})`,
      number(approval.session),
      number(approval.turn),
      approval.call,
      orNull(approval.parent),
      approval.folder,
      approval.why,
      JSON.stringify(approval.offers),
      db.now,
      orNull(approval.lapsesAt),
    );
    return {
      ...approval,
      id: approvalId(lastId),
      request: 1,
      handle: undefined,
      state: 'open',
      askedAt: db.now,
      askedAgainAt: undefined,
      by: undefined,
      reason: undefined,
      answeredAt: undefined,
    };
  },
  changeApproval(id: ApprovalId, change: Change): void {
    // One that is opened again has left the list: it comes back at its end, as a listener saw it.
    if (change.state === 'open')
      db.q.run(`UPDATE approvals SET place = ${NEXT_PLACE} WHERE id = ? AND state <> 'open'`, number(id));
    update(db, 'approvals', CHANGES, change, 'id = ?', number(id));
  },
  openApprovals: (session?: SessionId): readonly ApprovalRecord[] =>
    (session === undefined ? db.q.all(OPEN, 0, ALL) : db.q.all(OPEN_OF_SESSION, number(session), 0, ALL)).map(
      approvalOf,
    ),
  openApprovalsOfTurn: (turn: TurnId): readonly ApprovalRecord[] =>
    db.q
      .all(`SELECT ${COLUMNS} ${FROM} WHERE a.turn = ? AND a.state = 'open' ORDER BY a.place`, number(turn))
      .map(approvalOf),
  /** A page of what waits, with each one's place. */
  approvalPage: (session: SessionId | undefined, after: number, limit: number) =>
    (session === undefined
      ? db.q.all(OPEN, after, limit)
      : db.q.all(OPEN_OF_SESSION, number(session), after, limit)
    ).map((row) => ({ approval: approvalOf(row), place: int(row[18]) })),
});
