/**
 * What comes next in a turn: one pure look at it. It can be asked at any moment, also after a restart;
 * asking twice changes nothing.
 */
import type { CallId, TurnCode, TurnStatus } from '../../../protocol';
import type { Prepared } from '../ports';
import type { CallRecord, Phase } from '../records';
import { hasEnded } from './turn';

export interface TurnLook {
  readonly status: TurnStatus;
  readonly phase: Phase;
  readonly rounds: number;
  readonly roundLimit: number;
  /** It has used what one turn may use. */
  readonly isSpent: boolean;
  /** Top-level calls of the newest answer, in order; of an outside agent, all that have no result. */
  readonly calls: readonly CallRecord[];
  readonly unreadSteer: boolean;
  readonly cordPulled: boolean;
  /** An outside agent's run of this turn is under way. */
  readonly agentAtWork: boolean;
}

export type Next =
  /** Something under way, or a person, decides when it goes on. */
  | { readonly kind: 'wait' }
  /** Only the cord holds it. */
  | { readonly kind: 'hold' }
  | { readonly kind: 'start'; readonly calls: readonly CallRecord[] }
  /** A call that can't run as written: its result is known. */
  | { readonly kind: 'refuse'; readonly call: CallRecord }
  /** A call that the engine itself answers, inside the same commit, or puts to a client. */
  | { readonly kind: 'own'; readonly call: CallRecord }
  | { readonly kind: 'model' }
  /** A run of an outside agent begins, or begins again. */
  | { readonly kind: 'agent' }
  | {
      readonly kind: 'end';
      readonly status: 'completed' | 'failed' | 'interrupted';
      readonly code?: TurnCode;
    };

export function whatNext(turn: TurnLook): Next {
  if (hasEnded(turn.status)) return { kind: 'wait' };
  const open = turn.calls.filter((call) => call.status !== 'done');
  if (turn.phase === 'ending') {
    return open.some((call) => call.status === 'running') || turn.agentAtWork
      ? { kind: 'wait' }
      : { kind: 'end', status: 'interrupted', code: 'cancelled' };
  }
  if (turn.phase === 'agent') return nextOfAgent(turn);
  if (turn.phase === 'model')
    return turn.status === 'paused' && !turn.cordPulled ? { kind: 'model' } : { kind: 'wait' };
  if (open.length > 0) return nextCallOf(open, turn.cordPulled);
  if (turn.calls.length === 0 && turn.rounds > 0 && !turn.unreadSteer)
    return { kind: 'end', status: 'completed' };
  if (turn.rounds >= turn.roundLimit) return { kind: 'end', status: 'failed', code: 'round_limit' };
  if (turn.isSpent) return { kind: 'end', status: 'failed', code: 'budget_limit' };
  return turn.cordPulled ? { kind: 'hold' } : { kind: 'model' };
}

/**
 * An outside agent goes on by itself while its run is under way. Without one, what waits for a verdict is waited
 * for; then the conversation goes on.
 */
function nextOfAgent(turn: TurnLook): Next {
  if (turn.agentAtWork || turn.status === 'running') return { kind: 'wait' };
  if (turn.calls.some((call) => call.status === 'asking')) return { kind: 'wait' };
  return turn.cordPulled ? { kind: 'hold' } : { kind: 'agent' };
}

/** Calls go in order; adjacent free reads go side by side (T2). */
function nextCallOf(open: readonly CallRecord[], cordPulled: boolean): Next {
  const ready: CallRecord[] = [];
  for (const call of open) {
    const alone = !isFreeRead(call);
    if (alone && (ready.length > 0 || call !== open[0])) break;
    if (call.status === 'running' || call.status === 'asking') {
      if (alone) break;
      continue;
    }
    if ('error' in call.prepared)
      return ready.length > 0 ? start(ready, cordPulled) : { kind: 'refuse', call };
    if (isAnswered(call.prepared)) return { kind: 'own', call };
    ready.push(call);
    if (alone) break;
  }
  return ready.length > 0 ? start(ready, cordPulled) : { kind: 'wait' };
}

/** Whether the engine answers it, or a client does: it is never started. */
const isAnswered = (call: Prepared): boolean =>
  call.client !== undefined || (call.class === 'own' && !call.liftable);

const start = (calls: readonly CallRecord[], cordPulled: boolean): Next =>
  cordPulled ? { kind: 'hold' } : { kind: 'start', calls };

/** A read that nobody had to allow. */
const isFreeRead = (call: CallRecord): boolean =>
  !('error' in call.prepared) &&
  call.prepared.class === 'read' &&
  call.prepared.client === undefined &&
  (call.status === 'planned' || call.status === 'running');

/** The call that the turn waits for, if it waits for a person or for handles. */
export function blockingCall(calls: readonly CallRecord[]): CallRecord | undefined {
  const first = calls.find((call) => call.status !== 'done');
  return first?.status === 'asking' ? first : undefined;
}

/** The calls that a release starts, in their order: those before the first that still waits. */
export function callsThatStart(calls: readonly CallRecord[]): readonly CallRecord[] {
  const waits = calls.findIndex((call) => call.status === 'asking');
  return calls
    .slice(0, waits < 0 ? calls.length : waits)
    .filter(
      ({ status, prepared }) =>
        status === 'allowed' || (status === 'planned' && !('error' in prepared) && !isAnswered(prepared)),
    );
}

/** The waits of the agent that a message may lift now: the first open call, if it waits or runs at length (L1). */
export function liftableCall(calls: readonly CallRecord[]): CallRecord | undefined {
  const first = calls.find((call) => call.status !== 'done');
  if (first === undefined) return undefined;
  if (first.status === 'asking') return first;
  return first.status === 'running' && !('error' in first.prepared) && first.prepared.liftable
    ? first
    : undefined;
}

/** Gated calls of the round behind `after` whose verdicts no longer hold (A4). */
export function laterGated(calls: readonly CallRecord[], after: CallId): readonly CallRecord[] {
  const place = calls.findIndex((call) => call.call === after);
  return calls.slice(place + 1).filter((call) => call.status === 'asking' || call.status === 'allowed');
}
