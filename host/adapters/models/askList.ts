/**
 * Asks a provider which models it has: one request through the cord, bounded in time and size. It owns the request's
 * timer and abort, and has let go of both when it settles.
 *
 * 1. `fetch` is called inside `launch`, with no `await` between the check and the call (P2).
 * 2. A redirect is not followed: it would be a request that nothing has launched, and could take the key elsewhere.
 */
import { MIB, MODEL_LIST_BYTES, MODEL_LIST_MS, say, type Provider } from '../../../protocol';
import type { Clock } from '../../base/clock';
import { CordPulled, type Launch } from '../../base/launch';
import type { Web } from '../../base/web/web';
import { ModelFailure } from '../../engine/ports';
import { saysWho, withExtras } from './extras';
import { ledTo, redirected, unreachable } from './failures';
import { readList, type Listed } from './listed';
import { addressOf } from './wire';

export interface ListAsked {
  readonly name: string;
  readonly provider: Provider;
  readonly key: string | undefined;
  readonly web: Web;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** A text without what Belay keeps secret (X8). */
  readonly hide: (text: string) => string;
  /** Ends it, as if it had not been asked. */
  readonly signal: AbortSignal;
}

/** Why there is no list, as a sentence with a way on. */
export class ListFailure extends Error {
  constructor(
    message: string,
    /** The key was not accepted. */
    readonly key = false,
  ) {
    super(message);
  }
}

/** Rejects with `ListFailure`, or with `CordPulled` when it may not be asked or was ended. */
export async function askList(asked: ListAsked, launch: Launch): Promise<Listed> {
  const { name, provider, key, clock, hide, signal } = asked;
  const url = listAddress(provider);
  const controller = new AbortController();
  const end = (): void => controller.abort(ENDED);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  const timer = clock.after(MODEL_LIST_MS, () => controller.abort(LATE));
  let proxy: string | undefined;
  try {
    const way = await asked.web.to(url);
    proxy = way.proxy;
    const send = withExtras(way.fetch, asked);
    const headers = headersFor(provider, key);
    const sent = launch(() => send(url, { headers, redirect: 'manual', signal: controller.signal }));
    const response = await sent;
    const target = ledTo(response, url);
    if (target !== undefined) throw redirected(asked, target);
    if (!response.ok) throw refusal(asked, url, response.status);
    const text = await textOf(response);
    if (text === undefined) throw tooLong(name);
    const listed = readList(provider.kind, text);
    if (listed === undefined) throw strange(name, url);
    return listed;
  } catch (error) {
    if (error instanceof ListFailure || error instanceof CordPulled) throw error;
    if (error instanceof ModelFailure) throw new ListFailure(error.message);
    const why: unknown = controller.signal.reason;
    if (why === ENDED) throw new CordPulled();
    if (why === LATE) throw tooLate(name);
    const { baseUrl } = provider;
    throw new ListFailure(unreachable({ name, baseUrl, key, hide, proxy }, error).message);
  } finally {
    timer.clear();
    signal.removeEventListener('abort', end);
    // What was not read to its end is not wanted any more.
    end();
  }
}

/** Why a request was ended. */
const ENDED = 'ended';
const LATE = 'late';

const tooLong = (name: string): ListFailure =>
  new ListFailure(
    say('"{name}" sent more than {size} MiB as its list of models. Name a model by its id.', {
      name,
      size: MODEL_LIST_BYTES / MIB,
    }),
  );

const strange = (name: string, url: string): ListFailure =>
  new ListFailure(
    say('What "{name}" sent from {url} is no list of models. Check the address, or name a model by its id.', {
      name,
      url,
    }),
  );

const tooLate = (name: string): ListFailure =>
  new ListFailure(
    say('"{name}" has not listed its models within {seconds} s. Try again, or name a model by its id.', {
      name,
      seconds: MODEL_LIST_MS / 1000,
    }),
  );

function refusal({ name, provider, key }: ListAsked, url: string, status: number): ListFailure {
  if (status === 401 && key === undefined && saysWho(provider))
    return new ListFailure(
      say(
        '"{name}" does not accept what its headers or query say of who asks for its models. Correct them in the settings.',
        { name },
      ),
    );
  if (status === 401)
    return new ListFailure(
      key === undefined
        ? say('"{name}" asks for a key before it lists its models. Set one.', { name })
        : say('"{name}" does not accept the key for its list of models. Set a valid one.', { name }),
      true,
    );
  if (status === 403)
    return new ListFailure(
      say('"{name}" does not list its models for this key. Name a model by its id.', { name }),
    );
  if (status === 404 || status === 405 || status === 501)
    return new ListFailure(
      say('"{name}" has no list of models at {url}. Check the address, or name a model by its id.', {
        name,
        url,
      }),
    );
  return new ListFailure(
    say('"{name}" answered {url} with status {status}. Try again, or name a model by its id.', {
      name,
      url,
      status,
    }),
  );
}

/** All of them at once: Anthropic's pages hold 20 by default and 1,000 at most, the others have no pages. */
function listAddress(provider: Provider): string {
  const address = bare(addressOf(provider));
  return provider.kind === 'anthropic' ? `${address}/v1/models?limit=1000` : `${address}/models`;
}

const bare = (address: string): string => address.replace(/\/+$/, '');

function headersFor({ kind }: Provider, key: string | undefined): Record<string, string> {
  const accept = { accept: 'application/json' };
  if (kind === 'anthropic')
    return {
      ...accept,
      'anthropic-version': '2023-06-01',
      ...(key === undefined ? {} : { 'x-api-key': key }),
    };
  return { ...accept, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
}

/** Undefined when it is longer than it may be. */
async function textOf({ body }: Response): Promise<string | undefined> {
  if (body === null) return '';
  const stream: ReadableStream<Uint8Array> = body;
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const piece of stream) {
    bytes += piece.byteLength;
    if (bytes > MODEL_LIST_BYTES) return undefined;
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
