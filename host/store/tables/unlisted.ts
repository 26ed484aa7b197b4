/** Sessions in no list: they are being written, or removed, in pieces. */
import { NOTHING_USED, type SessionId } from '../../../protocol';
import { int, number, sessionId, type Db } from '../rows';

/** Gone at once with a session, since lists read them. They have an index that begins with it; there are few rules. */
const AT_ONCE = ['messages', 'handles', 'reports', 'rules', 'stored', 'harnesses', 'project_instructions'];

/** Of a turn, with an index that begins with it. Small ones go with their turn. */
const OF_TURN = ['calls', 'approvals', 'questions', 'changes'];
const OF_TURN_WHOLE = ['waits', 'kept'];

/** Pinned by a test. */
export const UNLISTINGS = AT_ONCE.map((table) => `DELETE FROM ${table} WHERE session = ?`);
const EVENTS = 'DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE session = ? LIMIT ?)';
const TURN_ROWS = OF_TURN.map(
  (table) => `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE turn = ? LIMIT ?)`,
);
const TURN_WHOLE = OF_TURN_WHOLE.map((table) => `DELETE FROM ${table} WHERE turn = ?`);
const FIRST_TURN = 'SELECT id FROM turns WHERE session = ? ORDER BY id LIMIT 1';
const BLOBS = 'DELETE FROM blobs WHERE rowid IN (SELECT rowid FROM blobs WHERE session = ? LIMIT ?)';
/** Pinned by a test. */
export const REMOVALS = [EVENTS, ...TURN_ROWS, ...TURN_WHOLE, FIRST_TURN, BLOBS];

export const unlistedTable = (db: Db) => ({
  beginSession(): SessionId {
    // The number of a row that is taken back is never given again.
    const { lastId } = db.q.run(
      `INSERT INTO sessions (title, folder, agent, mode, instructions, usage, created_at, updated_at)
       VALUES ('', '', '', '', '', ?, 0, 0)`,
      JSON.stringify(NOTHING_USED),
    );
    db.q.run('DELETE FROM sessions WHERE id = ?', lastId);
    db.q.run('INSERT INTO unlisted (session) VALUES (?)', lastId);
    return sessionId(lastId);
  },
  unlistSession(id: SessionId): void {
    for (const sql of UNLISTINGS) db.q.run(sql, number(id));
    db.q.run('DELETE FROM sessions WHERE id = ?', number(id));
    db.q.run('INSERT INTO unlisted (session) VALUES (?)', number(id));
  },
  unlisted: (): readonly SessionId[] =>
    db.q.all('SELECT session FROM unlisted ORDER BY session').map((row) => sessionId(int(row[0]))),
  removePiece(id: SessionId, rows: number): boolean {
    let left = rows - db.q.run(EVENTS, number(id), rows).changes;
    while (left > 0) {
      const turn = db.q.get(FIRST_TURN, number(id))?.[0];
      if (turn === undefined) break;
      for (const sql of TURN_ROWS) left -= db.q.run(sql, turn, Math.max(left, 0)).changes;
      if (left <= 0) return false;
      for (const sql of TURN_WHOLE) left -= db.q.run(sql, turn).changes;
      left -= db.q.run('DELETE FROM turns WHERE id = ?', turn).changes;
    }
    if (left > 0) left -= db.q.run(BLOBS, number(id), left).changes;
    if (left <= 0) return false;
    db.q.run('DELETE FROM unlisted WHERE session = ?', number(id));
    return true;
  },
});
