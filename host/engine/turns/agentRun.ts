/**
 * What becomes of a turn when a run of its outside agent is over: one pure look (H2, H3, H4, H7).
 * G1 A turn gets at most one Resume for a prompt, and none once it was interrupted.
 * G2 A request that waits keeps its turn, also when the process that asked is gone.
 * G3 Total: every outcome has an answer in every state, and the answer for an ended turn is to do nothing.
 */
import { say, type TurnCode, type TurnStatus } from '../../../protocol';
import type { HarnessOutcome } from '../harnessPort';
import type { Phase } from '../records';
import { hasEnded } from './turn';

/** Why a turn ends that was under way when trust was lost (A11). */
export const UNTRUSTED_WORDS = say('This workspace is not trusted any more: nothing runs in it.');

export interface RunLook {
  readonly status: TurnStatus;
  readonly phase: Phase;
  /** The one Resume of this turn's prompt has been spent. */
  readonly resumed: boolean;
  /** The agent's conversation can be resumed (H6). */
  readonly resumable: boolean;
  /** Killed work that no run has made good since. */
  readonly earlier: readonly string[];
  /** A request of the turn waits for a verdict. */
  readonly asks: boolean;
  readonly cordPulled: boolean;
  readonly hostStops: boolean;
  /** False once trust was lost: its process was ended for it, and nothing runs (A11). */
  readonly trusted: boolean;
  /** The prompt went to a process that had been there before, and no turn has come of it. */
  readonly unheard: boolean;
}

export type AfterRun =
  | { readonly kind: 'nothing' }
  /** The one Resume: the killed work is named, and asked for in the foreground. */
  | { readonly kind: 'resume'; readonly killed: readonly string[] }
  /** The warm process was gone before it heard the prompt: another one gets it. */
  | { readonly kind: 'again' }
  /** Only the cord holds it: after release the conversation goes on. */
  | { readonly kind: 'hold' }
  /** The host stops: its stop settles the turn. */
  | { readonly kind: 'leave' }
  /** The process is gone and a request waits: its verdict carries the turn on. */
  | { readonly kind: 'park' }
  | {
      readonly kind: 'end';
      readonly status: 'completed' | 'failed' | 'interrupted';
      readonly code?: TurnCode;
      readonly detail?: string;
      /** Killed work that stays killed; told, and named by a later failure. */
      readonly killed: readonly string[];
    };

export function afterRun(look: RunLook, outcome: HarnessOutcome): AfterRun {
  if (hasEnded(look.status)) return { kind: 'nothing' };
  if (look.phase === 'ending')
    return { kind: 'end', status: 'interrupted', code: 'cancelled', killed: look.earlier };
  switch (outcome.kind) {
    case 'completed':
      return completed(look, outcome.killed);
    case 'failed':
      if (look.hostStops) return { kind: 'leave' };
      if (look.asks && outcome.code === 'agent_lost') return { kind: 'park' };
      if (look.unheard && outcome.code === 'agent_lost') return { kind: 'again' };
      return {
        kind: 'end',
        status: 'failed',
        code: outcome.code,
        detail: withCause(look.earlier, outcome.detail),
        killed: look.earlier,
      };
    case 'stopped':
      if (look.hostStops) return { kind: 'leave' };
      if (look.cordPulled) return look.asks ? { kind: 'park' } : { kind: 'hold' };
      if (!look.trusted) return look.asks ? { kind: 'park' } : untrusted(look.earlier);
      return { kind: 'end', status: 'interrupted', code: 'cancelled', killed: look.earlier };
  }
}

const untrusted = (killed: readonly string[]): AfterRun => ({
  kind: 'end',
  status: 'failed',
  code: 'untrusted_workspace',
  detail: UNTRUSTED_WORDS,
  killed,
});

function completed(look: RunLook, killed: readonly string[]): AfterRun {
  if (killed.length === 0) return { kind: 'end', status: 'completed', killed: [] };
  if (!look.resumed && look.resumable && !look.hostStops) return { kind: 'resume', killed };
  return { kind: 'end', status: 'completed', killed };
}

/** A failure behind killed work names it as its cause (H3). */
function withCause(killed: readonly string[], detail: string): string {
  if (killed.length === 0) return detail;
  return `Before this, a run had ended with work still running (${killed.join('; ')}), which was killed. Then: ${detail}`;
}
