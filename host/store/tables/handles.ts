import { z } from 'zod';
import {
  HandleEnd,
  WaitsFor,
  type CallId,
  type HandleId,
  type SessionId,
  type TurnId,
} from '../../../protocol';
import type { Tx } from '../../engine/ledger';
import type { HandleRecord, Report } from '../../engine/records';
import type { Value } from '../database';
import { StoredImage, type Pictures } from './pictures';
import {
  asFlag,
  asInt,
  asJson,
  asText,
  callId,
  handleId,
  int,
  maybeInt,
  maybeJson,
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

const COLUMNS = `id, session, turn, call, kind, title, folder, lifted, state, waits_for, started_at, ended_at, end,
  exit_code, signal, ran, result, running_at`;
const Kind = z.enum(['command', 'terminal', 'script', 'call', 'question']);
const State = z.enum(['waiting', 'held', 'running', 'ended']);
const Result = z.object({
  output: z.record(z.string(), z.unknown()),
  images: z.array(StoredImage).optional(),
  failed: z.boolean(),
});

type Change = Parameters<Tx['changeHandle']>[1];
const CHANGES: Columns<Change> = {
  state: { column: 'state', put: asText },
  title: { column: 'title', put: asText },
  lifted: { column: 'lifted', put: asFlag },
  waitsFor: { column: 'waits_for', put: asText },
  endedAt: { column: 'ended_at', put: asInt },
  end: { column: 'end', put: asText },
  exitCode: { column: 'exit_code', put: asInt },
  signal: { column: 'signal', put: asText },
  ran: { column: 'ran', put: asFlag },
  runningAt: { column: 'running_at', put: asInt },
  result: { column: 'result', put: asJson },
};

const handleReader =
  (pictures: Pictures) =>
  (row: readonly Value[]): HandleRecord => {
    const result = maybeJson(Result, row[16]);
    return {
      id: handleId(int(row[0])),
      session: sessionId(int(row[1])),
      turn: turnId(int(row[2])),
      call: callId(row[3]),
      kind: oneOf(Kind, row[4]),
      title: text(row[5]),
      folder: text(row[6]),
      lifted: row[7] === 1,
      state: oneOf(State, row[8]),
      waitsFor: row[9] === null ? undefined : oneOf(WaitsFor, row[9]),
      startedAt: int(row[10]),
      endedAt: maybeInt(row[11]),
      end: row[12] === null ? undefined : oneOf(HandleEnd, row[12]),
      exitCode: maybeInt(row[13]),
      signal: maybeText(row[14]),
      ran: row[15] === 1,
      runningAt: maybeInt(row[17]),
      result:
        result === undefined
          ? undefined
          : {
              output: result.output,
              failed: result.failed,
              ...(result.images === undefined ? {} : { images: pictures.unstowed(result.images) }),
            },
    };
  };

/** Pinned by a test: handles that have not ended, by the partial index. */
export const BY_STATE = `SELECT ${COLUMNS} FROM handles WHERE state = ? AND ended_at IS NULL ORDER BY id`;

/** Pinned by a test: the newest that have ended, by their numbers. What they have given is not read: it may be long. */
export const NEWEST_ENDED = `SELECT ${COLUMNS.replace('result', 'NULL')} FROM handles
  WHERE id > 0 AND ended_at IS NOT NULL ORDER BY id DESC LIMIT ?`;

export const handlesTable = (db: Db, pictures: Pictures) => {
  const handleOf = handleReader(pictures);
  /** When a call was started: at this moment, where that is not written yet. */
  const startOf = (turn: TurnId, call: CallId): number =>
    maybeInt(db.q.get('SELECT started_at FROM calls WHERE turn = ? AND call = ?', number(turn), call)?.[0]) ??
    db.now;
  return {
    handle(id: HandleId): HandleRecord | undefined {
      const row = db.q.get(`SELECT ${COLUMNS} FROM handles WHERE id = ?`, number(id));
      return row === undefined ? undefined : handleOf(row);
    },
    insertHandle(handle: Parameters<Tx['insertHandle']>[0]): HandleRecord {
      const runningAt = handle.state === 'running' ? startOf(handle.turn, handle.call) : undefined;
      const { lastId } = db.q.run(
        `INSERT INTO handles (session, turn, call, kind, title, folder, lifted, state, waits_for, started_at, ran, running_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        number(handle.session),
        number(handle.turn),
        handle.call,
        handle.kind,
        handle.title,
        handle.folder,
        handle.lifted ? 1 : 0,
        handle.state,
        orNull(handle.waitsFor),
        db.now,
        handle.ran ? 1 : 0,
        orNull(runningAt),
      );
      return {
        ...handle,
        id: handleId(lastId),
        startedAt: db.now,
        runningAt,
        endedAt: undefined,
        end: undefined,
        exitCode: undefined,
        signal: undefined,
        result: undefined,
      };
    },
    changeHandle(id: HandleId, change: Change): void {
      const { result } = change;
      const owner = result?.images === undefined ? undefined : this.handle(id);
      const stowed =
        result?.images === undefined || owner === undefined
          ? change
          : {
              ...change,
              result: { ...result, images: pictures.stowed(result.images, owner.session, owner.turn) },
            };
      update(db, 'handles', CHANGES, stowed, 'id = ?', number(id));
    },
    handlesByState: (state: 'waiting' | 'held' | 'running'): readonly HandleRecord[] =>
      db.q.all(BY_STATE, state).map(handleOf),
    /** Newest first, without their results. */
    newestEnded: (limit: number): readonly HandleRecord[] => db.q.all(NEWEST_ENDED, limit).map(handleOf),
    /** Oldest first, above `after`. */
    handles: (
      session: SessionId | undefined,
      state: 'open' | 'ended' | undefined,
      after: number,
      limit: number,
    ): readonly HandleRecord[] => {
      const open =
        state === undefined ? '' : state === 'open' ? ' AND ended_at IS NULL' : ' AND ended_at IS NOT NULL';
      return session === undefined
        ? db.q
            .all(`SELECT ${COLUMNS} FROM handles WHERE id > ?${open} ORDER BY id LIMIT ?`, after, limit)
            .map(handleOf)
        : db.q
            .all(
              `SELECT ${COLUMNS} FROM handles WHERE session = ? AND id > ?${open} ORDER BY id LIMIT ?`,
              number(session),
              after,
              limit,
            )
            .map(handleOf);
    },
    addReport(report: Report): void {
      db.q.run(
        'INSERT INTO reports (session, turn, handle, text) VALUES (?, ?, ?, ?)',
        number(report.session),
        number(report.turn),
        number(report.handle),
        report.text,
      );
    },
    reports: (session: SessionId): readonly Report[] =>
      db.q
        .all('SELECT session, turn, handle, text FROM reports WHERE session = ? ORDER BY id', number(session))
        .map((row) => ({
          session: sessionId(int(row[0])),
          turn: turnId(int(row[1])),
          handle: handleId(int(row[2])),
          text: text(row[3]),
        })),
    clearReports(session: SessionId): void {
      db.q.run('DELETE FROM reports WHERE session = ?', number(session));
    },
  };
};
