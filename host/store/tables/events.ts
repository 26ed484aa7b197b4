import { z } from 'zod';
import { type Image } from '../../../protocol';
import { EventData, PlannedCall, type BelayEvent, type SessionId, type TurnId } from '../../../protocol';
import type { Hidden, StoredEvent } from '../../engine/ledger';
import type { Value } from '../database';
import { StoredImage, withLost, type Pictures } from './pictures';
import {
  int,
  json,
  likeText,
  maybeJson,
  number,
  numberOrNull,
  orNull,
  sessionId,
  text,
  turnId,
  unfit,
  type Db,
} from '../rows';

const COLUMNS = 'seq, at, session, turn, type, data, hidden';

const HiddenRow = z.object({
  calls: z.array(PlannedCall).optional(),
  native: z.object({ family: z.string(), model: z.string(), blocks: z.unknown() }).optional(),
  skip: z.boolean().optional(),
});

const isEvent = (value: { readonly type: string; readonly data: unknown }): value is BelayEvent =>
  value.type in EventData && typeof value.data === 'object' && value.data !== null;

export function eventOf(row: readonly Value[], pictures: Pictures): BelayEvent {
  const data = withPictures(json(z.unknown(), row[5]), (images) => pictures.unstowed(images));
  const event = {
    seq: int(row[0]),
    at: int(row[1]),
    type: text(row[4]),
    data,
    ...(typeof row[2] === 'number' ? { session: sessionId(row[2]) } : {}),
    ...(typeof row[3] === 'number' ? { turn: turnId(row[3]) } : {}),
  };
  if (!isEvent(event)) throw unfit(`an unknown event, ${text(row[4])}`);
  return event;
}

const storedOf = (row: readonly Value[], pictures: Pictures): StoredEvent => {
  const hidden = maybeJson(HiddenRow, row[6]);
  return {
    event: eventOf(row, pictures),
    hidden:
      hidden === undefined
        ? undefined
        : {
            ...(hidden.calls === undefined ? {} : { calls: hidden.calls }),
            ...(hidden.native === undefined ? {} : { native: hidden.native }),
            ...(hidden.skip === undefined ? {} : { skip: hidden.skip }),
          },
  };
};

const Holder = z.looseObject({ images: z.array(StoredImage).min(1) });
const NOBODY = sessionId(0);

/** The pictures of an event's data, wherever they stand in it, changed. */
function withPictures(data: unknown, change: (images: Image[]) => Image[]): unknown {
  const holder = Holder.safeParse(data);
  if (holder.success) {
    const { images, text: said } = holder.data;
    const changed = change(images);
    if (typeof said !== 'string') return { ...holder.data, images: changed };
    return { ...holder.data, images: changed, text: withLost(said, images.length, changed.length) };
  }
  if (typeof data !== 'object' || data === null) return data;
  for (const key of ['content', 'answer'] as const) {
    const inner: unknown = key in data ? Object.entries(data).find(([name]) => name === key)?.[1] : undefined;
    const held = Holder.safeParse(inner);
    if (held.success) return { ...data, [key]: { ...held.data, images: change(held.data.images) } };
  }
  return data;
}

/** Pinned by a test. */
export const OF_SESSION = `SELECT ${COLUMNS} FROM events WHERE session = ? AND seq > ? ORDER BY seq`;
/** Pinned by a test. */
export const OF_SESSION_BEFORE = `SELECT ${COLUMNS} FROM events WHERE session = ? AND seq < ? ORDER BY seq DESC LIMIT ?`;
/** Pinned by a test. */
export const NEWEST_COMPACTION = `SELECT ${COLUMNS} FROM events
  WHERE session = ? AND type = 'compacted' ORDER BY seq DESC LIMIT 1`;
/** Pinned by a test. */
export const OF_TURN = `SELECT ${COLUMNS} FROM events WHERE turn = ? ORDER BY seq`;

/** Pinned by a test. */
export const PAGE_OF_TURN = `SELECT ${COLUMNS} FROM events
  WHERE turn = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`;
/** Pinned by a test. */
export const SAID_WITH = `SELECT session, turn, json_extract(data, '$.text') AS said FROM events
  WHERE seq > ? AND seq <= ? AND type IN ('message_read', 'message_completed') AND said LIKE ? ESCAPE '\\'
  ORDER BY seq DESC`;

export const eventsTable = (db: Db, pictures: Pictures) => {
  const read = (row: readonly Value[]) => eventOf(row, pictures);
  const stored = (row: readonly Value[]) => storedOf(row, pictures);
  return {
    insertEvent(
      type: string,
      data: unknown,
      session: SessionId | undefined,
      turn: TurnId | undefined,
      hidden: Hidden | undefined,
      at = db.now,
      seq?: number,
    ): number {
      return db.q.run(
        'INSERT INTO events (seq, at, session, turn, type, data, hidden) VALUES (?, ?, ?, ?, ?, ?, ?)',
        orNull(seq),
        at,
        numberOrNull(session),
        numberOrNull(turn),
        type,
        JSON.stringify(withPictures(data, (images) => pictures.stowed(images, session ?? NOBODY, turn))),
        hidden === undefined || Object.keys(hidden).length === 0 ? null : JSON.stringify(hidden),
      ).lastId;
    },
    lastSeq: (): number => {
      const row = db.q.get("SELECT seq FROM sqlite_sequence WHERE name = 'events'");
      return row === undefined ? 0 : int(row[0]);
    },
    sessionEvents: (session: SessionId, after: number): readonly StoredEvent[] =>
      db.q.all(OF_SESSION, number(session), after).map(stored),
    sessionEventsBefore: (session: SessionId, seq: number, limit: number): readonly StoredEvent[] =>
      db.q.all(OF_SESSION_BEFORE, number(session), seq, limit).map(stored),
    newestCompaction: (session: SessionId): StoredEvent | undefined =>
      db.q.all(NEWEST_COMPACTION, number(session)).map(stored)[0],
    turnEvents: (turn: TurnId): readonly StoredEvent[] => db.q.all(OF_TURN, number(turn)).map(stored),
    /** Events of a turn behind `after` up to `until`, in order. */
    turnEventPage: (turn: TurnId, after: number, until: number, limit: number): readonly StoredEvent[] =>
      db.q.all(PAGE_OF_TURN, number(turn), after, until, limit).map(stored),
    /** The newest event before that number; undefined when there is none. */
    newestBefore: (seq: number): number | undefined => {
      const row = db.q.get('SELECT seq FROM events WHERE seq < ? ORDER BY seq DESC LIMIT 1', seq);
      return row === undefined ? undefined : int(row[0]);
    },
    /** What was said with this text in it, newest first, in the events after `from` up to `to`. */
    saidWith: (part: string, from: number, to: number) =>
      db.q
        .all(SAID_WITH, from, to, `%${likeText(part)}%`)
        .map((row) => ({ session: sessionId(int(row[0])), turn: turnId(int(row[1])), text: text(row[2]) })),
    eventPage: (after: number, session: SessionId | undefined, limit: number): readonly BelayEvent[] =>
      (session === undefined
        ? db.q.all(`SELECT ${COLUMNS} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`, after, limit)
        : db.q.all(
            `SELECT ${COLUMNS} FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?`,
            number(session),
            after,
            limit,
          )
      ).map(read),
  };
};
