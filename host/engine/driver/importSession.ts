/** A session from a file: its ended turns, as they were told, in a folder of this workspace. */
import {
  addUsage,
  HandleId,
  NOTHING_USED,
  SessionFile,
  type DataOf,
  type ToldEvent,
  type TurnId,
  say,
} from '../../../protocol';
import { RequestError } from '../errors';
import type { SessionRecord } from '../records';
import { sessionView } from '../views';
import type { Job } from './core';

type FileTurn = SessionFile['turns'][number];

/** Parses a file; what is wrong with it is said with the place where it is. */
export function readSessionFile(text: string): SessionFile {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    throw unfit(say('it is no JSON. Choose a file that was exported as JSON.'));
  }
  const parsed = SessionFile.safeParse(raw);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw unfit(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is not right.'}`);
}

const unfit = (why: string): RequestError =>
  new RequestError('invalid_params', say('This file cannot be imported: {why}', { why }));

/**
 * Only the past is taken over. What decides over the agent does not come from a file: the mode is the careful one,
 * and there are no instructions (A12). Ids of handles would name those of other sessions.
 */
export function importSession(job: Job, file: SessionFile, folder: string): SessionRecord {
  const { title, agent } = file.session;
  const session = job.tx.insertSession({
    title: title.slice(0, 256),
    folder,
    agent,
    mode: 'ask',
    instructions: '',
    createdAt: job.tx.now,
    updatedAt: job.tx.now,
  });
  let usage = NOTHING_USED;
  for (const turn of file.turns) usage = addUsage(usage, importTurn(job, session, turn));
  job.tx.changeSession(session.id, { usage });
  const made = job.tx.session(session.id) ?? session;
  job.tx.emit(
    'session_created',
    { session: sessionView(made, job.tx.lastTurn(session.id)) },
    { session: session.id },
  );
  return made;
}

function importTurn(
  job: Job,
  session: SessionRecord,
  { told = [] }: FileTurn,
): DataOf<'turn_ended'>['usage'] {
  const first = told[0];
  const last = told.at(-1);
  if (first === undefined || last === undefined) return NOTHING_USED;
  if (!isType(first, 'turn_started') || !isType(last, 'turn_ended'))
    throw unfit('a turn in it has no beginning or no end.');
  const { model, cause } = first.data;
  const { status, code, detail, usage } = last.data;
  const turn = job.tx.insertToldTurn({
    session: session.id,
    status,
    code,
    detail,
    cause,
    model,
    mode: session.mode,
    folder: session.folder,
    rounds: told.filter((event) => event.type === 'message_completed').length,
    usage,
    startedAt: first.at,
    endedAt: last.at,
  });
  for (const { at, type, data, calls } of told)
    job.tx.insertTold(
      { at, type, data: { ...data, ...owned(data, session, turn) } },
      { session: session.id, turn },
      calls === undefined ? {} : { calls },
    );
  return usage;
}

/** The ids in an event, as they are here; what is not here has an id that names nothing. */
function owned(data: ToldEvent['data'], session: SessionRecord, turn: TurnId): object {
  return {
    ...('turn' in data ? { turn } : {}),
    ...('handle' in data ? { handle: NO_HANDLE } : {}),
    ...('content' in data ? { content: { ...data.content, id: NO_HANDLE, session: session.id, turn } } : {}),
  };
}

const NO_HANDLE = HandleId.parse('proc:0');

const isType = <T extends ToldEvent['type']>(
  event: ToldEvent,
  type: T,
): event is ToldEvent & { readonly type: T; readonly data: DataOf<T> } => event.type === type;
