/** What an idle session goes on with by itself: the next message in line, or the untold end of a handle (L10). */
import type { SessionId, TurnCode } from '../../../protocol';
import type { Tx } from '../ledger';
import type { MessageRecord, Report, TurnRecord } from '../records';
import type { Core } from './core';

/** Unread messages that nobody has in hand. */
export const waitingMessages = (tx: Tx, session: SessionId): readonly MessageRecord[] =>
  tx.unread(session).filter((message) => message.handed === undefined);

/**
 * After a turn that failed or was lost only what a person has done since starts anything: a message, or the
 * verdict or answer by which a handle has ended. All else waits for the next message, or for _Continue_ (T10).
 */
export function nextStart(core: Core, tx: Tx, session: SessionId): 'message' | 'wake' | undefined {
  const since = brokenAt(tx.lastTurn(session)) ?? -Infinity;
  if (waitingMessages(tx, session).some((message) => message.at > since)) return 'message';
  if (!core.settings().wakeIdleSession) return undefined;
  return tx.reports(session).some((report) => decidedAt(tx, report) > since) ? 'wake' : undefined;
}

/** When the turn ended, if it ended in such a way. Trust that is back was given back by a person. */
function brokenAt(turn: TurnRecord | undefined): number | undefined {
  if (turn === undefined || turn.code === 'untrusted_workspace') return undefined;
  const isBroken = turn.status === 'failed' || (turn.code !== undefined && HOSTS_END.has(turn.code));
  return isBroken ? turn.endedAt : undefined;
}

const HOSTS_END: ReadonlySet<TurnCode> = new Set<TurnCode>(['host_lost', 'host_stopped']);

/** When a person decided what has ended so; without one it is as old as can be. */
function decidedAt(tx: Tx, report: Report): number {
  const handle = tx.handle(report.handle);
  if (handle === undefined) return 0;
  const approval = tx.approvalOf(handle.turn, handle.call);
  const question = tx.questionOf(handle.turn, handle.call);
  const verdict = approval?.state === 'allowed' || approval?.state === 'denied' ? approval.answeredAt : 0;
  const answer = question?.state === 'answered' ? question.answeredAt : 0;
  return Math.max(verdict ?? 0, answer ?? 0);
}
