/**
 * Copies of what was told, into another session.
 *
 * Invariant: a copied event has a number below 0, in a block of its session's own, so that it comes before all that
 * happens there, and the numbers of what is published have no gap.
 */
import { TOLD, type BelayEvent, type SessionId, type ToldEvent, type TurnId } from '../../../protocol';
import type { Tx } from '../../engine/ledger';
import type { Pictures } from './pictures';
import { int, number, turnId, type Db } from '../rows';
import { eventOf } from './events';

/** Events that one session may have copied: its file is far shorter. With it, two million sessions have their block. */
const BLOCK = 2 ** 32;

/** Pinned by a test. */
export const COPY_BLOBS = `INSERT OR IGNORE INTO blobs (id, session, turn)
  SELECT id, ?, ? FROM blobs WHERE session = (SELECT session FROM turns WHERE id = ?) AND turn = ?`;
/** Pinned by a test. */
export const LAST_COPIED = 'SELECT seq FROM events WHERE session = ? AND seq < 0 ORDER BY seq DESC LIMIT 1';
/** What an event costs besides its text, as characters. */
const ROW_CHARS = 512;
/** Rows that are looked at for one piece. */
const ROWS_A_PIECE = 256;
/** Pinned by a test. */
export const SIZES = `SELECT seq, octet_length(data) + coalesce(octet_length(hidden), 0) FROM events
  WHERE turn = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ${ROWS_A_PIECE}`;

const named = (types: readonly string[]): string => types.map((type) => `'${type}'`).join(', ');
const TOLD_NAMES = named(TOLD);
const SEEN_NAMES = named(TOLD.filter((type) => type !== 'usage_recorded' && type !== 'model_retry'));
const WITH_IDS = named(['turn_started', 'turn_ended', 'call_lifted', 'handle_started']);
const COPY = `INSERT INTO events (seq, at, session, turn, type, data, hidden)
  SELECT ? + row_number() OVER (ORDER BY seq), at, ?, ?, type,
    CASE WHEN type IN (${WITH_IDS})
      THEN json_replace(data, '$.turn', ?, '$.content.session', ?, '$.content.turn', ?) ELSE data END, hidden
  FROM events WHERE turn = ? AND seq > ? AND seq <= ? AND type IN (${TOLD_NAMES}) ORDER BY seq`;
const SEEN = `SELECT seq, at, session, turn, type, data, hidden FROM events
  WHERE turn = ? AND seq > ? AND seq <= ? AND type IN (${SEEN_NAMES}) ORDER BY seq`;

const TYPES: ReadonlySet<string> = new Set(TOLD);
const isToldType = (event: BelayEvent): event is BelayEvent & { readonly type: ToldEvent['type'] } =>
  TYPES.has(event.type);

/** Whoever looks at what begins and ends does not look at pictures. */
const NO_PICTURES: Pictures = { stowed: (images) => [...images], unstowed: () => [] };

export const copiesTable = (db: Db) => {
  /** The number of the last copied event of a session; of one without, that before its block. */
  const lastCopied = (session: SessionId): number => {
    const row = db.q.get(LAST_COPIED, number(session));
    return row === undefined ? -number(session) * BLOCK : int(row[0]);
  };
  return {
    lastCopied,
    copyTurn(id: TurnId, into: SessionId): TurnId {
      const { lastId } = db.q.run(
        `INSERT INTO turns (session, status, phase, code, detail, cause, model, mode, folder, rounds, lifting, usage, started_at, ended_at, origin)
         SELECT ?, status, phase, code, detail, cause, model, mode, folder, rounds, lifting, usage, started_at, ended_at, coalesce(origin, id)
         FROM turns WHERE id = ?`,
        number(into),
        number(id),
      );
      return turnId(lastId);
    },
    copyEvents(
      from: Parameters<Tx['copyEvents']>[0],
      into: Parameters<Tx['copyEvents']>[1],
    ): ReturnType<Tx['copyEvents']> {
      const source = number(from.turn);
      const sizes = db.q.all(SIZES, source, from.after, from.until);
      let chars = 0;
      let count = 0;
      while (count < sizes.length && chars < from.most) chars += ROW_CHARS + int(sizes[count++]?.[1]);
      const isLast = count === sizes.length && count < ROWS_A_PIECE;
      const last = sizes[count - 1];
      if (last === undefined) return { seen: [], after: from.after, chars, isLast };
      const after = int(last[0]);
      db.q.run(
        COPY,
        lastCopied(into.session),
        number(into.session),
        number(into.turn),
        into.turn,
        into.session,
        into.turn,
        source,
        from.after,
        after,
      );
      const seen = db.q.all(SEEN, source, from.after, after).map((row) => eventOf(row, NO_PICTURES));
      return { seen: seen.filter(isToldType), after, chars, isLast };
    },
    copyKept(id: TurnId, into: Parameters<Tx['copyKept']>[1]): void {
      db.q.run(COPY_BLOBS, number(into.session), number(into.turn), number(id), number(id));
      db.q.run(
        'INSERT INTO kept (turn, call, name, session, blob, bytes) SELECT ?, call, name, ?, blob, bytes FROM kept WHERE turn = ?',
        number(into.turn),
        number(into.session),
        number(id),
      );
    },
  };
};
