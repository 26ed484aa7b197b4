/**
 * The one gate in front of every effect (R7, P2).
 *
 * A `Launch` is bound to the epoch of the cord under which an effect was decided. It calls `effect`
 * synchronously and returns its value, or throws `CordPulled` without calling it when the cord is pulled
 * or its epoch has moved. Between this check and the effect stands no `await`.
 */
export type Launch = <T>(effect: () => T) => T;

/** The start was refused: the cord was pulled after the decision (P1). Nothing has happened. */
export class CordPulled extends Error {
  readonly code = 'host_paused';
  constructor() {
    super('Paused: nothing starts until you resume.');
  }
}
