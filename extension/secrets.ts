/** The part of `SecretStorage` that is used. */
export interface SecretStore {
  get(key: string): Thenable<string | undefined>;
  store(key: string, value: string): Thenable<void>;
  delete(key: string): Thenable<void>;
}

/** The name by which the host asks for the key of a model provider. */
export const modelKeyName = (provider: string): string => `model/${provider}`;

/** Keys live in VS Code's secret storage and leave it only as the answer to `secret/get`. */
export class Secrets {
  constructor(private readonly secrets: SecretStore) {}

  async get(name: string): Promise<string | undefined> {
    return this.secrets.get(storageKey(name));
  }

  async set(name: string, value: string): Promise<void> {
    await this.secrets.store(storageKey(name), value);
  }

  async remove(name: string): Promise<void> {
    await this.secrets.delete(storageKey(name));
  }
}

function storageKey(name: string): string {
  return `belay.key.${name}`;
}
