import type { SessionId, TurnId } from '../../../protocol';
import type { Tx } from '../../engine/ledger';
import type { ChangeRecord } from '../../engine/records';
import type { Blobs } from '../blobs';
import type { Value } from '../database';
import { callId, int, number, orNull, text, turnId, type Db } from '../rows';

const COLUMNS = 'id, turn, call, path, before, after, at, unknown, removed';

/** Pinned by a test. */
export const OF_SESSION = `SELECT ${COLUMNS} FROM changes WHERE session = ? AND reverted = 0 ORDER BY id`;

const changeOf = (row: readonly Value[]): ChangeRecord => ({
  id: int(row[0]),
  turn: turnId(int(row[1])),
  call: callId(row[2]),
  path: text(row[3]),
  before: row[4] === null ? undefined : text(row[4]),
  isUnknown: int(row[7]) === 1,
  after: int(row[8]) === 1 ? undefined : text(row[5]),
  at: int(row[6]),
});

export const changesTable = (db: Db, blobs: Blobs) => {
  const put = (bytes: Uint8Array, session: SessionId, turn: TurnId): string => {
    const id = blobs.put(bytes);
    db.q.run(
      'INSERT OR IGNORE INTO blobs (id, session, turn) VALUES (?, ?, ?)',
      id,
      number(session),
      number(turn),
    );
    return id;
  };
  return {
    insertChange({
      session,
      turn,
      call,
      path,
      before,
      isUnknown,
      after,
      unkept,
    }: Parameters<Tx['insertChange']>[0]): void {
      db.q.run(
        'INSERT INTO changes (session, turn, call, path, before, after, at, unknown, removed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
        number(session),
        number(turn),
        call,
        path,
        orNull(before === undefined ? undefined : put(before, session, turn)),
        after === undefined ? (unkept ?? '') : put(after, session, turn),
        db.now,
        isUnknown === true ? 1 : 0,
        after === undefined && unkept === undefined ? 1 : 0,
      );
    },
    /** Oldest first, without those that were reverted. */
    changes: (session: SessionId): readonly ChangeRecord[] =>
      db.q.all(OF_SESSION, number(session)).map(changeOf),
    markReverted(ids: readonly number[]): void {
      for (const id of ids) db.q.run('UPDATE changes SET reverted = 1 WHERE id = ?', id);
    },
    /** A kept content; undefined when its file is gone. */
    content: (id: string): Uint8Array | undefined => blobs.get(id),
  };
};
