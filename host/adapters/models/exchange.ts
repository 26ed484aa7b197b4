/**
 * One request and its stream: leaves through the cord, is watched for silence, and ends in exactly one way.
 * It owns the request's abort and its stall timer, and has let go of both when it settles.
 *
 * 1. `fetch` is called inside `launch`, with no `await` between the check and the call (P2).
 * 2. What it throws is the launch's refusal, the signal's reason, or a `ModelFailure`, in that order; what
 *    the caller's own `onPiece` throws goes through as it is.
 * 3. A redirect is not followed: it would be a request that nothing has launched, and take the key elsewhere.
 * 4. A request that did not end well is aborted, so that no provider goes on writing for nobody.
 */
import { z } from 'zod';
import { parseJson, TooDeep } from '../../base/json';
import { ANSWER_BYTES } from '../../../protocol';
import { ModelFailure } from '../../engine/ports';
import type { Clock, Timer } from '../../base/clock';
import { cutShort, ledTo, malformed, redirected, refused, stalled, tooLarge, unreachable } from './failures';
import { BodyBroken, EventTooLarge, serverEvents, type ServerEvent } from './sse';
import type { Attempt } from './wire';

/** One event may repeat the whole answer, escaped (`response.completed`). */
const EVENT_CHARS = 4 * ANSWER_BYTES;
/** What is read of a body that is no stream, characters: an answer may come whole, escaped. */
const PAGE_CHARS = 2 * ANSWER_BYTES;
/** How long the end of a body is awaited after the end marker, ms, so that its connection can be used again. */
const LINGER_MS = 250;

/** What a wire makes of its events. */
export interface Reading {
  /** Takes one event, parsed from JSON. Returns whether it carried anything: a keep-alive does not. */
  take(data: unknown): boolean;
  /** Takes the bare marker `[DONE]`. */
  marker?(): void;
  /** Whether the end marker has come: what follows is not read. */
  ended(): boolean;
  /** Asked when the body ends: whether the answer is all there. */
  whole(): boolean;
}

/** Sends through an SDK whose `fetch` is the one given, and gives its response. */
export type Open = (fetchInside: typeof fetch, signal: AbortSignal) => Promise<Response>;

export async function exchange(attempt: Attempt, open: Open, reading: Reading): Promise<void> {
  const { signal, provider } = attempt;
  signal.throwIfAborted();
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const watch = new StallWatch(attempt.clock, attempt.stallMs, () => controller.abort());
  let notStarted: { readonly error: unknown } | undefined;
  let refusal: ModelFailure | undefined;

  let page: string | undefined;

  const fetchInside: typeof fetch = (input, init) => {
    let started: Promise<Response>;
    try {
      started = attempt.launch(() => attempt.fetch(input, { ...init, redirect: 'manual' }));
    } catch (error) {
      notStarted = { error };
      throw error;
    }
    return started.then(async (response) => {
      if (response.ok && !isPage(response)) return response;
      const target = ledTo(response, input instanceof Request ? input.url : String(input));
      refusal = target === undefined ? undefined : redirected(provider, target);
      if (refusal !== undefined) throw refusal;
      page = await textOf(response);
      refusal = refusalIn(response, page, attempt);
      if (refusal !== undefined) throw refusal;
      return response;
    });
  };

  let answered = false;
  let complete = false;
  try {
    const response = await open(fetchInside, controller.signal);
    answered = true;
    if (page === undefined) await read(response, reading, attempt, watch);
    else readPage(page, reading, attempt);
    complete = true;
  } catch (error) {
    if (notStarted !== undefined) throw notStarted.error;
    if (signal.aborted) throw signal.reason;
    if (watch.stalled) throw stalled(provider, attempt.stallMs);
    if (refusal !== undefined) throw refusal;
    if (error instanceof ModelFailure) throw error;
    if (error instanceof EventTooLarge) throw tooLarge(provider, `${EVENT_CHARS} characters in one piece`);
    if (error instanceof BodyBroken) throw cutShort(provider, error.cause);
    throw answered ? error : unreachable(provider, error);
  } finally {
    watch.clear();
    signal.removeEventListener('abort', abort);
    if (!complete) controller.abort();
  }
}

async function read(
  response: Response,
  reading: Reading,
  attempt: Attempt,
  watch: StallWatch,
): Promise<void> {
  if (response.body === null) throw cutShort(attempt.provider);
  watch.touch();
  let linger: Timer | undefined;
  const events = serverEvents(response.body, EVENT_CHARS);
  try {
    for await (const batch of events) {
      for (const event of batch) if (!reading.ended()) take(event, reading, attempt, watch);
      if (reading.ended()) linger ??= attempt.clock.after(LINGER_MS, () => watch.end());
    }
  } catch (error) {
    if (!(error instanceof BodyBroken) || !reading.ended()) throw error;
  } finally {
    linger?.clear();
  }
  if (!reading.whole()) throw cutShort(attempt.provider);
}

function take(event: ServerEvent, reading: Reading, attempt: Attempt, watch?: StallWatch): void {
  if (event.data === '[DONE]') return reading.marker?.();
  if (event.data === '') return;
  let data: unknown;
  try {
    data = parseJson(event.data);
  } catch (error) {
    if (!event.whole && !(error instanceof TooDeep)) return;
    throw malformed(attempt.provider, event.data);
  }
  if (reading.take(data)) watch?.touch();
}

/** Some servers answer whole although they were asked for a stream. */
function readPage(page: string, reading: Reading, attempt: Attempt): void {
  take({ event: '', data: page, whole: true }, reading, attempt);
  if (!reading.whole())
    throw malformed(attempt.provider, 'JSON in the place of a stream. Check the base address.');
}

/** What is no stream: the body of an error, a page of something else, or a whole answer. */
const isPage = (response: Response): boolean =>
  /^(application\/json|text\/html)/i.test(response.headers.get('content-type') ?? '');

/** The failure that such a response stands for, or undefined when it may be an answer. */
function refusalIn(response: Response, page: string, attempt: Attempt): ModelFailure | undefined {
  const body = errorIn(page);
  if (response.ok && !body.known) {
    const type = response.headers.get('content-type') ?? '';
    if (/json/i.test(type)) return undefined;
    return malformed(attempt.provider, `${type} in the place of a stream. Check the base address.`);
  }
  const status = response.ok ? body.status : response.status;
  const reason = body.reason === '' ? response.statusText : body.reason;
  const refusal = { status, type: body.type, reason, headers: response.headers };
  return refused(refusal, attempt.provider, attempt.model, attempt.clock);
}

/** The shapes in which providers put an error: `{error:{message,type,code}}`, `{error:"…"}`, `{message}`. */
const ErrorBody = z.looseObject({
  error: z
    .union([
      z.string().transform((message) => ({ message, type: undefined, code: undefined })),
      z.looseObject({
        message: z.string().nullish(),
        type: z.string().nullish(),
        code: z.union([z.string(), z.number()]).nullish(),
      }),
    ])
    .nullish(),
  message: z.string().nullish(),
  detail: z.string().nullish(),
});

export interface ErrorWords {
  readonly known: boolean;
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly reason: string;
}

/** Reads an error that came as JSON, or as any other text. */
export function errorIn(body: unknown): ErrorWords {
  let value = body;
  if (typeof body === 'string') {
    try {
      value = parseJson(body);
    } catch {
      return { known: false, status: undefined, type: undefined, reason: body };
    }
  }
  const parsed = ErrorBody.safeParse(value);
  if (!parsed.success)
    return { known: false, status: undefined, type: undefined, reason: JSON.stringify(value) };
  const { error, message, detail } = parsed.data;
  const code = error?.code ?? undefined;
  const words = [error?.type, typeof code === 'string' ? code : undefined].filter(
    (word) => word !== undefined && word !== null,
  );
  return {
    known: error !== undefined && error !== null,
    status: typeof code === 'number' && code >= 400 && code < 600 ? code : undefined,
    type: words.length > 0 ? words.join(' ') : undefined,
    reason: error?.message ?? message ?? detail ?? '',
  };
}

async function textOf(response: Response): Promise<string> {
  if (response.body === null) return '';
  const body: ReadableStream<Uint8Array> = response.body;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (text.length < PAGE_CHARS) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // The status alone says enough.
  }
  void reader.cancel().catch(() => undefined);
  return text;
}

/** Ends a silence. It keeps the time of the last sign of life and one timer, not a timer for each event. */
class StallWatch {
  stalled = false;
  private last: number;
  private timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly ms: number,
    readonly end: () => void,
  ) {
    this.last = clock.now();
    this.arm(ms);
  }

  touch(): void {
    this.last = this.clock.now();
  }

  clear(): void {
    this.timer?.clear();
  }

  private arm(ms: number): void {
    this.timer = this.clock.after(ms, () => {
      const left = this.last + this.ms - this.clock.now();
      if (left > 0) return this.arm(left);
      this.stalled = true;
      this.end();
    });
  }
}
