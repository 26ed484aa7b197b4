/**
 * The cord: the one gate of all effects (P1, P2).
 *
 * Owns: whether it is pulled, and the epoch, which grows with every pull and release. Does not own: what
 * runs (the driver stops that), nor the durable copy (the store has it).
 * C1 An effect decided under one epoch never starts under another.
 * C2 Between the check and the effect there is no `await`: both are in one synchronous call.
 */
import { CordPulled, type Launch } from '../../base/launch';

export interface Cord {
  readonly pulled: boolean;
  readonly epoch: number;
  /** The gate for an effect that is decided now. */
  launch(): Launch;
  /** From here on nothing starts. Returns the new epoch. */
  pull(): number;
  release(): number;
  /** Calls back with each pull and release, in the tick in which it happens. */
  watch(listener: (pulled: boolean) => void): void;
}

export function createCord(pulled: boolean, epoch: number): Cord {
  let isPulled = pulled;
  let current = epoch;
  const listeners: ((pulled: boolean) => void)[] = [];
  const turned = (now: boolean): number => {
    isPulled = now;
    current += 1;
    for (const listener of listeners) listener(now);
    return current;
  };
  return {
    get pulled() {
      return isPulled;
    },
    get epoch() {
      return current;
    },
    launch() {
      const decidedUnder = current;
      return (effect) => {
        if (isPulled || decidedUnder !== current) throw new CordPulled();
        return effect();
      };
    },
    pull: () => turned(true),
    release: () => turned(false),
    watch: (listener) => void listeners.push(listener),
  };
}
