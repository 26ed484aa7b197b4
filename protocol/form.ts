import { z } from 'zod';

/**
 * A form that an MCP server asks the person to fill in: flat, with fields of a few kinds. Its answer travels as the
 * text of an ordinary answer: JSON of all fields by name, or the value alone where there is one field.
 */
const common = {
  name: z.string(),
  title: z.string(),
  description: z.string().optional(),
  required: z.boolean(),
};
const options = z.array(z.object({ value: z.string(), label: z.string() }));

export const FormField = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text'),
    ...common,
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
    preset: z.string().optional(),
  }),
  z.object({
    kind: z.literal('number'),
    ...common,
    integer: z.boolean(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    preset: z.number().optional(),
  }),
  z.object({ kind: z.literal('yesNo'), ...common, preset: z.boolean().optional() }),
  z.object({ kind: z.literal('choice'), ...common, options, preset: z.string().optional() }),
  z.object({
    kind: z.literal('choices'),
    ...common,
    options,
    minItems: z.number().optional(),
    maxItems: z.number().optional(),
    preset: z.array(z.string()).optional(),
  }),
]);
export type FormField = z.infer<typeof FormField>;

export const Form = z.object({ fields: z.array(FormField) });
export type Form = z.infer<typeof Form>;

/** The arguments of a question that is a form; `server` is who asks. */
export const FormQuestion = z.object({ question: z.string(), server: z.string(), form: Form });
export type FormQuestion = z.infer<typeof FormQuestion>;

export type FormContent = Record<string, string | number | boolean | string[]>;

/** Fields of one form: more is no question to a person. */
const FIELDS_MOST = 32;

const Titled = z.object({ const: z.string(), title: z.string().optional() });
const Property = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: z.array(Titled).optional(),
  items: z
    .looseObject({ enum: z.array(z.string()).optional(), anyOf: z.array(Titled).optional() })
    .optional(),
  format: z.string().optional(),
  default: z.unknown().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
});
type Property = z.infer<typeof Property>;
const Schema = z.looseObject({
  properties: z.record(z.string(), Property).optional(),
  required: z.array(z.string()).optional(),
});

/** The form that a JSON schema describes; undefined when it is none that a person can be shown. */
export function formOf(schema: unknown): Form | undefined {
  const parsed = Schema.safeParse(schema);
  if (!parsed.success) return undefined;
  const { properties = {}, required = [] } = parsed.data;
  const fields = Object.entries(properties).map(([name, property]) =>
    fieldOf(name, property, required.includes(name)),
  );
  if (fields.length > FIELDS_MOST) return undefined;
  const known = fields.filter((field) => field !== undefined);
  return known.length === fields.length ? { fields: known } : undefined;
}

function fieldOf(name: string, property: Property, required: boolean): FormField | undefined {
  const base = {
    name,
    title: property.title ?? name,
    required,
    ...(property.description === undefined ? {} : { description: property.description }),
  };
  const raw = withoutUndefined({ ...base, ...kindOf(property) });
  return FormField.safeParse(raw).data;
}

/** What the kind of a field adds; a preset of another kind is left out. */
function kindOf(property: Property): Record<string, unknown> {
  const { default: preset, minLength, maxLength, minimum, maximum, minItems, maxItems } = property;
  const texts = z.array(z.string()).safeParse(preset);
  switch (property.type) {
    case 'string': {
      const options = choicesOf(property);
      const text = typeof preset === 'string' ? preset : undefined;
      if (options !== undefined) return { kind: 'choice', options, preset: text };
      const format = z.enum(['email', 'uri', 'date', 'date-time']).safeParse(property.format).data;
      return { kind: 'text', minLength, maxLength, format, preset: text };
    }
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        integer: property.type === 'integer',
        minimum,
        maximum,
        preset: typeof preset === 'number' ? preset : undefined,
      };
    case 'boolean':
      return { kind: 'yesNo', preset: typeof preset === 'boolean' ? preset : undefined };
    case 'array': {
      const options = choicesOf({ enum: property.items?.enum, oneOf: property.items?.anyOf });
      return { kind: 'choices', options, minItems, maxItems, preset: texts.data };
    }
    default:
      return {};
  }
}

function choicesOf(from: {
  readonly enum?: readonly string[] | undefined;
  readonly enumNames?: readonly string[] | undefined;
  readonly oneOf?: readonly z.infer<typeof Titled>[] | undefined;
}): { value: string; label: string }[] | undefined {
  if (from.oneOf !== undefined)
    return from.oneOf.map((one) => ({ value: one.const, label: one.title ?? one.const }));
  return from.enum?.map((value, place) => ({ value, label: from.enumNames?.[place] ?? value }));
}

const withoutUndefined = (record: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));

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

const Values = z.record(z.string(), z.unknown());

function valuesOf(form: Form, text: string): Record<string, unknown> | undefined {
  const parsed = Values.safeParse(jsonOf(text));
  const [only] = form.fields;
  if (parsed.success && (form.fields.length !== 1 || (only !== undefined && only.name in parsed.data)))
    return parsed.data;
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
  if (field.format === undefined || FORMATS[field.format].safeParse(value).success) return value;
  return { problem: `must be ${FORMAT_WORDS[field.format]}` };
}

const FORMATS = {
  email: z.email(),
  uri: z.url(),
  date: z.iso.date(),
  'date-time': z.iso.datetime({ offset: true }),
} as const;
const FORMAT_WORDS = {
  email: 'an e-mail address',
  uri: 'an address (URL)',
  date: 'a date such as 2026-11-29',
  'date-time': 'a time such as 2026-11-29T18:00:00Z',
} as const;

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
  const texts = z.array(z.string()).safeParse(list);
  if (!texts.success) return { problem: 'must be a list' };
  const found = texts.data.map((text) =>
    field.options.find((one) => one.value === text || one.label === text),
  );
  const known = found.filter((one) => one !== undefined).map((one) => one.value);
  if (known.length < found.length) return { problem: `may only hold ${labels(field.options)}` };
  if (field.minItems !== undefined && known.length < field.minItems)
    return { problem: `needs at least ${field.minItems} choices` };
  if (field.maxItems !== undefined && known.length > field.maxItems)
    return { problem: `takes at most ${field.maxItems} choices` };
  return [...new Set(known)];
}
