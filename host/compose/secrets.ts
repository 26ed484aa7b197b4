/** What Belay holds for itself and no child or result may see (X8): the keys of providers. */
import type { Settings } from '../../protocol';
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
        (provider) => provider.apiKeyEnv ?? [],
      );
      const inEnv = names.flatMap((name) => env[name] ?? []);
      return { names, values: [...new Set([...handed, ...inEnv])] };
    },
  };
}
