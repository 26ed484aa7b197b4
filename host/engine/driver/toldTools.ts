/** Which client tools an outside agent has really been given: what came later may be out of its reach (C2). */
import type { TurnId } from '../../../protocol';
import type { HarnessRecord } from '../records';
import type { LiveAgent } from './agentLive';
import type { Core } from './core';

export interface ToldTool {
  readonly name: string;
  /** Of all that the agent is told of it. */
  readonly spec: string;
}

export const toolsTold = (core: Core): readonly ToldTool[] =>
  core.clientTools.specs().map((spec) => ({ name: spec.name, spec: JSON.stringify(spec) }));

/** Its tools are others by now, and a new process takes them and loses nothing: no work of its own goes on (H3). */
export const lacksTools = (
  core: Core,
  live: LiveAgent,
  kept: HarnessRecord,
  now: readonly ToldTool[],
): boolean =>
  JSON.stringify(live.tools) !== JSON.stringify(now) &&
  kept.resumable &&
  !live.session.isBusy() &&
  core.harnesses.capabilities(live.harness)?.newTools === 'new_process';

/** Logs what the agent of a run that begins now has, and what it has not. */
export function logTools(core: Core, live: LiveAgent, turn: TurnId, kept: HarnessRecord): void {
  const now = core.clientTools.specs().map((spec) => spec.name);
  const given = new Set(givenTo(core, live, kept));
  const lacking = now.filter((name) => !given.has(name));
  const told = `${String(now.length - lacking.length)} client tools are advertised to its agent`;
  if (lacking.length === 0) core.log('info', `${turn}: ${told}.`);
  else
    core.log(
      'warn',
      `${turn}: ${told}; its conversation began without these, and cannot get them: ${lacking.join(', ')}.`,
    );
}

/** Of a conversation that keeps its tools for good, those that it began with; else those of its process. */
function givenTo(core: Core, live: LiveAgent, kept: HarnessRecord): readonly string[] {
  const isForGood = core.harnesses.capabilities(live.harness)?.newTools === 'never';
  const began = isForGood && kept.conversation !== undefined && kept.resumable ? kept.tools : undefined;
  return began ?? live.tools.map((tool) => tool.name);
}
