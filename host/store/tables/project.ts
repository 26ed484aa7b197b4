import type { SessionId } from '../../../protocol';
import type { ProjectRecord } from '../../engine/records';
import { int, maybeInt, maybeText, number, text, turnId, type Db } from '../rows';

/** What a session's model is told of its folder's own instructions. */
export const projectTable = (db: Db) => ({
  projectInstructions(session: SessionId): ProjectRecord | undefined {
    const row = db.q.get(
      'SELECT turn, path, text, whole, why FROM project_instructions WHERE session = ?',
      number(session),
    );
    if (row === undefined) return undefined;
    return {
      turn: turnId(int(row[0])),
      path: text(row[1]),
      text: text(row[2]),
      of: maybeInt(row[3]),
      why: maybeText(row[4]),
    };
  },
  setProjectInstructions(session: SessionId, record: ProjectRecord | undefined): void {
    db.q.run('DELETE FROM project_instructions WHERE session = ?', number(session));
    if (record === undefined) return;
    db.q.run(
      'INSERT INTO project_instructions (session, turn, path, text, whole, why) VALUES (?, ?, ?, ?, ?, ?)',
      number(session),
      number(record.turn),
      record.path,
      record.text,
      record.of ?? null,
      record.why ?? null,
    );
  },
});
