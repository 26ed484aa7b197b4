/**
 * The life of a turn: running, with three ways to wait, and three ends (T5).
 * U1 An end is reached once and never left.
 * U2 `waiting` waits for a person or for handles; `paced` for a provider; `paused` for the cord.
 */
import type { TurnStatus } from '../../../protocol';

export type TurnEvent = 'parked' | 'paced' | 'paused' | 'resumed' | 'completed' | 'failed' | 'interrupted';

const open = { completed: 'completed', failed: 'failed', interrupted: 'interrupted' } as const;
const ended = (status: TurnStatus): Readonly<Record<TurnEvent, TurnStatus>> => ({
  parked: status,
  paced: status,
  paused: status,
  resumed: status,
  completed: status,
  failed: status,
  interrupted: status,
});

const TABLE: Readonly<Record<TurnStatus, Readonly<Record<TurnEvent, TurnStatus>>>> = {
  queued: { parked: 'queued', paced: 'queued', paused: 'paused', resumed: 'running', ...open },
  running: { parked: 'waiting', paced: 'paced', paused: 'paused', resumed: 'running', ...open },
  waiting: { parked: 'waiting', paced: 'waiting', paused: 'paused', resumed: 'running', ...open },
  paced: { parked: 'paced', paced: 'paced', paused: 'paused', resumed: 'running', ...open },
  paused: { parked: 'paused', paced: 'paused', paused: 'paused', resumed: 'running', ...open },
  completed: ended('completed'),
  failed: ended('failed'),
  interrupted: ended('interrupted'),
};

/** Total: an event that does not fit leaves the state as it is. */
export function nextTurn(status: TurnStatus, event: TurnEvent): TurnStatus {
  return TABLE[status][event];
}

export const hasEnded = (status: TurnStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'interrupted';
