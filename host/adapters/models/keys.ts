/**
 * Keys of providers: from the client's secrets, else from the environment. What the client said is kept for a
 * minute, since asking it in each round would cost a trip to another thread; a refused key is asked for anew,
 * and so is one that was missing, because the person may have stored it since.
 */
import { CLIENT_REQUEST_MS, type Provider } from '../../../protocol';
import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import { variable } from '../../base/programs';
import { ModelFailure } from '../../engine/ports';

const KEPT_MS = 60_000;
/** How long a client may take where a request can go on without its key, ms. */
const SHORT_MS = 1_000;

/** The names that the providers' own programs read, used only with their own addresses. */
const OFFICIAL_ENV = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' } as const;

/** Name of the environment variable that a provider's key is read from; what it holds is a secret (X8). */
export const keyVariable = (provider: Provider): string | undefined =>
  provider.apiKeyEnv ??
  (provider.baseUrl === undefined && provider.kind !== 'openai-compatible'
    ? OFFICIAL_ENV[provider.kind]
    : undefined);

export interface Keys {
  /** `anew` asks the client even for what it has told in this minute. */
  get(
    name: string,
    provider: Provider,
    asked?: { readonly signal?: AbortSignal; readonly anew?: boolean },
  ): Promise<string | undefined>;
  forget(name: string): void;
  /** Looks at a failure: a key that was not accepted is not used again unasked. */
  doubt(name: string, error: unknown): void;
}

interface Need {
  readonly secret: (name: string) => Promise<string | undefined>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What was told of a provider: for its address alone, as long as that is the same. */
interface Kept {
  readonly at: number;
  readonly key: string | undefined;
  readonly address: string | undefined;
}

export function createKeys({ secret, env, clock, log }: Need): Keys {
  const kept = new Map<string, Kept>();

  /** A client that does not answer is a client without a key. */
  const inTime = (asked: Promise<string | undefined>, ms: number): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      const timer = clock.after(ms, () => resolve(undefined));
      asked.then(resolve, reject).finally(() => timer.clear());
    });

  const ask = async (
    name: string,
    address: string | undefined,
    isOptional: boolean,
    anew: boolean,
  ): Promise<string | undefined> => {
    const last = kept.get(name);
    const known = last?.address === address ? last : undefined;
    if (!anew && known !== undefined && clock.now() - known.at < KEPT_MS) return known.key;
    try {
      const key = (await inTime(secret(`model/${name}`), isOptional ? SHORT_MS : CLIENT_REQUEST_MS))?.trim();
      if (key === undefined && !isOptional) kept.delete(name);
      else kept.set(name, { at: clock.now(), key, address });
      return key;
    } catch (error) {
      log(
        'warn',
        `The key of "${name}" could not be asked for: ${error instanceof Error ? error.message : 'unknown'}`,
      );
      return known?.key;
    }
  };

  return {
    get: async (name, provider, { signal, anew = false } = {}) => {
      const named = keyVariable(provider);
      const fromEnv = nonEmpty(named === undefined ? undefined : variable(env, named)?.trim());
      const isOptional = provider.kind === 'openai-compatible' || fromEnv !== undefined;
      const told = await unlessAborted(ask(name, provider.baseUrl, isOptional, anew), signal);
      return nonEmpty(told) ?? fromEnv;
    },
    forget: (name) => void kept.delete(name),
    doubt: (name, error) => {
      if (error instanceof ModelFailure && error.code === 'model_key_missing') kept.delete(name);
    },
  };
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

/** A client that does not answer must not hold a turn that is being ended. `work` does not reject. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<void>((resolve) => (stop = resolve));
  signal.addEventListener('abort', stop, { once: true });
  await Promise.race([work, aborted]);
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  return work;
}
