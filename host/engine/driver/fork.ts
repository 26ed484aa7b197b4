/**
 * A new session with the past of another, up to now or to one of its turns. What waits or runs stays with the old one,
 * and the copy says so (`copyEnds.ts`).
 */
import { say, type SessionId, type TurnId } from '../../../protocol';
import { refuse, RequestError } from '../errors';
import { BEFORE_ALL } from '../ledger';
import type { SessionRecord, TurnRecord } from '../records';
import { hasEnded } from '../turns/turn';
import { inPieces } from './copies';
import { BROKEN, createEnds, wordsOf, type Ends } from './copyEnds';
import type { Core, Job } from './core';
import { noteSeen, type NoteSeen } from './noteSeen';

/** Characters of events that are copied at a time, with those of a row more for each event: some milliseconds. */
const PIECE_CHARS = 128 * 1024;

/** A session that was made, and what was left out of it, as sentences. */
export interface Copied {
  readonly session: SessionRecord;
  readonly warnings: readonly string[];
}

interface Copying {
  readonly id: SessionId;
  readonly source: SessionRecord;
  readonly turns: readonly TurnId[];
  /** The turn that had not ended when the copy was begun, as it was then. */
  readonly atWork: TurnRecord | undefined;
  /** The newest event that is copied. */
  readonly until: number;
  readonly ends: Ends;
  /** Where the copy ends before the newest turn: what the agent's note said then. */
  readonly note: NoteSeen | undefined;
  readonly unread: number;
  /** Values that scripts have stored. */
  readonly stored: number;
  /** The turn that is next, or under way. */
  at: number;
  into: { readonly turn: TurnId; after: number } | undefined;
  last: TurnId | undefined;
}

export interface ForkAsked {
  readonly session: SessionId;
  /** The last turn of the copy. */
  readonly turn?: TurnId | undefined;
  /** The first turn that is not in the copy; not looked at where `turn` is given. */
  readonly before?: TurnId | undefined;
  readonly title?: string | undefined;
}

export async function fork(core: Core, asked: ForkAsked): Promise<Copied> {
  const holder: { work: Copying | undefined } = { work: undefined };
  const session = await inPieces(
    core,
    (job, id) => (holder.work = beginFork(job, id, asked)),
    (job, work) => {
      refuseGone(job, work);
      for (let left = PIECE_CHARS; left > 0 && work.at < work.turns.length;)
        left -= copyPiece(job, work, left);
      return work.at < work.turns.length;
    },
    (job, work) => finish(job, work, asked.title),
  );
  const { work } = holder;
  if (work === undefined) return { session, warnings: [] };
  return {
    session,
    warnings: [
      ...wordsOf(work.ends.stayed()),
      ...unreadWords(work.unread),
      ...(work.note !== undefined && work.stored > 0
        ? [say('What scripts have stored stayed with the original ({count}).', { count: work.stored })]
        : []),
    ],
  };
}

const unreadWords = (count: number): readonly string[] =>
  count === 0
    ? []
    : [say('Messages that the agent has not read stayed with the original ({count}).', { count })];

function beginFork(job: Job, id: SessionId, { session: from, turn, before }: ForkAsked): Copying {
  const source = job.tx.session(from);
  if (source === undefined) throw refuse('session_unknown', { session: from });
  const turns = job.tx.turnIds(from);
  const newest = job.tx.lastTurn(from);
  const named = turn ?? before;
  const at = named === undefined ? turns.length : turns.indexOf(named);
  if (named !== undefined && at < 0) throw refuse('turn_unknown', { turn: named });
  const last = turn === undefined ? at : at + 1;
  return {
    id,
    source,
    turns: turns.slice(0, last),
    atWork: newest === undefined || hasEnded(newest.status) ? undefined : newest,
    until: job.tx.lastSeq(),
    ends: createEnds(),
    note: last === turns.length ? undefined : noteSeen(),
    stored: Object.keys(job.tx.storedValues(from)).length,
    unread: named === undefined ? job.tx.unread(from).length : 0,
    at: 0,
    into: undefined,
    last: undefined,
  };
}

/** Refused once the original has gone, or is being removed: its events go before its turns. */
function refuseGone(job: Job, { source }: Copying): void {
  if (job.tx.session(source.id) === undefined) throw changed(source.id);
}

const changed = (session: SessionId) =>
  new RequestError('session_busy', say('The session was changed while it was copied: try again.'), {
    session,
  });

/** Copies the next events of the turn under way, and begins and ends it; how many characters that were. */
function copyPiece(job: Job, work: Copying, most: number): number {
  const id = work.turns[work.at];
  const turn = id === undefined ? undefined : turnOf(job, work, id);
  if (turn === undefined) throw changed(work.source.id);
  work.into ??= { turn: copyRow(job, work, turn), after: BEFORE_ALL };
  const { into } = work;
  const piece = job.tx.copyEvents(
    { turn: turn.id, after: into.after, until: work.until, most },
    { session: work.id, turn: into.turn },
  );
  for (const event of piece.seen) {
    work.ends.see(event);
    work.note?.see(event);
  }
  into.after = piece.after;
  if (!piece.isLast) return piece.chars;
  const where = { session: work.id, turn: into.turn };
  for (const event of work.ends.ofTurn(into.turn, turn.usage, job.tx.now))
    job.tx.insertTold(event, where, {});
  job.tx.copyKept(turn.id, where);
  work.last = into.turn;
  work.into = undefined;
  work.at += 1;
  return piece.chars + 1;
}

/** A turn as it was when the copy was begun: its events are copied until then. */
function turnOf(job: Job, { atWork }: Copying, id: TurnId): TurnRecord | undefined {
  const now = job.tx.turn(id);
  return now !== undefined && atWork?.id === id ? atWork : now;
}

/** The copy of a turn has always ended: nothing starts in it. */
function copyRow(job: Job, { id }: Copying, turn: TurnRecord): TurnId {
  const copy = job.tx.copyTurn(turn.id, id);
  if (hasEnded(turn.status)) return copy;
  const { rounds, usage } = turn;
  const { now } = job.tx;
  job.tx.changeTurn(copy, { ...BROKEN, phase: 'ending', lifting: false, rounds, usage, endedAt: now });
  return copy;
}

function finish(job: Job, work: Copying, title: string | undefined): SessionRecord {
  const { source, id } = work;
  refuseGone(job, work);
  job.tx.insertSession(
    {
      title: title ?? `${source.title} (fork)`.trim(),
      folder: source.folder,
      agent: source.agent,
      mode: source.mode,
      instructions: source.instructions,
      createdAt: job.tx.now,
      updatedAt: job.tx.now,
    },
    id,
  );
  job.tx.changeSession(id, { note: work.note === undefined ? source.note : work.note.text() });
  // Nobody knows when a script has stored what: in a past that ends earlier there is nothing of it.
  if (work.note === undefined) job.tx.copyValues(source.id, id);
  if (work.last !== undefined)
    for (const event of work.ends.notes(job.tx.now))
      job.tx.insertTold(event, { session: id, turn: work.last }, {});
  const made = job.tx.session(id);
  if (made === undefined) throw refuse('session_unknown', { session: id });
  return made;
}
