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
