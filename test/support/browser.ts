/** The person's browser, as far as a sign-in needs one: it opens the address, and tells where it was led to. */

/** Where tests let browsers be led to; nothing listens there. */
export const REDIRECT = 'vscode://belay.belay/signed-in';

export interface Led {
  readonly state: string;
  readonly code?: string;
}

/** Opens the address of an authorization server that asks nothing of its person. */
export async function browse(url: string): Promise<Led> {
  const response = await fetch(url, { redirect: 'manual' });
  await response.body?.cancel();
  const back = new URL(response.headers.get('location') ?? 'none:');
  const code = back.searchParams.get('code');
  return { state: back.searchParams.get('state') ?? '', ...(code === null ? {} : { code }) };
}

/** The secret storage of a client, and how it answers the host. */
export class SecretStorage {
  readonly kept = new Map<string, string>();

  readonly serve = (method: string, params: unknown): unknown => {
    const { name, value } = params as { name: string; value?: string };
    if (method === 'secret/get') return this.kept.has(name) ? { value: this.kept.get(name) } : {};
    if (method !== 'secret/set') return {};
    if (value === undefined) this.kept.delete(name);
    else this.kept.set(name, value);
    return {};
  };
}
