/**
 * What Belay holds and no child or result may see (X8): keys of providers, sign-ins to servers and proxies, and what a person has
 * entered because an agent asked for it. Values are in memory alone, for as long as the host lives.
 */
import { toolSecretName, type Answer, type Settings } from '../../protocol';
import { cleanAnswer } from '../adapters/clientTools/cleanAnswer';
import type { ServersNeed } from '../adapters/mcp/room';
import { extraSecrets, extraVariables } from '../adapters/models/extras';
import { keyVariable } from '../adapters/models/keys';
import type { Client } from '../api/serve';
import type { Clock, Timer } from '../base/clock';
import type { Log } from '../base/log';
import { variable } from '../base/programs';
import { SECRET_CHARACTERS, type Secrets } from '../base/redact';
import { proxySecrets } from '../base/web/proxy';

export interface SecretKeeper {
  /** Remembers a value that the client has handed over. */
  keep(value: string | undefined): string | undefined;
  /** Names and values to keep out, as of now. */
  secrets(): Secrets;
}

export function createSecretKeeper(
  env: Readonly<Record<string, string | undefined>>,
  settings: () => Settings,
): SecretKeeper {
  const handed = new Set<string>();
  return {
    keep(value) {
      if (value !== undefined && value !== '') handed.add(value);
      return value;
    },
    secrets() {
      const providers = Object.values(settings().models?.providers ?? {});
      const names = providers.flatMap((provider) => [
        ...[keyVariable(provider) ?? []].flat(),
        ...extraVariables(provider),
      ]);
      const inEnv = names.flatMap((name) => variable(env, name)?.trim() ?? []);
      const proxies = proxySecrets(settings().http ?? {}, env);
      return {
        names,
        values: [...new Set([...handed, ...inEnv, ...proxies, ...providers.flatMap(extraSecrets)])],
      };
    },
  };
}

/** What agents have asked a person for. */
export interface AskedSecrets {
  /** A text that may be one. */
  hide(text: string): void;
  /** Reads what the client keeps under these names. Never rejects, and waits a bounded time for a client. */
  learn(names: readonly string[]): Promise<void>;
  /** An answer of a person or a client, without what is known here. */
  clean(answer: Answer): Answer;
}

/** How long an answer or a start waits for the client's storage, ms: a keyring may ask the person first. */
const ASKED_MS = 3_000;

export function createAskedSecrets(
  client: Pick<Client, 'request'>,
  keeper: SecretKeeper,
  clock: Clock,
  log: Log,
): AskedSecrets {
  const hide = (text: string): void => {
    for (const value of new Set([text, text.trim()]))
      if (value.length >= SECRET_CHARACTERS) keeper.keep(value);
  };
  const learnOne = async (name: string): Promise<void> => {
    try {
      const { value } = await client.request('secret/get', { name: toolSecretName(name) });
      if (value !== undefined) hide(value);
    } catch {
      log('warn', 'A secret that was entered for an agent could not be read, so it is not redacted.');
    }
  };
  return {
    hide,
    clean: (answer) => cleanAnswer(answer, keeper.secrets()),
    learn: async (names) => {
      if (names.length === 0) return;
      let timer: Timer | undefined;
      const over = new Promise<void>((resolve) => (timer = clock.after(ASKED_MS, resolve)));
      await Promise.race([Promise.all(names.map(learnOne)), over]);
      timer?.clear();
    },
  };
}

/** What the client keeps for servers. A storage that does not answer has nothing: then a person is asked again. */
export function createServerSecrets(
  client: Pick<Client, 'request'>,
  keeper: SecretKeeper,
  log: Log,
): ServersNeed['secret'] {
  return {
    get: async (name) => {
      try {
        return (await client.request('secret/get', { name })).value;
      } catch {
        log('warn', 'A value that is kept for a server could not be read.');
        return undefined;
      }
    },
    set: async (name, value) => {
      try {
        await client.request('secret/set', value === undefined ? { name } : { name, value });
      } catch {
        log('warn', 'A sign-in to a server could not be kept: it is forgotten with this window.');
      }
    },
    hide: (value) => void keeper.keep(value),
  };
}
