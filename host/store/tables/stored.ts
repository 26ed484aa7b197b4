/** Values that the scripts of a session keep from one to the next (S1). */
import { STORED_BYTES, type SessionId } from '../../../protocol';
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
    const gone = new Set(values.map(({ key }) => key));
    const kept = db.q
      .all('SELECT key, bytes FROM stored WHERE session = ?', number(session))
      .filter((row) => !gone.has(text(row[0])))
      .reduce((sum, row) => sum + int(row[1]), 0);
    const bytes = (json: string | undefined) => (json === undefined ? 0 : Buffer.byteLength(json));
    if (values.reduce((sum, { json }) => sum + bytes(json), kept) > STORED_BYTES) return false;
    for (const { key, json } of values) {
      if (json === undefined)
        db.q.run('DELETE FROM stored WHERE session = ? AND key = ?', number(session), key);
      else
        db.q.run(
          'INSERT OR REPLACE INTO stored (session, key, value, bytes) VALUES (?, ?, ?, ?)',
          number(session),
          key,
          json,
          bytes(json),
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
