/** A session from a file: its turns, as they were told, in a folder of this workspace. */
import {
  addUsage,
  HandleId,
  isTold,
  NOTHING_USED,
  say,
  type CallId,
  type SessionFileTurn,
  type SessionId,
  type ToldEvent,
  type TurnId,
  type Usage,
} from '../../../protocol';
import { refuse } from '../errors';
import type { SessionRecord } from '../records';
import { inPieces } from './copies';
import { createEnds, wordsOf, type Ends } from './copyEnds';
import type { Core, Job } from './core';
import type { Copied } from './fork';
import { unfit, type SessionText } from './sessionText';

/** Events that are written at a time: some milliseconds, but where one of them is large. */
const EVENTS_A_PIECE = 64;

interface Importing {
  readonly id: SessionId;
  readonly text: SessionText;
  readonly folder: string;
  readonly ends: Ends;
  /** Calls by the names that their handles have in the file. */
  readonly calls: Map<string, CallId>;
  usage: Usage;
  at: number;
  /** The turn under way. */
  now: Turn | undefined;
  last: TurnId | undefined;
  /** Turns of which the file holds no events. */
  untold: number;
}

interface Turn {
  readonly id: TurnId;
  readonly told: readonly ToldEvent[];
  readonly usage: Usage;
  next: number;
}

/**
 * Only the past is taken over. What decides over the agent does not come from a file: the mode is the careful one,
 * and there are no instructions (A12). Ids of handles would name those of other sessions.
 */
export async function importSession(core: Core, text: SessionText, folder: string): Promise<Copied> {
  const holder: { work: Importing | undefined } = { work: undefined };
  const session = await inPieces(
    core,
    (_job, id) => (holder.work = beginImport(id, text, folder)),
    (job, work) => {
      for (let left = EVENTS_A_PIECE; left > 0 && work.at < text.count;) left -= importPiece(job, work, left);
      return work.at < text.count;
    },
    finish,
  );
  const { work } = holder;
  if (work === undefined) return { session, warnings: [] };
  const untold =
    work.untold === 0
      ? []
      : [say('Turns of which the file holds no events were left out ({count}).', { count: work.untold })];
  return { session, warnings: [...wordsOf(work.ends.stayed()), ...untold] };
}

const beginImport = (id: SessionId, text: SessionText, folder: string): Importing => ({
  id,
  text,
  folder,
  ends: createEnds(),
  calls: new Map(),
  usage: NOTHING_USED,
  at: 0,
  now: undefined,
  last: undefined,
  untold: 0,
});

/** Writes the next events of the turn under way, and begins and ends it; how many that were, one at least. */
function importPiece(job: Job, work: Importing, most: number): number {
  work.now ??= beginTurn(job, work, work.text.turn(work.at));
  const turn = work.now;
  if (turn === undefined) {
    work.untold += 1;
    work.at += 1;
    return 1;
  }
  const piece = turn.told.slice(turn.next, turn.next + most);
  for (const event of piece) {
    work.ends.see(event);
    write(job, work, event, turn.id);
  }
  turn.next += piece.length;
  if (turn.next < turn.told.length) return piece.length;
  const at = turn.told.at(-1)?.at ?? job.tx.now;
  for (const event of work.ends.ofTurn(turn.id, turn.usage, at)) write(job, work, event, turn.id);
  work.usage = addUsage(work.usage, turn.usage);
  work.last = turn.id;
  work.now = undefined;
  work.at += 1;
  return piece.length + 1;
}

function beginTurn(job: Job, work: Importing, { told = [] }: SessionFileTurn): Turn | undefined {
  const first = told[0];
  const last = told.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (!isTold(first, 'turn_started')) throw unfit(say('a turn in it has no beginning.'));
  const end = told.find((event) => isTold(event, 'turn_ended'));
  const usage = end?.data.usage ?? usedIn(told);
  const id = job.tx.insertToldTurn({
    session: work.id,
    status: end?.data.status ?? 'interrupted',
    code: end === undefined ? 'cancelled' : end.data.code,
    detail: end?.data.detail,
    cause: first.data.cause,
    model: first.data.model,
    mode: 'ask',
    folder: work.folder,
    rounds: told.filter((event) => event.type === 'message_completed').length,
    usage,
    startedAt: first.at,
    endedAt: end?.at ?? last.at,
  });
  return { id, told, usage, next: 0 };
}

const usedIn = (told: readonly ToldEvent[]): Usage =>
  told.reduce<Usage>(
    (sum, event) => (isTold(event, 'usage_recorded') ? addUsage(sum, event.data.usage) : sum),
    NOTHING_USED,
  );

function write(job: Job, work: Importing, event: ToldEvent, turn: TurnId): void {
  const { at, type, data, calls } = event;
  job.tx.insertTold(
    { at, type, data: { ...data, ...owned(work, event, turn) } },
    { session: work.id, turn },
    calls === undefined ? {} : { calls },
  );
}

/** The ids in an event, as they are here; what is not here has an id that names nothing, and goes by its call. */
function owned({ id, calls }: Importing, event: ToldEvent, turn: TurnId): object {
  const { data } = event;
  if (isTold(event, 'call_lifted')) calls.set(`${turn}/${event.data.handle}`, event.data.call_id);
  if (isTold(event, 'handle_started')) calls.set(`${turn}/${event.data.handle}`, event.data.content.call);
  const call = isTold(event, 'handle_ended') ? calls.get(`${turn}/${event.data.handle}`) : undefined;
  return {
    ...('turn' in data ? { turn } : {}),
    ...('handle' in data ? { handle: NO_HANDLE } : {}),
    ...(call === undefined ? {} : { call_id: call }),
    ...('content' in data ? { content: { ...data.content, id: NO_HANDLE, session: id, turn } } : {}),
  };
}

const NO_HANDLE = HandleId.parse('proc:0');

function finish(job: Job, work: Importing): SessionRecord {
  const { title, agent } = work.text.head.session;
  job.tx.insertSession(
    {
      title: title.slice(0, 256),
      folder: work.folder,
      agent,
      mode: 'ask',
      instructions: '',
      createdAt: job.tx.now,
      updatedAt: job.tx.now,
    },
    work.id,
  );
  job.tx.changeSession(work.id, { usage: work.usage });
  if (work.last !== undefined)
    for (const event of work.ends.notes(job.tx.now)) write(job, work, event, work.last);
  const made = job.tx.session(work.id);
  if (made === undefined) throw refuse('session_unknown', { session: work.id });
  return made;
}
