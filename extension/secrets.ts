import { randomBytes } from 'node:crypto';

/** The part of `SecretStorage` that is used. */
export interface SecretStore {
  get(key: string): Thenable<string | undefined>;
  store(key: string, value: string): Thenable<void>;
  delete(key: string): Thenable<void>;
}

/** Where the names of stored secrets are kept; never their values. */
export interface SecretNames {
  get(): Promise<readonly string[]>;
  set(names: readonly string[]): Promise<void>;
}

/** The name by which the host asks for the key of a model provider. */
export const modelKeyName = (provider: string): string => `model/${provider}`;

/** What servers' secrets begin with: those of sign-ins, and all of them. */
export const OAUTH_SECRETS = 'mcp/oauth/';
export const SERVER_SECRETS = 'mcp/';

/**
 * Keys live in VS Code's secret storage and leave it only as the answer to `secret/get`. Where VS Code finds no
 * keyring, that storage forgets everything with the window; the names tell that something was there.
 */
export class Secrets {
  constructor(
    private readonly secrets: SecretStore,
    private readonly names: SecretNames,
    private readonly onLost: (name: string) => void,
  ) {}

  async get(name: string): Promise<string | undefined> {
    const value = await this.secrets.get(storageKey(name));
    if (value === undefined && (await this.names.get()).includes(name)) {
      await this.forget(name);
      this.onLost(name);
    }
    return value;
  }

  async set(name: string, value: string): Promise<void> {
    await this.secrets.store(storageKey(name), value);
    await this.names.set([...new Set([...(await this.names.get()), name])]);
  }

  async remove(name: string): Promise<void> {
    await this.forget(name);
    await this.secrets.delete(storageKey(name));
  }

  private async forget(name: string): Promise<void> {
    await this.names.set((await this.names.get()).filter((one) => one !== name));
  }
}

function storageKey(name: string): string {
  return `belay.key.${name}`;
}

const WINDOW_KEY_BYTES = 32;
const WINDOW_KEY_AT = 'belay.window.key';

/**
 * The secret by which this user's windows know each other: made by the first one that needs it. Where two make it at
 * the same time the later one stands, which the other reads when its own does not fit.
 */
export async function windowKey(secrets: SecretStore): Promise<string | undefined> {
  const kept = await secrets.get(WINDOW_KEY_AT);
  if (kept !== undefined) return kept;
  await secrets.store(WINDOW_KEY_AT, randomBytes(WINDOW_KEY_BYTES).toString('hex'));
  return secrets.get(WINDOW_KEY_AT);
}
