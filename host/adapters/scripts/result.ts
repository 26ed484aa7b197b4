/** What a script's end is told as: to the model as a result, to its handle as an end (S4, T7). */
import { isTooDeep } from '../../base/json';
import { SCRIPT_MEMORY_BYTES, STREAM_KEPT_BYTES, say } from '../../../protocol';
import { beforeCharacter, Capture } from '../../base/capture';
import { redact, redactDeep, redactJson, type Secrets } from '../../base/redact';
import type { CallResult, StopReason } from '../../engine/ports';
import type { Captured, Ended, ScriptError } from './messages';

/** How a script ended, by the halt that the host has read. */
export type Outcome =
  | { readonly kind: 'ended'; readonly ended: Ended }
  | { readonly kind: 'broken'; readonly problem: string }
  | { readonly kind: 'timeout'; readonly ms: number; readonly ended: Ended | undefined }
  | { readonly kind: 'stopped'; readonly reason: StopReason; readonly ended: Ended | undefined };

/** Of the 64 KiB that a model is shown of a result, bytes: what it printed, what it logged, what it returned. */
const TEXT_BYTES = 28 * 1024;
const LOG_BYTES = 12 * 1024;
const VALUE_BYTES = 16 * 1024;
/** Of each notice, bytes: the agent knows what it has written. */
const NOTICE_BYTES = 512;

export function resultOf(outcome: Outcome, printed: string, secrets: Secrets): CallResult {
  switch (outcome.kind) {
    case 'ended':
      return ended(outcome.ended, secrets);
    case 'broken':
      return failed('failed', 'tool_failed', outcome.problem, said(undefined, printed, secrets), {
        end: 'failed',
      });
    case 'timeout':
      return failed(
        'timeout',
        'timed_out',
        `It had not ended after ${outcome.ms} ms of running and was ended.`,
        said(outcome.ended, printed, secrets),
        { end: 'timed_out' },
      );
    case 'stopped': {
      const { error, detail, end } = STOPPED[outcome.reason];
      const name = end === 'host_paused' ? end : 'stopped';
      return failed(name, error, detail, said(outcome.ended, printed, secrets), { end });
    }
  }
}

/** Stopped before its thread had it, or refused by the cord. */
export function neverStarted(reason: StopReason): CallResult {
  const { error, end } = STOPPED[reason];
  const name = end === 'host_paused' ? end : 'stopped';
  return {
    output: { error, detail: say('The script has not started: nothing of it has run.'), class: name },
    failed: true,
    ran: false,
    end: { end },
  };
}

function ended(told: Ended, secrets: Secrets): CallResult {
  const { ending } = told;
  const parts = said(told, '', secrets);
  const stores = told.stores.map(({ key, json }) => ({
    key,
    json: json === undefined ? undefined : redactJson(json, secrets),
  }));
  const written = stores.length === 0 ? {} : { stores };
  switch (ending.how) {
    case 'completed': {
      const value = valueOf(ending.value, secrets);
      return {
        output: {
          class: 'completed',
          ...value.shown,
          ...parts.shown,
          ...storedKeys(told),
          ...omittedOf({ ...parts.omitted, ...value.omitted }),
        },
        failed: false,
        ...pictures(told),
        ...keptOf([...parts.kept, ...value.kept]),
        ...written,
        end: { end: 'completed' },
      };
    }
    case 'failed':
      return { ...thrown('failed', ending.error, parts, secrets), ...pictures(told), ...written };
    case 'memory':
      return thrown(
        'memory',
        {
          ...ending.error,
          message: `It filled the ${SCRIPT_MEMORY_BYTES / (1024 * 1024)} MiB that a script may use.`,
        },
        parts,
        secrets,
      );
    case 'halted':
      return failed('stopped', 'stopped', STOPPED.stopped.detail, parts, { end: 'stopped' });
  }
}

const storedKeys = (told: Ended) =>
  told.stores.length === 0 ? {} : { stored: told.stores.map(({ key }) => key) };

const pictures = (told: Ended) => (told.images.length === 0 ? {} : { images: told.images });

function thrown(name: string, error: ScriptError, parts: Said, secrets: Secrets): CallResult {
  const { line, column, stack } = error;
  const message = redact([error.name, error.message].filter((part) => part !== '').join(': '), secrets);
  const at = line === undefined ? '' : ` (line ${line}, column ${column ?? 1})`;
  const result = failed(name, 'tool_failed', `${message}${at}`, parts, { end: 'failed' });
  const place = { ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) };
  const where = stack === '' ? {} : { stack: redact(stack, secrets) };
  return { ...result, output: { ...result.output, message, ...place, ...where } };
}

function failed(
  name: string,
  error: string,
  detail: string,
  parts: Said,
  end: NonNullable<CallResult['end']>,
): CallResult {
  return {
    output: { error, detail, class: name, ...parts.shown, ...omittedOf(parts.omitted) },
    failed: true,
    ...keptOf(parts.kept),
    end,
  };
}

interface Said {
  readonly shown: Readonly<Record<string, unknown>>;
  /** Bytes that are missing from what is shown, by name. */
  readonly omitted: Readonly<Record<string, number>>;
  readonly kept: readonly { readonly name: string; readonly text: string }[];
}

/** What it printed: as it told at its end, or as far as it was heard when it had to be ended. */
function said(told: Ended | undefined, printed: string, secrets: Secrets): Said {
  if (told === undefined) return part('log', { text: printed, omitted: 0 }, TEXT_BYTES);
  const clean = ({ text, omitted }: Captured) => ({ text: redact(text, secrets), omitted });
  const text = part('text', clean(told.text), TEXT_BYTES);
  const log = part('log', clean(told.log), LOG_BYTES);
  const notices = noticesOf(told, secrets);
  return {
    shown: { ...text.shown, ...log.shown, ...notices.shown },
    omitted: { ...text.omitted, ...log.omitted, ...notices.omitted },
    kept: [...text.kept, ...log.kept],
  };
}

/** The beginning of each notice; what is missing is counted (R10). */
function noticesOf({ notices, noticesOmitted }: Ended, secrets: Secrets): Pick<Said, 'shown' | 'omitted'> {
  if (notices.length === 0) return NOTHING;
  const clean = notices.map((one) => Buffer.from(redact(one, secrets)));
  const shown = clean.map((one) => beforeCharacter(one.subarray(0, NOTICE_BYTES)).toString());
  const missing = clean.reduce((sum, one) => sum + Math.max(0, one.length - NOTICE_BYTES), noticesOmitted);
  return { shown: { notices: shown }, omitted: missing === 0 ? {} : { notices: missing } };
}

/** One text as it is shown: head and tail when it is long, the whole kept beside (T7). */
function part(name: string, given: Captured, bytes: number): Said {
  if (given.text === '') return NOTHING;
  const capture = new Capture(2 * STREAM_KEPT_BYTES);
  capture.add(Buffer.from(given.text));
  const { text, omitted } = capture.shown(bytes);
  const missing = omitted + given.omitted;
  return {
    shown: { [name]: text },
    omitted: missing === 0 ? {} : { [name]: missing },
    kept: omitted === 0 ? [] : [{ name, text: given.text }],
  };
}

/** A value as data; a long or deep one as its JSON, head and tail. */
function valueOf(json: string | undefined, secrets: Secrets): Said {
  if (json === undefined) return NOTHING;
  if (Buffer.byteLength(json) <= VALUE_BYTES && !isTooDeep(json))
    return { ...NOTHING, shown: redactDeep({ value: JSON.parse(json) }, secrets) };
  return part('value', { text: redact(json, secrets), omitted: 0 }, VALUE_BYTES);
}

const NOTHING: Said = { shown: {}, omitted: {}, kept: [] };

const omittedOf = (omitted: Said['omitted']) =>
  Object.keys(omitted).length === 0 ? {} : { omitted_bytes: omitted };

const keptOf = (kept: Said['kept']) => (kept.length === 0 ? {} : { kept });

const STOPPED = {
  cancelled: {
    error: 'cancelled',
    end: 'stopped',
    detail: say('The turn was interrupted and the script ended.'),
  },
  host_paused: {
    error: 'host_paused',
    end: 'host_paused',
    detail: say('The person paused everything; the script was ended.'),
  },
  host_stopped: {
    error: 'stopped',
    end: 'stopped',
    detail: say('Belay was shutting down and ended the script.'),
  },
  stopped: { error: 'stopped', end: 'stopped', detail: say('The script was stopped.') },
  superseded: {
    error: 'cancelled',
    end: 'stopped',
    detail: say('The script was replaced by another call and ended.'),
  },
} as const satisfies Record<StopReason, unknown>;
