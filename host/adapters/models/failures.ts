/**
 * Every way in which an attempt can fail, as a `ModelFailure`: its code, whether another attempt can help
 * (T6), and a sentence that says what happened and what to do.
 */
import { ModelFailure } from '../../engine/ports';
import { say, type TurnCode } from '../../../protocol';
import type { Clock } from '../../base/clock';
import { isHere } from '../../base/web/proxy';
import { webFault } from '../../engine/webWords';
import type { ProviderAccess } from './wire';

/** What is shown of a provider's own words, characters: enough for the reason, too little for a page of HTML. */
const SHOWN_OF_REASON = 400;

export interface Refusal {
  readonly status?: number | undefined;
  /** The provider's word for it: `overloaded_error`, `context_length_exceeded`, … */
  readonly type?: string | undefined;
  readonly reason: string;
  readonly headers?: Headers | undefined;
}

/** An answer with an error status, or an error that came inside the stream. */
export function refused(
  refusal: Refusal,
  provider: ProviderAccess,
  model: string,
  clock: Clock,
): ModelFailure {
  const reason = shown(refusal.reason, provider);
  const retryAfter = retryAfterMs(refusal.headers, clock.now());
  const fail = (code: TurnCode, text: string, retry: boolean): ModelFailure =>
    new ModelFailure(
      code,
      reason === '' ? text : say('{why} ({reason})', { why: text, reason }),
      retry,
      retry ? retryAfter : undefined,
    );
  const type = refusal.type ?? '';
  const status = refusal.status ?? statusOf(type);
  const name = provider.name;

  if (status === 401) {
    if (provider.key === undefined && provider.saysWho === true)
      return fail(
        'model_rejected',
        say(
          '"{name}" does not accept what its headers or query say of who asks. Correct them in the settings and send again.',
          { name },
        ),
        false,
      );
    return provider.key === undefined
      ? fail(
          'model_key_missing',
          say('"{name}" asks for a key. Set one for this provider and send again.', { name }),
          false,
        )
      : fail(
          'model_key_missing',
          say('"{name}" does not accept the key. Set a valid one and send again.', { name }),
          false,
        );
  }
  if (status === 403) {
    return fail(
      'model_rejected',
      say('"{name}" does not allow {model} with this key. Check what the key may use.', { name, model }),
      false,
    );
  }
  if (status === 402 || /insufficient_quota|billing/.test(type)) {
    return fail(
      'model_rejected',
      say('The account at "{name}" has no credit left. Add some, or choose another model.', { name }),
      false,
    );
  }
  if (status === 413 || tooLong(type, refusal.reason)) {
    return fail(
      'context_limit',
      say('The conversation is longer than {model} can read. Start a new session or compact it.', { model }),
      false,
    );
  }
  if (/content_(filter|policy)/.test(type)) {
    return fail(
      'model_refused',
      say('"{name}" declined the request by its rules. Change the message and send again.', { name }),
      false,
    );
  }
  if (status === 404) {
    return fail(
      'model_rejected',
      say(`"{name}" does not know {model}. Check the model's name and the base address.`, { name, model }),
      false,
    );
  }
  if (status === 429 || status === 503 || status === 529) {
    return fail(
      'model_overloaded',
      say('"{name}" is overloaded or the rate limit is reached. Wait a little, or choose another model.', {
        name,
      }),
      true,
    );
  }
  if (status === 408 || status === 409 || (status !== undefined && status >= 500)) {
    return fail(
      'model_unreachable',
      say('"{name}" failed with status {status}. If it goes on, look at its status page or log.', {
        name,
        status,
      }),
      true,
    );
  }
  return fail(
    'model_rejected',
    say('"{name}" rejected the request. Check the model and its settings.', { name }),
    false,
  );
}

/**
 * A program on this machine that does not listen is seldom on its way; one that starts anew is there in a few seconds.
 * With the pauses of T6 before them (250 ms to 4 s) six attempts are about eight.
 */
const ABSENT_ATTEMPTS = 6;

/** No answer came: the address is wrong, nobody listens, or the network is down. */
export function unreachable(provider: ProviderAccess, error: unknown): ModelFailure {
  const { name, baseUrl: url } = provider;
  const cause = rootCause(error);
  const reason = shown(messageOf(cause), provider);
  const fault = webFault(error, url === undefined ? name : hostOf(url));
  if (fault !== undefined) {
    const text = say('"{name}" cannot be reached. {why}', { name, why: fault.text });
    return new ModelFailure('model_unreachable', text, fault.retry);
  }
  if (provider.proxy !== undefined)
    return new ModelFailure(
      'model_unreachable',
      say(
        '"{name}" cannot be reached through the proxy {proxy}. Check the network and that it runs. ({reason})',
        {
          name,
          proxy: provider.proxy,
          reason,
        },
      ),
      true,
    );
  if (url === undefined)
    return new ModelFailure(
      'model_unreachable',
      say('"{name}" cannot be reached. Check the network and that it runs. ({reason})', { name, reason }),
      true,
    );
  if (isRefused(cause) && URL.canParse(url) && isHere(new URL(url).hostname))
    return new ModelFailure(
      'model_unreachable',
      say('"{name}" does not run: nothing listens at {url}. Start it, or correct the address. ({reason})', {
        name,
        url,
        reason,
      }),
      true,
      undefined,
      ABSENT_ATTEMPTS,
    );
  return new ModelFailure(
    'model_unreachable',
    say('"{name}" cannot be reached at {url}. Check the network and that it runs. ({reason})', {
      name,
      url,
      reason,
    }),
    true,
  );
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

const isRefused = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';

export function cutShort(provider: ProviderAccess, error?: unknown): ModelFailure {
  const why = say('The answer of "{name}" broke off.', { name: provider.name });
  const reason = error === undefined ? '' : shown(rootMessage(error), provider);
  return new ModelFailure(
    'model_unreachable',
    reason === '' ? why : say('{why} ({reason})', { why, reason }),
    true,
  );
}

export function stalled(provider: ProviderAccess, ms: number): ModelFailure {
  return new ModelFailure(
    'model_stalled',
    say('"{name}" has sent nothing for {seconds} s.', {
      name: provider.name,
      seconds: Math.round(ms / 1000),
    }),
    true,
  );
}

export function malformed(provider: ProviderAccess, detail: string): ModelFailure {
  return new ModelFailure(
    'model_malformed',
    say('"{name}" sent an answer that cannot be read: {reason}', {
      name: provider.name,
      reason: shown(detail, provider),
    }),
    true,
  );
}

export function tooLarge(provider: ProviderAccess, limit: string): ModelFailure {
  return new ModelFailure(
    'model_output_limit',
    say('The answer of "{name}" went past {limit} and was stopped. Ask for less at a time.', {
      name: provider.name,
      limit,
    }),
    false,
  );
}

export function keyMissing(provider: string, env: string | undefined): ModelFailure {
  return new ModelFailure(
    'model_key_missing',
    env === undefined
      ? say('"{name}" needs a key. Set one for this provider.', { name: provider })
      : say(
          '"{name}" needs a key. Set one for this provider, or put it into the environment variable {variable}.',
          {
            name: provider,
            variable: env,
          },
        ),
    false,
  );
}

export function addressMissing(provider: string): ModelFailure {
  return new ModelFailure(
    'model_rejected',
    say('"{name}" has no base address. Set "baseUrl" for this provider.', { name: provider }),
    false,
  );
}

export function unknownModel(model: string): ModelFailure {
  return new ModelFailure(
    'model_unknown',
    say('There is no model "{model}". Choose another one.', { model }),
    false,
  );
}

/**
 * Where a response leads to instead of answering, as it may be shown: a query could hold a key. Undefined for one that
 * leads nowhere else.
 */
export function ledTo({ status, headers }: Response, asked: string): string | undefined {
  const location = headers.get('location');
  if (location === null || !REDIRECTS.has(status) || !URL.canParse(location, asked)) return undefined;
  const { origin, pathname } = new URL(location, asked);
  return `${origin === 'null' ? '' : origin}${pathname}`;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** It was not followed: the key and the conversation would go to whom nobody has named. */
export const redirected = ({ name }: Pick<ProviderAccess, 'name'>, target: string): ModelFailure =>
  new ModelFailure(
    'model_rejected',
    say(
      '"{name}" leads to {target}. Belay does not send its key and your words there. If you trust that address, correct the base address of this provider.',
      { name, target },
    ),
    false,
  );

/** The same failure, with its sentence without secrets. */
export function hiding(error: unknown, hide: (text: string) => string): unknown {
  if (!(error instanceof ModelFailure)) return error;
  const { code, message, retry, retryAfterMs, attemptsMost } = error;
  const text = hide(message);
  return text === message ? error : new ModelFailure(code, text, retry, retryAfterMs, attemptsMost);
}

/**
 * What the provider asked to wait, ms: `retry-after-ms`, or `retry-after` in seconds or as a date (RFC 9110
 * 10.2.3). Undefined when there is none or it makes no sense.
 */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') ?? NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = headers?.get('retry-after')?.trim() ?? '';
  if (text === '') return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.round(seconds * 1000) : undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Errors inside a stream have a name in the place of a status. */
function statusOf(type: string): number | undefined {
  if (/overloaded|rate_limit|slow_down/.test(type)) return 429;
  if (/authentication|invalid_api_key/.test(type)) return 401;
  if (type.includes('permission')) return 403;
  if (type.includes('not_found')) return 404;
  if (type.includes('request_too_large')) return 413;
  if (/server_error|api_error|timeout|internal/.test(type)) return 500;
  return undefined;
}

function tooLong(type: string, reason: string): boolean {
  return (
    /context_length_exceeded|exceed_context_size/.test(type) ||
    /prompt is too long|context (length|window|size)|maximum context|too many tokens|input (is|length).{0,40}too long/i.test(
      reason,
    )
  );
}

/** The innermost cause: `fetch failed` alone says nothing. */
function rootCause(error: unknown): unknown {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return at instanceof AggregateError && at.errors[0] instanceof Error ? at.errors[0] : at;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const rootMessage = (error: unknown): string => messageOf(rootCause(error));

/** A provider's words without the key and other secrets, on one line, cut. */
function shown(text: string, { key, hide }: ProviderAccess): string {
  // Before the cut: the beginning of a secret would be found no more behind it.
  const hidden = hide(text);
  const clean = (key === undefined || key === '' ? hidden : hidden.replaceAll(key, '[key]'))
    .replace(/\s+/g, ' ')
    .trim();
  return clean.length > SHOWN_OF_REASON ? `${clean.slice(0, SHOWN_OF_REASON)}…` : clean;
}
