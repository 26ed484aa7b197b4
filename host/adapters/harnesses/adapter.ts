/** What each adapter is to the rest: one entry in the list of agents, and the way to open a session with one. */
import type { HarnessInfo } from '../../../protocol';
import type { HarnessCapabilities, HarnessOpen, HarnessSession } from '../../engine/harnessPort';
import type { Surroundings } from './outside';

export interface Adapter {
  /** The agents that it can drive here, found or not. */
  list(around: Surroundings): readonly HarnessInfo[];
  /** Whether `harness` names one of its agents. */
  drives(harness: string): boolean;
  readonly capabilities: HarnessCapabilities;
  open(options: HarnessOpen, around: Surroundings): HarnessSession;
}

/** A failed start, told to the person. */
export const missing = (name: string, install: string): string =>
  `${name} was not found on this machine. Install it (${install}), or name its program in the setting belay.harnesses.`;
