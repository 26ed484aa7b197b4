/** A mode that is lowered holds at once, also for an agent that cannot be held by asking (A1, A7). */
import { say, type Mode } from '../../../protocol';
import type { SessionRecord } from '../records';
import type { Core, Job } from './core';

/** From the mode in which most asks to the one in which least does. */
const ORDER: readonly Mode[] = ['ask', 'edits', 'full'];

/** Ends an agent at work that has only its own sandbox, which is of the mode in which it was started. */
export function endUnasking(core: Core, job: Job, { id, agent, mode }: SessionRecord, now: Mode): void {
  if (agent.kind !== 'harness' || ORDER.indexOf(now) >= ORDER.indexOf(mode)) return;
  if (core.harnesses.capabilities(agent.harness)?.approvals !== 'sandbox' || !core.agents.has(id)) return;
  job.effects.push({ kind: 'drop_agent', session: id, why: LOWERED });
}

const LOWERED = say(
  'The mode was lowered, and this agent cannot ask: it was ended. Continue goes on in the mode of now.',
);
