/**
 * Reads what a person answers to a form (`formSchema.ts`). Without the schemas' library, so that the surfaces can
 * check an answer by the same function as the host.
 */
import type { Form, FormField, FormQuestion } from './formSchema';

export type FormContent = Record<string, string | number | boolean | string[]>;

/** Whether the arguments of a question are a form; the host has made them. */
export const isForm = (args: unknown): args is FormQuestion =>
  isRecord(args) && typeof args['server'] === 'string' && isRecord(args['form']);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type FormRead =
  | { readonly ok: true; readonly content: FormContent }
  /** A sentence that names the field and what is wrong with it. */
  | { readonly ok: false; readonly problem: string };

/** What a text says for a form, checked field by field. */
export function readForm(form: Form, text: string): FormRead {
  const given = valuesOf(form, text);
  if (given === undefined)
    return { ok: false, problem: 'Answer with JSON: an object with the fields of the form.' };
  const content: FormContent = {};
  for (const field of form.fields) {
    const value = given[field.name];
    if (value === undefined || value === null || value === '') {
      if (field.required) return { ok: false, problem: `${field.title} is missing.` };
      continue;
    }
    const read = readField(field, value);
    if (typeof read === 'object' && 'problem' in read)
      return { ok: false, problem: `${field.title} ${read.problem}.` };
    content[field.name] = read;
  }
  return { ok: true, content };
}

function valuesOf(form: Form, text: string): Record<string, unknown> | undefined {
  const parsed = jsonOf(text);
  const [only] = form.fields;
  if (isRecord(parsed) && (form.fields.length !== 1 || (only !== undefined && only.name in parsed)))
    return parsed;
  if (form.fields.length === 0) return {};
  return form.fields.length === 1 && only !== undefined ? { [only.name]: text } : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Problem {
  readonly problem: string;
}

function readField(field: FormField, value: unknown): FormContent[string] | Problem {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? readText(field, value) : { problem: 'must be text' };
    case 'number':
      return readNumber(field, value);
    case 'yesNo':
      return readYesNo(value);
    case 'choice': {
      const option = field.options.find((one) => one.value === value || one.label === value);
      return option?.value ?? { problem: `must be one of ${labels(field.options)}` };
    }
    case 'choices':
      return readChoices(field, value);
  }
}

const labels = (options: readonly { readonly label: string }[]): string =>
  options.map((one) => one.label).join(', ');

function readText(field: Extract<FormField, { kind: 'text' }>, value: string): string | Problem {
  const { length } = Array.from(value);
  if (field.minLength !== undefined && length < field.minLength)
    return { problem: `must have at least ${field.minLength} characters` };
  if (field.maxLength !== undefined && length > field.maxLength)
    return { problem: `may have at most ${field.maxLength} characters` };
  if (field.format === undefined || (FORMATS[field.format].test(value) && !isNoDate(field.format, value)))
    return value;
  return { problem: `must be ${FORMAT_WORDS[field.format]}` };
}

/** Enough to catch a slip; a server checks what it needs to be sure of. */
const FORMATS = {
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/,
} as const;
const FORMAT_WORDS = {
  email: 'an e-mail address',
  uri: 'an address (URL)',
  date: 'a date such as 2026-11-29',
  'date-time': 'a time such as 2026-11-29T18:00:00Z',
} as const;

const isNoDate = (format: keyof typeof FORMATS, value: string): boolean =>
  format.startsWith('date') && Number.isNaN(Date.parse(value));

function readNumber(field: Extract<FormField, { kind: 'number' }>, value: unknown): number | Problem {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return { problem: 'must be a number' };
  if (field.integer && !Number.isInteger(number)) return { problem: 'must be a whole number' };
  if (field.minimum !== undefined && number < field.minimum)
    return { problem: `must be at least ${field.minimum}` };
  if (field.maximum !== undefined && number > field.maximum)
    return { problem: `may be at most ${field.maximum}` };
  return number;
}

function readYesNo(value: unknown): boolean | Problem {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (['yes', 'true', 'y'].includes(word)) return true;
  if (['no', 'false', 'n'].includes(word)) return false;
  return { problem: 'must be yes or no' };
}

function readChoices(field: Extract<FormField, { kind: 'choices' }>, value: unknown): string[] | Problem {
  const list = typeof value === 'string' ? value.split(',').map((part) => part.trim()) : value;
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'string'))
    return { problem: 'must be a list' };
  const found = list.map((text) => field.options.find((one) => one.value === text || one.label === text));
  const known = found.filter((one) => one !== undefined).map((one) => one.value);
  if (known.length < found.length) return { problem: `may only hold ${labels(field.options)}` };
  if (field.minItems !== undefined && known.length < field.minItems)
    return { problem: `needs at least ${field.minItems} choices` };
  if (field.maxItems !== undefined && known.length > field.maxItems)
    return { problem: `takes at most ${field.maxItems} choices` };
  return [...new Set(known)];
}
