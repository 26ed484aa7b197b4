/**
 * Reads what a person answers to a form (`formSchema.ts`). Without the schemas' library, so that the surfaces can
 * check an answer by the same function as the host.
 */
import { say } from './say';
import type { Form, FormField, FormQuestion } from './formSchema';

export type FormContent = Record<string, string | number | boolean | string[]>;

/** The tool of a question that is a form. The host alone asks by it: what a model or a client names so is no form. */
export const FORM_TOOL = 'elicit';

/** Whether a question is a form; the arguments of any other tool are a model's, whatever they look like. */
export const isForm = <Q extends { readonly tool: string; readonly args?: unknown }>(
  question: Q,
): question is Q & { readonly args: FormQuestion } =>
  question.tool === FORM_TOOL && isRecord(question.args) && isRecord(question.args['form']);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type FormRead =
  | { readonly ok: true; readonly content: FormContent }
  /** A sentence that names the field and what is wrong with it. */
  | { readonly ok: false; readonly problem: string };

/** What a text says for a form, checked field by field. */
export function readForm(form: Form, text: string): FormRead {
  if (form.fields.length === 0) return readConfirmation(text);
  const given = valuesOf(form, text);
  if (given === undefined)
    return { ok: false, problem: say('Answer with JSON: an object with the fields of the form.') };
  const content: [string, FormContent[string]][] = [];
  for (const field of form.fields) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    if (value === undefined || value === null || value === '') {
      if (field.required) return { ok: false, problem: say('{title} is missing.', { title: field.title }) };
      continue;
    }
    const read = readField(field, value);
    if (typeof read === 'object' && 'problem' in read) return { ok: false, problem: read.problem };
    content.push([field.name, read]);
  }
  // A field may have any name, `__proto__` as well.
  return { ok: true, content: Object.fromEntries(content) };
}

/** A form without fields is confirmed by an empty object alone: words may as well be a no (R4). */
const readConfirmation = (text: string): FormRead => {
  const parsed = jsonOf(text);
  return isRecord(parsed) && Object.keys(parsed).length === 0
    ? { ok: true, content: {} }
    : { ok: false, problem: say('Words are no answer here: confirm or decline.') };
};

function valuesOf(form: Form, text: string): Record<string, unknown> | undefined {
  const parsed = jsonOf(text);
  const [only] = form.fields;
  if (
    isRecord(parsed) &&
    (form.fields.length !== 1 || (only !== undefined && Object.hasOwn(parsed, only.name)))
  )
    return parsed;
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
      return typeof value === 'string'
        ? readText(field, value)
        : { problem: say('{title} must be text.', { title: field.title }) };
    case 'number':
      return readNumber(field, value);
    case 'yesNo':
      return readYesNo(field, value);
    case 'choice': {
      const option = field.options.find((one) => one.value === value || one.label === value);
      return (
        option?.value ?? {
          problem: say('{title} must be one of {options}.', {
            title: field.title,
            options: labels(field.options),
          }),
        }
      );
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
    return {
      problem: say('{title} must have at least {minLength} characters.', {
        title: field.title,
        minLength: field.minLength,
      }),
    };
  if (field.maxLength !== undefined && length > field.maxLength)
    return {
      problem: say('{title} may have at most {maxLength} characters.', {
        title: field.title,
        maxLength: field.maxLength,
      }),
    };
  if (field.format === undefined || (FORMATS[field.format].test(value) && !isNoDate(field.format, value)))
    return value;
  return { problem: say('{title} must be {why}.', { title: field.title, why: FORMAT_WORDS[field.format] }) };
}

/** Enough to catch a slip; a server checks what it needs to be sure of. */
const FORMATS = {
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/,
} as const;
const FORMAT_WORDS = {
  email: say('an e-mail address'),
  uri: say('an address (URL)'),
  date: say('a date such as 2026-11-29'),
  'date-time': say('a time such as 2026-11-29T18:00:00Z'),
};

const isNoDate = (format: keyof typeof FORMATS, value: string): boolean =>
  format.startsWith('date') && Number.isNaN(Date.parse(value));

function readNumber(field: Extract<FormField, { kind: 'number' }>, value: unknown): number | Problem {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number))
    return { problem: say('{title} must be a number.', { title: field.title }) };
  if (field.integer && !Number.isInteger(number))
    return { problem: say('{title} must be a whole number.', { title: field.title }) };
  if (field.minimum !== undefined && number < field.minimum)
    return {
      problem: say('{title} must be at least {minimum}.', { title: field.title, minimum: field.minimum }),
    };
  if (field.maximum !== undefined && number > field.maximum)
    return {
      problem: say('{title} may be at most {maximum}.', { title: field.title, maximum: field.maximum }),
    };
  return number;
}

function readYesNo(field: FormField, value: unknown): boolean | Problem {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (['yes', 'true', 'y'].includes(word)) return true;
  if (['no', 'false', 'n'].includes(word)) return false;
  return { problem: say('{title} must be yes or no.', { title: field.title }) };
}

function readChoices(field: Extract<FormField, { kind: 'choices' }>, value: unknown): string[] | Problem {
  const list = typeof value === 'string' ? value.split(',').map((part) => part.trim()) : value;
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'string'))
    return { problem: say('{title} must be a list.', { title: field.title }) };
  const found = list.map((text) => field.options.find((one) => one.value === text || one.label === text));
  const known = found.filter((one) => one !== undefined).map((one) => one.value);
  if (known.length < found.length)
    return {
      problem: say('{title} may only hold {options}.', {
        title: field.title,
        options: labels(field.options),
      }),
    };
  if (field.minItems !== undefined && known.length < field.minItems)
    return {
      problem: say('{title} needs at least {minItems} choices.', {
        title: field.title,
        minItems: field.minItems,
      }),
    };
  if (field.maxItems !== undefined && known.length > field.maxItems)
    return {
      problem: say('{title} takes at most {maxItems} choices.', {
        title: field.title,
        maxItems: field.maxItems,
      }),
    };
  return [...new Set(known)];
}
