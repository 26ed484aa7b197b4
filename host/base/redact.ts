/** Names and values that Belay holds for itself: keys of providers and servers (X8). */
export interface Secrets {
  /** Environment variables that must not reach a child. */
  readonly names: readonly string[];
  /** Values that must not reach a result. */
  readonly values: readonly string[];
}

/** What stands in the place of a secret. */
export const REDACTED = '[REDACTED]';

/** Shorter values are no secrets, and replacing them would destroy every text, characters. */
export const SECRET_CHARACTERS = 6;

/** Replaces secrets in a stream of bytes. What could be the beginning of one is held back until it is clear. */
export interface Redactor {
  /** The part that is clear now. */
  push(bytes: Buffer): Buffer;
  /** What was held back; nothing follows. */
  end(): Buffer;
}

/** Replaces secrets in a text that is whole. */
export function redact(text: string, secrets: Secrets): string {
  const { pattern } = wanted(secrets);
  return pattern === undefined ? text : text.replace(pattern, REDACTED);
}

/** Replaces secrets in every text of plain data, keys left as they are. */
export function redactDeep(
  value: Readonly<Record<string, unknown>>,
  secrets: Secrets,
): Readonly<Record<string, unknown>> {
  const { pattern } = wanted(secrets);
  if (pattern === undefined) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inside(one, pattern)]));
}

/** A text of JSON, whole and as `JSON.stringify` writes it: a secret in a number's place leaves a text there. */
const SCALAR = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Replaces secrets in every text, name and number of a JSON text, which stays one, however deep it is. */
export function redactJson(json: string, secrets: Secrets): string {
  const { pattern } = wanted(secrets);
  if (pattern === undefined) return json;
  return json.replace(SCALAR, (scalar) => {
    const told: unknown = JSON.parse(scalar);
    const text = typeof told === 'string' ? told : scalar;
    const clean = text.replace(pattern, REDACTED);
    if (clean === text) return scalar;
    return JSON.stringify(typeof told === 'string' ? clean : REDACTED);
  });
}

/** Bytes at the end of `bytes` that may be the beginning of a secret whose rest is still to come. */
export function begunSecret(bytes: Buffer, secrets: Secrets): number {
  const { forms } = wanted(secrets);
  return openEnd(clear(bytes, forms).rest, forms);
}

/** Makes redactors for several streams; each looks for the secrets of the moment. */
export function redactors(secrets: () => Secrets): () => Redactor {
  return () => redactor(() => wanted(secrets()).forms);
}

function redactor(now: () => readonly Buffer[]): Redactor {
  let held: Buffer = NOTHING;
  return {
    push: (bytes) => {
      const forms = now();
      if (forms.length === 0 && held.length === 0) return bytes;
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const { clean, rest } = clear(all, forms);
      const open = openEnd(rest, forms);
      held = Buffer.from(rest.subarray(rest.length - open));
      const last = rest.subarray(0, rest.length - open);
      return clean.length === 0 ? last : Buffer.concat([...clean, last]);
    },
    end: () => {
      const { clean, rest } = clear(held, now(), true);
      held = NOTHING;
      return Buffer.concat([...clean, rest]);
    },
  };
}

const NOTHING = Buffer.alloc(0);
const MARK = Buffer.from(REDACTED);

/** Everything up to the end of the last whole secret, cleaned, and what follows it. */
function clear(
  bytes: Buffer,
  forms: readonly Buffer[],
  last = false,
): { clean: readonly Buffer[]; rest: Buffer } {
  const clean: Buffer[] = [];
  let rest = bytes;
  for (;;) {
    let first = -1;
    let length = 0;
    for (const form of forms) {
      const at = rest.indexOf(form);
      if (at !== -1 && (first === -1 || at < first)) {
        first = at;
        length = form.length;
      }
    }
    if (first === -1) return { clean, rest };
    const found = rest.subarray(first);
    // A longer secret that begins alike may be under way: it has to be whole first.
    if (
      !last &&
      forms.some((form) => form.length > found.length && form.subarray(0, found.length).equals(found))
    ) {
      return { clean, rest };
    }
    clean.push(rest.subarray(0, first), MARK);
    rest = found.subarray(length);
  }
}

/** Length of the longest end that is the beginning of a secret. */
function openEnd(bytes: Buffer, forms: readonly Buffer[]): number {
  let longest = 0;
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, bytes.length); length > longest; length -= 1) {
      if (bytes.subarray(bytes.length - length).equals(form.subarray(0, length))) longest = length;
    }
  }
  return longest;
}

/** What is looked for, made ready. */
interface Wanted {
  readonly values: readonly string[];
  readonly forms: readonly Buffer[];
  readonly pattern: RegExp | undefined;
}

/** Secrets seldom change, and each result is looked through. */
let last: Wanted = { values: [], forms: [], pattern: undefined };

function wanted({ values }: Secrets): Wanted {
  const same = values.length === last.values.length && values.every((value, at) => value === last.values[at]);
  if (!same) {
    const forms = formsOf(values);
    last = { values: [...values], forms: forms.map((form) => Buffer.from(form)), pattern: patternOf(forms) };
  }
  return last;
}

/** A secret as it may be printed: as it is, inside JSON, inside a URL. The longest first. */
function formsOf(values: readonly string[]): readonly string[] {
  const forms = new Set<string>();
  for (const value of values) {
    if (value.length < SECRET_CHARACTERS) continue;
    forms.add(value);
    forms.add(JSON.stringify(value).slice(1, -1));
    forms.add(encodeURIComponent(value));
  }
  return [...forms].sort((one, two) => two.length - one.length);
}

function inside(value: unknown, pattern: RegExp): unknown {
  if (typeof value === 'string') return value.replace(pattern, REDACTED);
  if (Array.isArray(value)) return value.map((one) => inside(one, pattern));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inside(one, pattern)]));
}

function patternOf(forms: readonly string[]): RegExp | undefined {
  if (forms.length === 0) return undefined;
  return new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g');
}
