/** Sends through OpenAI's SDK, which both of its wires share. */
import type { Open } from './exchange';
import { NO_TIMEOUT_MS, type Attempt } from './wire';

/** The SDK is loaded with the first request, and asked for once: a repeated `import` is not free. */
const load = () => import('openai');
let loading: ReturnType<typeof load> | undefined;

/** `body` is JSON text. */
export async function openOpenAi({ provider }: Attempt, path: string, body: () => string): Promise<Open> {
  const { OpenAI } = await (loading ??= load());
  return (fetchInside, signal) => {
    const client = new OpenAI({
      baseURL: provider.baseUrl ?? 'https://api.openai.com/v1',
      apiKey: provider.key ?? 'none',
      organization: null,
      project: null,
      adminAPIKey: null,
      webhookSecret: null,
      maxRetries: 0,
      timeout: NO_TIMEOUT_MS,
      logLevel: 'off',
      fetch: fetchInside,
      ...(provider.key === undefined ? { defaultHeaders: { authorization: null } } : {}),
    });
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    return client.post(path, { body: body(), headers, stream: true, signal }).asResponse();
  };
}
