/**
 * Turns that are there only for what an outside agent's work asks for behind its runs: a sub-agent that goes on, for
 * one. The agent knows nothing of such a turn; it begins with a request, and is over with the last answer (H2, R5).
 */
import type { TurnId } from '../../../protocol';
import type { HarnessEvent } from '../harnessPort';
import type { TurnRecord } from '../records';
import { hasEnded } from '../turns/turn';
import { endRun, wake } from './agentFacts';
import type { LiveAgent } from './agentLive';
import type { Core, Job } from './core';

type Ended = Extract<HarnessEvent, { kind: 'ended' }>;

const ended = (outcome: Ended['outcome'], goesOn: boolean): Ended => ({
  kind: 'ended',
  outcome,
  prompted: false,
  goesOn,
  work: [],
});

/** What goes on behind the run still waits for a verdict: the turn stays for it. */
export const isAskedBehind = (
  job: Job,
  agent: LiveAgent,
  turn: TurnRecord,
  { outcome, goesOn }: Ended,
): boolean =>
  outcome.kind === 'completed' &&
  goesOn &&
  turn.phase !== 'ending' &&
  job.tx.openCalls(turn.id).some((call) => call.status === 'asking' && agent.requests.has(call.call));

/** Opens the turn of a request that comes when none is under way. */
export function wakeForRequest(job: Job, agent: LiveAgent): void {
  if (agent.turn === undefined && wake(job, agent)) agent.behind = 'asks';
}

/** Ends it once nothing of it waits for a verdict; what was allowed goes on in the agent's process. */
export function endAsked(core: Core, job: Job, agent: LiveAgent): void {
  // What a pause has kept from the process is told when its end is (P4).
  if (agent.requests.size === 0 && !core.cord.pulled)
    end(core, job, agent, ended({ kind: 'completed', killed: [] }, true));
}

/** A person has interrupted it: what waits is denied, and the work behind it goes on. */
export function stopAsked(core: Core, job: Job, agent: LiveAgent): void {
  end(core, job, agent, ended({ kind: 'stopped', by: undefined }, true));
}

/** Its process is gone: what waits for a verdict goes on waiting, and carries the conversation on (A6). */
export function loseAsked(core: Core, job: Job, agent: LiveAgent, id: TurnId): void {
  const turn = job.tx.turn(id);
  if (turn === undefined || hasEnded(turn.status)) return;
  const outcome: Ended['outcome'] = core.cord.pulled
    ? { kind: 'stopped', by: undefined }
    : { kind: 'failed', code: 'agent_lost', detail: 'Its process is gone.' };
  endRun(core, job, agent, turn, ended(outcome, false));
}

function end(core: Core, job: Job, agent: LiveAgent, how: Ended): void {
  const turn = agent.behind !== 'asks' || agent.turn === undefined ? undefined : job.tx.turn(agent.turn);
  if (turn !== undefined && !hasEnded(turn.status)) endRun(core, job, agent, turn, how);
}
