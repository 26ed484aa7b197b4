/** What Belay holds for itself and no child or result may see (X8): keys of providers, sign-ins to servers. */
import type { Settings } from '../../protocol';
import type { ServersNeed } from '../adapters/mcp/room';
import { keyVariable } from '../adapters/models/keys';
import type { Client } from '../api/serve';
import type { Log } from '../base/log';
import type { Secrets } from '../base/redact';

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
      const names = Object.values(settings().models?.providers ?? {}).flatMap(
        (provider) => keyVariable(provider) ?? [],
      );
      const inEnv = names.flatMap((name) => env[name]?.trim() ?? []);
      return { names, values: [...new Set([...handed, ...inEnv])] };
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
