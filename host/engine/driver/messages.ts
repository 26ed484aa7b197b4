/** Messages: accepted once, read in order, never a verdict, never lost (T1–T4, R4). */
import {
  say,
  type Context,
  type Delivery,
  type Image,
  type MessageId,
  type SessionId,
  type TurnId,
} from '../../../protocol';
import { UNREAD_MESSAGES } from '../../../protocol';
import { refuse, RequestError } from '../errors';
import type { MessageRecord } from '../records';
import { blockingCall, liftableCall } from '../turns/loop';
import { messageView, sessionView } from '../views';
import { liftHeld } from './agentTools';
import { runKey, type Core, type Job } from './core';
import { lift } from './lifts';
import { proceed, startTurn } from './turns';

export interface Sent {
  readonly session: SessionId;
  readonly text: string;
  readonly images: readonly Image[];
  readonly context: readonly Context[];
  readonly delivery: Delivery;
  readonly clientId: string | undefined;
  readonly expectedTurn: TurnId | undefined;
}

export interface Accepted {
  readonly message: MessageRecord;
  readonly turn: TurnId | undefined;
  readonly state: 'started' | 'steering' | 'queued';
}

export function send(core: Core, job: Job, sent: Sent): Accepted {
  const session = job.tx.session(sent.session);
  if (session === undefined) throw refuse('session_unknown', { session: sent.session });
  const again = sent.clientId === undefined ? undefined : job.tx.messageByClientId(session.id, sent.clientId);
  if (again !== undefined) return repeated(again, session.turn);
  if (!core.trusted()) throw refuse('untrusted_workspace');
  if (sent.expectedTurn !== undefined && sent.expectedTurn !== session.turn)
    throw new RequestError('turn_stale', say('The turn that this message was meant for is over.'), {
      expectedTurn: sent.expectedTurn,
      turn: session.turn,
    });
  if (sent.delivery === 'reject' && session.turn !== undefined)
    throw new RequestError('session_busy', say('The agent is busy in this session.'), { turn: session.turn });
  if (job.tx.unread(session.id).length >= UNREAD_MESSAGES)
    throw new RequestError(
      'limit_exceeded',
      say('At most {most} messages wait in a session.', { most: UNREAD_MESSAGES }),
    );

  const message = job.tx.insertMessage({
    session: session.id,
    text: sent.text,
    images: sent.images,
    context: sent.context,
    delivery: deliveryOf(job, sent, session.turn),
    clientId: sent.clientId,
    at: job.tx.now,
  });
  job.tx.emit(
    'message_accepted',
    { message: message.id, content: messageView(message) },
    { session: session.id },
  );
  if (session.title === '' && sent.text.trim() !== '') titleFrom(job, session.id, sent.text);

  if (session.turn !== undefined) {
    if (message.delivery === 'queue') return { message, turn: undefined, state: 'queued' };
    steer(core, job, session.turn);
    return { message, turn: session.turn, state: 'steering' };
  }
  if (core.cord.pulled) return { message, turn: undefined, state: 'queued' };
  const turn = startTurn(core, job, session.id, 'message');
  const read = job.tx.message(message.id) ?? message;
  return { message: read, turn: turn?.id, state: read.turn === turn?.id ? 'started' : 'queued' };
}

/**
 * How it is read. What an idle session has not read, since its turn was broken off or everything is paused, is read
 * before what comes now (T1): behind one that has to have a turn of its own, this one has one as well.
 */
function deliveryOf(job: Job, { session, delivery }: Sent, open: TurnId | undefined): 'steer' | 'queue' {
  if (delivery === 'queue') return 'queue';
  const before = open === undefined ? job.tx.unread(session).slice(1) : [];
  return before.some((message) => message.delivery === 'queue') ? 'queue' : 'steer';
}

/** The same client id again gives the same message (T1). */
function repeated(message: MessageRecord, open: TurnId | undefined): Accepted {
  const turn = message.turn ?? (message.delivery === 'queue' ? undefined : open);
  const state =
    message.state === 'read'
      ? 'started'
      : message.delivery === 'queue' || turn === undefined
        ? 'queued'
        : 'steering';
  return { message, turn, state };
}

const TITLE_LENGTH = 64;

function titleFrom(job: Job, id: SessionId, text: string): void {
  const line = text.trim().split('\n')[0] ?? '';
  const title = line.length > TITLE_LENGTH ? `${cutCharacters(line, TITLE_LENGTH - 1)}…` : line;
  job.tx.changeSession(id, { title });
  const session = job.tx.session(id);
  if (session !== undefined)
    job.tx.emit('session_updated', { session: sessionView(session, job.tx.lastTurn(id)) }, { session: id });
}

/** The first `most` code units, without half of a character that takes two. */
function cutCharacters(line: string, most: number): string {
  const cut = line.slice(0, most);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** A steer reached a busy session: what the agent waits for is lifted, at once if parked, else after the grace (L1). */
function steer(core: Core, job: Job, id: TurnId): void {
  const turn = job.tx.turn(id);
  if (turn?.phase === 'agent' && !core.cord.pulled)
    job.effects.push({ kind: 'steer_agent', turn: id, launch: core.cord.launch() });
  const holds = turn?.phase === 'agent' && isHolding(core, job, id);
  if (turn === undefined || (turn.phase !== 'calls' && !holds) || core.cord.pulled) return;
  if (turn.status === 'waiting') {
    liftNow(core, job, id);
    return;
  }
  if (turn.status === 'running' && (holds || liftableCall(job.tx.round(id)) !== undefined))
    job.effects.push({ kind: 'grace', turn: id });
}

/** Lifts what the turn waits for, so that the unread steers are read. Harmless when nothing waits any more. */
export function liftNow(core: Core, job: Job, id: TurnId): void {
  const turn = job.tx.turn(id);
  if (turn?.phase === 'agent' && !core.cord.pulled) {
    liftHeld(core, job, turn);
    proceed(core, job, id);
    return;
  }
  if (turn?.phase !== 'calls' || core.cord.pulled || !job.tx.hasUnreadSteer(turn.session)) return;
  const calls = job.tx.round(id);
  // From now on what would wait is lifted at once, until the boundary at which the message is read (L5).
  job.tx.changeTurn(id, { lifting: true });
  if (liftableCall(calls) !== undefined && blockingCall(calls) === undefined) liftRunning(core, job, id);
  proceed(core, job, id);
}

/** Whether an outside agent waits for the answer of a client tool: that wait it started itself (L1). */
const isHolding = (core: Core, job: Job, id: TurnId): boolean =>
  job.tx.openCalls(id).some((call) => call.status === 'asking' && core.waiting.has(runKey(id, call.call)));

function liftRunning(core: Core, job: Job, id: TurnId): void {
  const turn = job.tx.turn(id);
  const call = liftableCall(job.tx.round(id));
  if (turn !== undefined && call !== undefined) lift(core, job, turn, call);
}

const editable = (job: Job, id: MessageId): MessageRecord => {
  const message = job.tx.message(id);
  if (message === undefined || message.state === 'removed') throw refuse('message_unknown', { message: id });
  if (message.state !== 'accepted') throw refuse('message_read_already', { message: id });
  if (message.handed !== undefined)
    throw new RequestError('message_read_already', say('The agent has this message in hand already.'), {
      message: id,
    });
  return message;
};

export function editMessage(job: Job, id: MessageId, text: string): MessageRecord {
  const message = editable(job, id);
  job.tx.changeMessage(id, { text });
  job.tx.emit('message_edited', { message: id, text }, { session: message.session });
  return { ...message, text };
}

export function removeMessage(job: Job, id: MessageId): void {
  const message = editable(job, id);
  job.tx.changeMessage(id, { state: 'removed' });
  job.tx.emit('message_removed', { message: id }, { session: message.session });
  // What waits from now on is lifted for nobody.
  const turn = job.tx.session(message.session)?.turn;
  if (turn !== undefined && !job.tx.hasUnreadSteer(message.session))
    job.tx.changeTurn(turn, { lifting: false });
}

export function reorderMessages(job: Job, session: SessionId, order: readonly MessageId[]): void {
  if (job.tx.session(session) === undefined) throw refuse('session_unknown', { session });
  const unread = new Set(job.tx.unread(session).map((message) => message.id));
  if (new Set(order).size !== order.length)
    throw new RequestError('invalid_params', say('"order" names a message twice.'));
  for (const id of order) {
    if (unread.has(id)) continue;
    const isRead = job.tx.message(id)?.state === 'read';
    throw refuse(isRead ? 'message_read_already' : 'message_unknown', { message: id });
  }
  job.tx.reorder(session, order);
  job.tx.emit('messages_reordered', { order: [...order] }, { session });
}
