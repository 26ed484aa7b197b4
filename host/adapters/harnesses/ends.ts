/** How an agent's process ended without a last word, as a sentence for the person (H5, R11). */
import { say, type StoppedBy } from '../../../protocol';
import { CordPulled } from '../../base/launch';
import type { HarnessOutcome } from '../../engine/harnessPort';
import type { AgentEnd } from './outside';

/** Characters of error output in a sentence. */
const SHOWN = 600;

/** From an exception while it was prepared. */
export function failureOf(error: unknown): HarnessOutcome;
/** From the end of its process. */
export function failureOf(end: AgentEnd, name: string, errorText: string): HarnessOutcome;
export function failureOf(from: unknown, name = 'The agent', errorText = ''): HarnessOutcome {
  if (from instanceof CordPulled) return { kind: 'stopped', by: undefined };
  if (!isEnd(from))
    return {
      kind: 'failed',
      code: 'agent_failed',
      detail: from instanceof Error ? from.message : String(from),
    };
  const said = errorText.slice(-SHOWN);
  if (from.error !== undefined)
    return {
      kind: 'failed',
      code: 'agent_missing',
      detail: say('{name} could not be started: {reason}', { name, reason: from.error.message }),
    };
  if (from.signal !== null)
    return {
      kind: 'failed',
      code: 'agent_lost',
      detail: withWords(say('{name} was ended by {signal}', { name, signal: from.signal }), said),
    };
  return {
    kind: 'failed',
    code: from.code === 0 ? 'agent_lost' : 'agent_failed',
    detail: withWords(
      say('{name} exited with {code} before its turn had ended', { name, code: String(from.code) }),
      said,
    ),
  };
}

/** What its error output said last, in the agent's own words. */
const withWords = (why: string, said: string): string =>
  said === '' ? why : say('{why}: {said}', { why, said });

const isEnd = (from: unknown): from is AgentEnd =>
  typeof from === 'object' && from !== null && 'signal' in from && 'code' in from;

/** Tells the end of a run; how it was stopped is known once its work is gone, too. */
export function tellEnd(
  outcome: HarnessOutcome,
  stopping: Promise<StoppedBy> | undefined,
  tell: (told: HarnessOutcome) => void,
): void {
  if (outcome.kind === 'stopped' && outcome.by === undefined && stopping !== undefined)
    void stopping.then((by) => tell({ kind: 'stopped', by }));
  else tell(outcome);
}
