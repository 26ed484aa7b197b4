/** A new session with the past of another: its ended turns, as they were told. Handles stay with the old one. */
import type { SessionId, TurnId } from '../../../protocol';
import { refuse } from '../errors';
import type { SessionRecord } from '../records';
import { sessionView } from '../views';
import type { Job } from './core';

export function fork(
  job: Job,
  from: SessionId,
  until: TurnId | undefined,
  title: string | undefined,
): SessionRecord {
  const source = job.tx.session(from);
  if (source === undefined) throw refuse('session_unknown', { session: from });
  const turns = job.tx.endedTurns(from);
  const last = until === undefined ? turns.length : turns.findIndex((turn) => turn.id === until) + 1;
  if (until !== undefined && last === 0) throw refuse('turn_unknown', { turn: until });
  const session = job.tx.insertSession({
    title: title ?? `${source.title} (fork)`.trim(),
    folder: source.folder,
    agent: source.agent,
    mode: source.mode,
    instructions: source.instructions,
    createdAt: job.tx.now,
    updatedAt: job.tx.now,
  });
  job.tx.changeSession(session.id, { note: source.note });
  job.tx.copyValues(from, session.id);
  for (const turn of turns.slice(0, last)) job.tx.copyTurn(turn.id, session.id);
  const made = job.tx.session(session.id) ?? session;
  job.tx.emit(
    'session_created',
    { session: sessionView(made, job.tx.lastTurn(session.id)) },
    { session: session.id },
  );
  return made;
}
