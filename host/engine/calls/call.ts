/**
 * The life of a call: planned → (asking → allowed) → running → done, with a lift as one way to `done`.
 * K1 `done` is the only end and is reached once.
 * K2 A call that asks has not started (R3).
 */
import type { CallStatus } from '../records';

export type CallEvent =
  /** It was announced: it waits for a verdict, an answer or handles. Also again, with its verdict dropped (A4). */
  | 'asked'
  | 'allowed'
  | 'started'
  /** It has its result: its own, a denial, a lapse, a cancel, or that of its lift. */
  | 'settled';

const TABLE: Readonly<Record<CallStatus, Readonly<Record<CallEvent, CallStatus>>>> = {
  planned: { asked: 'asking', allowed: 'planned', started: 'running', settled: 'done' },
  asking: { asked: 'asking', allowed: 'allowed', started: 'asking', settled: 'done' },
  allowed: { asked: 'asking', allowed: 'allowed', started: 'running', settled: 'done' },
  running: { asked: 'running', allowed: 'running', started: 'running', settled: 'done' },
  done: { asked: 'done', allowed: 'done', started: 'done', settled: 'done' },
};

/** Total: an event that does not fit leaves the state as it is. */
export function nextCall(status: CallStatus, event: CallEvent): CallStatus {
  return TABLE[status][event];
}
