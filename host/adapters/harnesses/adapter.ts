/** What each adapter is to the rest: one entry in the list of agents, and the way to open a session with one. */
import { say, type HarnessInfo } from '../../../protocol';
import type { HarnessCapabilities, HarnessOpen, HarnessSession } from '../../engine/harnessPort';
import { packageVersion } from './find';
import type { ModelLister } from './modelLists';
import type { Surroundings } from './outside';

export interface Adapter {
  /** The agents that it can drive here, found or not. */
  list(around: Surroundings): readonly HarnessInfo[];
  /** Whether `harness` names one of its agents. */
  drives(harness: string): boolean;
  readonly capabilities: HarnessCapabilities;
  /** How it is asked for its models; without it, it can say them only of a session, or not at all. */
  readonly models?: ModelLister;
  open(options: HarnessOpen, around: Surroundings): HarnessSession;
}

/** An agent in the list, by where its program was found. */
export function listed(
  agent: Pick<HarnessInfo, 'id' | 'name' | 'note'>,
  path: string | undefined,
  install: string,
): HarnessInfo {
  if (path === undefined) return { ...agent, found: false, install };
  const version = packageVersion(path);
  return { ...agent, found: true, path, ...(version === undefined ? {} : { version }) };
}

/** A failed start, told to the person. */
export const missing = (name: string, install: string): string =>
  say(
    '{name} was not found on this machine. Install it ({why}), or name its program in the setting belay.harnesses.',
    { name, why: install },
  );
