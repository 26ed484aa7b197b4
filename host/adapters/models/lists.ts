/**
 * What the providers have said of their models, kept in memory, and in the store for the hosts to come. It owns the looks that are under way.
 *
 * 1. A list holds for `MODEL_LIST_KEPT_MS` and for the address and key that it was asked with; a failure is told and
 *    asked again with the next look. Two looks at once are one request.
 * 2. What could not be asked anew (paused, refused, out of reach) leaves the last list of that address as it is.
 * 3. What was listed last is known again after a restart: a model's window decides when to compact (T7). A store that
 *    does not take it costs no list.
 */
import { LISTED_MODELS_MOST, MODEL_LIST_KEPT_MS, say, type Provider } from '../../../protocol';
import type { Clock } from '../../base/clock';
import { CordPulled, type Launch } from '../../base/launch';
import { askList, ListFailure } from './askList';
import type { Log } from '../../base/log';
import type { Web } from '../../base/web/web';
import type { ModelListRecord } from '../../engine/records';
import type { Listed, ListedModel } from './listed';

export interface Lists {
  /** What was listed last; undefined when nothing is known. */
  of(name: string, provider: Provider): readonly ListedModel[] | undefined;
  /** Why that is not, or not all, that the provider has. */
  note(name: string, provider: Provider): string | undefined;
  /** Asks for the list where it is not known; resolves when it is, or when it is known why not. */
  look(asked: Looked, launch: Launch): Promise<void>;
  /** Ends the looks that are under way. */
  stop(): void;
  /** The same, and there will be no others. */
  close(): void;
}

interface Looked {
  readonly name: string;
  readonly provider: Provider;
  readonly key: string | undefined;
  /** Called when the key was not accepted. */
  readonly refused: () => void;
}

interface Known {
  readonly address: string;
  readonly listed?: Listed | undefined;
  /** When and with which key it was listed. */
  readonly at?: number | undefined;
  readonly key?: string | undefined;
  readonly failure?: string | undefined;
}

/** What outlives this host. */
export interface ListMemory {
  recallModels(provider: string): ModelListRecord | undefined;
  rememberModels(provider: string, list: ModelListRecord): Promise<void>;
}

interface Need {
  readonly clock: Clock;
  readonly web: Web;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** A text without what Belay keeps secret (X8). */
  readonly hide: (text: string) => string;
  /** Undefined while there is no store to write to. */
  readonly memory: () => ListMemory | undefined;
}

export function createLists({ clock, web, env, log, hide, memory }: Need): Lists {
  const known = new Map<string, Known>();
  const looks = new Map<string, Promise<void>>();
  let stopping = new AbortController();

  const knownOf = (name: string, provider: Provider): Known | undefined => {
    const address = addressOf(provider);
    const found = known.get(name);
    if (found?.address === address) return found;
    const last = memory()?.recallModels(name);
    if (last?.address !== address) return undefined;
    const recalled: Known = { address, listed: last };
    known.set(name, recalled);
    return recalled;
  };

  const remember = async (name: string, list: ModelListRecord): Promise<void> => {
    try {
      const kept = memory();
      if (JSON.stringify(kept?.recallModels(name)) === JSON.stringify(list)) return;
      await kept?.rememberModels(name, list);
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown';
      log('warn', `The models of "${name}" could not be kept: ${why}`);
    }
  };

  const look = async ({ name, provider, key, refused }: Looked, launch: Launch): Promise<void> => {
    const address = addressOf(provider);
    const { signal } = stopping;
    try {
      const listed = await askList({ name, provider, key, web, env, clock, hide, signal }, launch);
      known.set(name, { address, listed, at: clock.now(), key });
      await remember(name, { address, ...listed });
    } catch (error) {
      if (error instanceof ListFailure && error.key) refused();
      const failure = hide(sentence(error, name));
      known.set(name, { address, listed: knownOf(name, provider)?.listed, failure });
    }
  };

  return {
    of: (name, provider) => knownOf(name, provider)?.listed?.models,
    note: (name, provider) => {
      const found = knownOf(name, provider);
      return found?.failure ?? (found?.listed === undefined ? undefined : shortOf(name, found.listed));
    },
    look: (asked, launch) => {
      const found = knownOf(asked.name, asked.provider);
      const fresh =
        found?.at !== undefined && found.key === asked.key && clock.now() - found.at < MODEL_LIST_KEPT_MS;
      if (fresh) return Promise.resolve();
      const same = `${asked.name} ${addressOf(asked.provider)} ${asked.key ?? ''}`;
      const under = looks.get(same);
      if (under !== undefined) return under;
      const begun = look(asked, launch).finally(() => looks.delete(same));
      looks.set(same, begun);
      return begun;
    },
    stop: () => {
      stopping.abort();
      stopping = new AbortController();
    },
    close: () => stopping.abort(),
  };
}

const addressOf = ({ kind, baseUrl }: Provider): string => `${kind} ${baseUrl ?? ''}`;

function sentence(error: unknown, name: string): string {
  if (error instanceof ListFailure) return error.message;
  if (error instanceof CordPulled)
    return say('Paused: "{name}" is asked for its models once you have resumed.', { name });
  throw error;
}

function shortOf(name: string, { models, left }: Listed): string | undefined {
  if (models.length === 0)
    return say('"{name}" has no models yet. Load one there, or name one by its id.', { name });
  return left === 0
    ? undefined
    : say('"{name}" lists {left} more models than the {most} that are offered. Name such a one by its id.', {
        name,
        left,
        most: LISTED_MODELS_MOST,
      });
}
