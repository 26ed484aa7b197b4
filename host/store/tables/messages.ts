import { z } from 'zod';
import { Context, Delivery, Handed, type MessageId, type SessionId } from '../../../protocol';
import type { Tx } from '../../engine/ledger';
import type { MessageRecord } from '../../engine/records';
import type { Value } from '../database';
import {
  asInt,
  asNumber,
  asText,
  int,
  json,
  maybeInt,
  maybeText,
  maybeTurnId,
  messageId,
  number,
  oneOf,
  orNull,
  sessionId,
  text,
  update,
  type Columns,
  type Db,
} from '../rows';
import { StoredImage, withLost, type Pictures } from './pictures';

const COLUMNS = 'id, session, text, images, context, delivery, state, client_id, turn, step, at, handed';
const State = z.enum(['accepted', 'read', 'removed']);

type Change = Parameters<Tx['changeMessage']>[1];
const CHANGES: Columns<Change> = {
  text: { column: 'text', put: asText },
  state: { column: 'state', put: asText },
  turn: { column: 'turn', put: asNumber },
  step: { column: 'step', put: asInt },
  handed: { column: 'handed', put: asText },
};

const messageReader =
  (pictures: Pictures) =>
  (row: readonly Value[]): MessageRecord => {
    const stored = json(z.array(StoredImage), row[3]);
    const images = pictures.unstowed(stored);
    return {
      id: messageId(int(row[0])),
      session: sessionId(int(row[1])),
      text: withLost(text(row[2]), stored.length, images.length),
      images,
      context: json(z.array(Context), row[4]),
      delivery: oneOf(Delivery, row[5]),
      state: oneOf(State, row[6]),
      clientId: maybeText(row[7]),
      turn: maybeTurnId(row[8]),
      step: maybeInt(row[9]),
      at: int(row[10]),
      handed: row[11] === null ? undefined : oneOf(Handed, row[11]),
    };
  };

/** Pinned by a test: one session's unread messages by the partial index. */
export const UNREAD = `SELECT ${COLUMNS} FROM messages WHERE session = ? AND state = 'accepted' ORDER BY place`;
const ALL_UNREAD = `SELECT ${COLUMNS} FROM messages WHERE state = 'accepted' ORDER BY session, place`;
const HAS_STEER = `SELECT 1 FROM messages WHERE session = ? AND state = 'accepted' AND delivery <> 'queue' LIMIT 1`;

/** Once no unread message of the session has pictures, nothing needs those that came with messages alone. */
const FORGET_UNREAD = `DELETE FROM blobs WHERE turn = 0 AND session = (SELECT session FROM messages WHERE id = ?)
  AND NOT EXISTS (SELECT 1 FROM messages WHERE session = blobs.session AND state = 'accepted' AND images <> '[]')`;

export const messagesTable = (db: Db, pictures: Pictures) => {
  const messageOf = messageReader(pictures);
  const one = (row: Value[] | undefined) => (row === undefined ? undefined : messageOf(row));
  return {
    message: (id: MessageId) => one(db.q.get(`SELECT ${COLUMNS} FROM messages WHERE id = ?`, number(id))),
    messageByClientId: (session: SessionId, clientId: string) =>
      one(
        db.q.get(
          `SELECT ${COLUMNS} FROM messages WHERE session = ? AND client_id = ?`,
          number(session),
          clientId,
        ),
      ),
    insertMessage(message: Parameters<Tx['insertMessage']>[0]): MessageRecord {
      const { lastId } = db.q.run(
        `INSERT INTO messages (session, text, images, context, delivery, state, client_id, place, at)
       VALUES (?, ?, ?, ?, ?, 'accepted', ?, (SELECT coalesce(max(place), 0) + 1 FROM messages WHERE session = ? AND state = 'accepted'), ?)`,
        number(message.session),
        message.text,
        JSON.stringify(pictures.stowed(message.images, message.session, undefined)),
        JSON.stringify(message.context),
        message.delivery,
        orNull(message.clientId),
        number(message.session),
        message.at,
      );
      return {
        ...message,
        id: messageId(lastId),
        state: 'accepted',
        turn: undefined,
        step: undefined,
        handed: undefined,
      };
    },
    changeMessage(id: MessageId, change: Change): void {
      update(db, 'messages', CHANGES, change, 'id = ?', number(id));
      if (change.state !== undefined) db.q.run(FORGET_UNREAD, number(id));
    },
    unread: (session: SessionId): readonly MessageRecord[] =>
      db.q.all(UNREAD, number(session)).map(messageOf),
    handedOver: (session?: SessionId): readonly MessageRecord[] =>
      (session === undefined ? db.q.all(ALL_UNREAD) : db.q.all(UNREAD, number(session)))
        .map(messageOf)
        .filter((message) => message.handed !== undefined),
    hasUnreadSteer: (session: SessionId): boolean => db.q.get(HAS_STEER, number(session)) !== undefined,
    allUnread: (): readonly MessageRecord[] => db.q.all(ALL_UNREAD).map(messageOf),
    /** The named ones take each other's places in this order; the others keep theirs. */
    reorder(session: SessionId, order: readonly MessageId[]): void {
      const places = db.q
        .all(
          `SELECT id, place FROM messages WHERE session = ? AND state = 'accepted' ORDER BY place`,
          number(session),
        )
        .filter((row) => order.includes(messageId(int(row[0]))))
        .map((row) => int(row[1]));
      order.forEach((id, index) => {
        const place = places[index];
        if (place !== undefined) db.q.run('UPDATE messages SET place = ? WHERE id = ?', place, number(id));
      });
    },
  };
};
