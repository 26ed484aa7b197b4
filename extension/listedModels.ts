/** What an OpenAI-compatible service says that it has, at `BASE/models`. */
import { isRecord } from './hostError';

/** A server that loads a model first may need some seconds, ms; the person is waiting. */
const LIST_MS = 10_000;
/** Beyond it nobody chooses from a list: services that resell models have some hundred. */
const LISTED_MOST = 1_000;

/** The ids, in its order; empty when it does not tell them. `key` goes to this address alone. Never rejects. */
export async function listedModels(baseUrl: string, key: string | undefined): Promise<readonly string[]> {
  try {
    const reply = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      redirect: 'error',
      signal: AbortSignal.timeout(LIST_MS),
    });
    if (!reply.ok) return [];
    const body: unknown = await reply.json();
    const data: unknown = isRecord(body) ? body['data'] : undefined;
    if (!Array.isArray(data)) return [];
    const ids = data.flatMap((one: unknown) => (isRecord(one) && isModelId(one['id']) ? [one['id']] : []));
    return [...new Set(ids)].slice(0, LISTED_MOST);
  } catch {
    return [];
  }
}

/** As the setting takes it. */
const isModelId = (id: unknown): id is string => typeof id === 'string' && id !== '' && id.length <= 256;
