import { z } from 'zod';
import { Answer, type CallId, type QuestionId, type SessionId, type TurnId } from '../../../protocol';
import type { Tx } from '../../engine/ledger';
import type { QuestionRecord } from '../../engine/records';
import type { Value } from '../database';
import {
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
  maybeJson,
  maybeText,
  number,
  numberOrNull,
  oneOf,
  orNull,
  questionId,
  sessionId,
  text,
  turnId,
  update,
  type Columns,
  type Db,
} from '../rows';
import { NEXT_PLACE } from './approvals';

const COLUMNS =
  'id, session, turn, call, parent, handle, state, tool, title, args, asked_at, lapses_at, owner, answer, by, answered_at, person';
const State = z.enum(['open', 'answered', 'lapsed', 'withdrawn', 'unserved']);

type Change = Parameters<Tx['changeQuestion']>[1];
const CHANGES: Columns<Change> = {
  state: { column: 'state', put: asText },
  handle: { column: 'handle', put: asNumber },
  owner: { column: 'owner', put: asText },
  answer: { column: 'answer', put: asJson },
  by: { column: 'by', put: asText },
  answeredAt: { column: 'answered_at', put: asInt },
  lapsesAt: { column: 'lapses_at', put: asInt },
};

const questionOf = (row: readonly Value[]): QuestionRecord => ({
  id: questionId(int(row[0])),
  session: sessionId(int(row[1])),
  turn: turnId(int(row[2])),
  call: callId(row[3]),
  parent: maybeCallId(row[4]),
  handle: maybeHandleId(row[5]),
  state: oneOf(State, row[6]),
  tool: text(row[7]),
  title: text(row[8]),
  args: json(z.unknown(), row[9]),
  askedAt: int(row[10]),
  lapsesAt: maybeInt(row[11]),
  owner: maybeText(row[12]),
  answer: maybeJson(Answer, row[13]),
  by: maybeText(row[14]),
  answeredAt: maybeInt(row[15]),
  person: row[16] === 1,
});

const one = (row: Value[] | undefined) => (row === undefined ? undefined : questionOf(row));

/** Pinned by a test. */
export const OPEN_QUESTIONS = `SELECT ${COLUMNS}, place FROM questions WHERE state = 'open' AND place > ? ORDER BY place LIMIT ?`;
/** Those that a person answers. Pinned by a test. */
export const OPEN_FOR_PERSONS = `SELECT ${COLUMNS}, place FROM questions
  WHERE state = 'open' AND person = 1 AND place > ? ORDER BY place LIMIT ?`;
/** Pinned by a test. */
export const OPEN_QUESTIONS_OF_SESSION = `SELECT ${COLUMNS}, place FROM questions
  WHERE session = ? AND state = 'open' AND place > ? ORDER BY place LIMIT ?`;

const ALL = 1_000_000;

export const questionsTable = (db: Db) => ({
  question: (id: QuestionId) => one(db.q.get(`SELECT ${COLUMNS} FROM questions WHERE id = ?`, number(id))),
  questionOf: (turn: TurnId, call: CallId) =>
    one(db.q.get(`SELECT ${COLUMNS} FROM questions WHERE turn = ? AND call = ?`, number(turn), call)),
  insertQuestion(question: Parameters<Tx['insertQuestion']>[0]): QuestionRecord {
    const { lastId } = db.q.run(
      `INSERT INTO questions (session, turn, call, parent, handle, state, tool, title, args, asked_at, lapses_at, person, place)
       VALUES (?, ?, ?, ?, ?, 'open', ?, ?, ?, ?, ?, ?, ${NEXT_PLACE})`,
      number(question.session),
      number(question.turn),
      question.call,
      orNull(question.parent),
      numberOrNull(question.handle),
      question.tool,
      question.title,
      JSON.stringify(question.args),
      db.now,
      orNull(question.lapsesAt),
      question.person ? 1 : 0,
    );
    return {
      ...question,
      id: questionId(lastId),
      state: 'open',
      askedAt: db.now,
      owner: undefined,
      answer: undefined,
      by: undefined,
      answeredAt: undefined,
    };
  },
  changeQuestion(id: QuestionId, change: Change): void {
    update(db, 'questions', CHANGES, change, 'id = ?', number(id));
  },
  openQuestions: (session?: SessionId): readonly QuestionRecord[] =>
    (session === undefined
      ? db.q.all(OPEN_QUESTIONS, 0, ALL)
      : db.q.all(OPEN_QUESTIONS_OF_SESSION, number(session), 0, ALL)
    ).map(questionOf),
  questionPage: (session: SessionId | undefined, after: number, limit: number) =>
    (session === undefined
      ? db.q.all(OPEN_QUESTIONS, after, limit)
      : db.q.all(OPEN_QUESTIONS_OF_SESSION, number(session), after, limit)
    ).map((row) => ({ question: questionOf(row), place: int(row[17]) })),
  /** What waits for a person, over all sessions. */
  personPage: (after: number, limit: number) =>
    db.q
      .all(OPEN_FOR_PERSONS, after, limit)
      .map((row) => ({ question: questionOf(row), place: int(row[17]) })),
});
