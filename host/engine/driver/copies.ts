/**
 * Sessions that are written and removed in pieces, so that nothing else waits for one, however long it is.
 *
 * C1 What is written is in no list before its last piece; what is removed is in none from the first one on.
 * C2 What a crash, a full disk or a refusal leaves of either is removed: at once, or at the next start.
 */
import type { SessionId } from '../../../protocol';
import { breath } from '../../base/clock';
import { refuse } from '../errors';
import type { SessionRecord } from '../records';
import { sessionView } from '../views';
import { describe, request, type Core, type Job } from './core';

/** Rows of one piece that is removed: some milliseconds. */
const ROWS_A_PIECE = 500;

/** Writes a session: `next` writes a piece under its id, and is false when it was the last; `last` gives it its row. */
export async function inPieces<T>(
  core: Core,
  begin: (job: Job, id: SessionId) => T,
  next: (job: Job, work: T) => boolean,
  last: (job: Job, work: T) => SessionRecord,
): Promise<SessionRecord> {
  const { id, work } = await request(core, (job) => {
    const begun = job.tx.beginSession();
    return { id: begun, work: begin(job, begun) };
  });
  try {
    for (;;) {
      if (core.stopping) throw refuse('host_stopping');
      if (!(await request(core, (job) => next(job, work)))) break;
      await breath();
    }
    return await request(core, (job) => {
      const made = last(job, work);
      job.tx.emit('session_created', { session: sessionView(made, job.tx.lastTurn(id)) }, { session: id });
      return made;
    });
  } catch (error) {
    await removeUnlisted(core, id);
    throw error;
  }
}

/** Removes what is left of a session that is in no list. What the disk refuses waits for the next start. */
export async function removeUnlisted(core: Core, id: SessionId): Promise<void> {
  try {
    await remove(core, id);
  } catch (error) {
    core.log('warn', `What is left of ${id} is removed at the next start: ${describe(error)}`);
  }
}

async function remove(core: Core, id: SessionId): Promise<void> {
  while (!core.stopping && !(await request(core, (job) => job.tx.removePiece(id, ROWS_A_PIECE))))
    await breath();
}

/** Removes what an earlier host has left of such sessions. */
export async function removeLeft(core: Core): Promise<void> {
  try {
    for (const id of core.ledger.read((tx) => tx.unlisted())) await remove(core, id);
  } catch (error) {
    core.log('warn', `What an earlier host has left is removed at the next start: ${describe(error)}`);
  }
}
