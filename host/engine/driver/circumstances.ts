/** What calls are judged under: the mode of their turn, and trust, rules and settings of now. */
import type { Mode, SessionId } from '../../../protocol';
import type { Circumstances } from '../approvals/judge';
import type { Tx } from '../ledger';
import type { TurnRecord } from '../records';
import type { Core, Job } from './core';

export const circumstances = (core: Core, job: Job, turn: TurnRecord): Circumstances =>
  circumstancesIn(core, job.tx, turn.session, turn.mode);

export function circumstancesIn(
  core: Core,
  tx: Pick<Tx, 'rules'>,
  session: SessionId,
  mode: Mode,
): Circumstances {
  return {
    mode,
    trusted: core.trusted(),
    session,
    rules: [...tx.rules(session), ...core.userRules.all()],
    protectedReads: core.settings().protectedReads,
  };
}
