import { Agent, Mode, NOTHING_USED, Usage, type SessionId } from '../../../protocol';
import type { Tx } from '../../engine/ledger';
import type { SessionRecord } from '../../engine/records';
import type { Value } from '../database';
import {
  asFlag,
  asInt,
  asJson,
  asNumber,
  asText,
  int,
  json,
  maybeTurnId,
  number,
  numberOrNull,
  oneOf,
  sessionId,
  text,
  update,
  type Columns,
  type Db,
} from '../rows';

const COLUMNS =
  'id, title, folder, agent, mode, instructions, archived, turn, note, usage, created_at, updated_at';

type Change = Parameters<Tx['changeSession']>[1];
const CHANGES: Columns<Change> = {
  title: { column: 'title', put: asText },
  folder: { column: 'folder', put: asText },
  agent: { column: 'agent', put: asJson },
  mode: { column: 'mode', put: asText },
  instructions: { column: 'instructions', put: asText },
  archived: { column: 'archived', put: asFlag },
  turn: { column: 'turn', put: asNumber },
  note: { column: 'note', put: asText },
  usage: { column: 'usage', put: asJson },
  createdAt: { column: 'created_at', put: asInt },
  updatedAt: { column: 'updated_at', put: asInt },
};

export const sessionOf = (row: readonly Value[]): SessionRecord => ({
  id: sessionId(int(row[0])),
  title: text(row[1]),
  folder: text(row[2]),
  agent: json(Agent, row[3]),
  mode: oneOf(Mode, row[4]),
  instructions: text(row[5]),
  archived: row[6] === 1,
  turn: maybeTurnId(row[7]),
  note: text(row[8]),
  usage: json(Usage, row[9]),
  createdAt: int(row[10]),
  updatedAt: int(row[11]),
});

export const sessionsTable = (db: Db) => ({
  session(id: SessionId): SessionRecord | undefined {
    const row = db.q.get(`SELECT ${COLUMNS} FROM sessions WHERE id = ?`, number(id));
    return row === undefined ? undefined : sessionOf(row);
  },
  insertSession(session: Parameters<Tx['insertSession']>[0], begun?: SessionId): SessionRecord {
    if (begun !== undefined) db.q.run('DELETE FROM unlisted WHERE session = ?', number(begun));
    const { lastId } = db.q.run(
      `INSERT INTO sessions (id, title, folder, agent, mode, instructions, usage, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      numberOrNull(begun),
      session.title,
      session.folder,
      JSON.stringify(session.agent),
      session.mode,
      session.instructions,
      JSON.stringify(NOTHING_USED),
      session.createdAt,
      session.updatedAt,
    );
    return {
      ...session,
      id: sessionId(lastId),
      archived: false,
      turn: undefined,
      note: '',
      usage: NOTHING_USED,
    };
  },
  changeSession(id: SessionId, change: Change): void {
    update(db, 'sessions', CHANGES, change, 'id = ?', number(id));
  },
  /** Newest first; `before` is the id of the last one of the page before. */
  sessions(
    archived: boolean | undefined,
    before: number | undefined,
    limit: number,
  ): readonly SessionRecord[] {
    const rows = db.q.all(
      `SELECT ${COLUMNS} FROM sessions WHERE id < ? AND (? IS NULL OR archived = ?) ORDER BY id DESC LIMIT ?`,
      before ?? Number.MAX_SAFE_INTEGER,
      archived === undefined ? null : 1,
      archived === true ? 1 : 0,
      limit,
    );
    return rows.map(sessionOf);
  },
  sessionIds: (): readonly SessionId[] =>
    db.q.all('SELECT id FROM sessions ORDER BY id').map((row) => sessionId(int(row[0]))),
  idleWithWork(): readonly SessionId[] {
    const rows = db.q.all(
      `SELECT s.id FROM sessions s WHERE s.turn IS NULL AND (
         s.id IN (SELECT session FROM messages WHERE state = 'accepted') OR
         s.id IN (SELECT session FROM reports)) ORDER BY s.id`,
    );
    return rows.map((row) => sessionId(int(row[0])));
  },
});
