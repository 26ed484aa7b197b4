/** Values that the scripts of a session keep from one to the next (S1). */
import { STORED_BYTES, STORED_KEYS, type SessionId } from '../../../protocol';
import type { Tx } from '../../engine/ledger';
import { int, number, text, type Db } from '../rows';

export const storedTable = (db: Db) => ({
  storedValues: (session: SessionId): Readonly<Record<string, string>> =>
    Object.fromEntries(
      db.q
        .all('SELECT key, value FROM stored WHERE session = ? ORDER BY key', number(session))
        .map((row) => [text(row[0]), text(row[1])]),
    ),
  storeValues(session: SessionId, values: Parameters<Tx['storeValues']>[1]): boolean {
    const all = new Map(
      db.q
        .all('SELECT key, bytes FROM stored WHERE session = ?', number(session))
        .map((row) => [text(row[0]), int(row[1])]),
    );
    for (const { key, json } of values) {
      if (json === undefined) all.delete(key);
      else all.set(key, Buffer.byteLength(json));
    }
    const bytes = [...all].reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + value, 0);
    const isMore = values.some(({ json }) => json !== undefined);
    if (isMore && (bytes > STORED_BYTES || all.size > STORED_KEYS)) return false;
    for (const { key, json } of values) {
      if (json === undefined)
        db.q.run('DELETE FROM stored WHERE session = ? AND key = ?', number(session), key);
      else
        db.q.run(
          'INSERT OR REPLACE INTO stored (session, key, value, bytes) VALUES (?, ?, ?, ?)',
          number(session),
          key,
          json,
          Buffer.byteLength(json),
        );
    }
    return true;
  },
  copyValues(from: SessionId, into: SessionId): void {
    db.q.run(
      'INSERT INTO stored (session, key, value, bytes) SELECT ?, key, value, bytes FROM stored WHERE session = ?',
      number(into),
      number(from),
    );
  },
});
