/**
 * The life of a handle: waits for a person, is held by the cord, runs, and ends once (L9).
 * N1 `ended` is reached once, and every handle reaches it.
 * N2 Only a handle that waits can be withdrawn; only one that ran can be stopped (L11).
 */
import type { Prepared } from '../ports';
import type { HandleRecord } from '../records';

export type HandleState = HandleRecord['state'];
/** `asked`: allowed, and now waits for its client's answer. `held`: allowed while the cord is pulled. */
export type HandleEvent = 'asked' | 'held' | 'started' | 'ended';

const TABLE: Readonly<Record<HandleState, Readonly<Record<HandleEvent, HandleState>>>> = {
  waiting: { asked: 'waiting', held: 'held', started: 'running', ended: 'ended' },
  held: { asked: 'held', held: 'held', started: 'running', ended: 'ended' },
  running: { asked: 'running', held: 'running', started: 'running', ended: 'ended' },
  ended: { asked: 'ended', held: 'ended', started: 'ended', ended: 'ended' },
};

/** Total: an event that does not fit leaves the state as it is. */
export function nextHandle(state: HandleState, event: HandleEvent): HandleState {
  return TABLE[state][event];
}

/** What kind of work a call becomes under a handle. */
export function kindOf(prepared: Prepared): HandleRecord['kind'] {
  if (prepared.client?.person === true) return 'question';
  if (prepared.opens !== undefined) return prepared.opens;
  if (prepared.class === 'own') return prepared.liftable ? 'script' : 'question';
  return prepared.subject.kind === 'command' ? 'command' : 'call';
}
