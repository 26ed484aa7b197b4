/**
 * Questions that outside agents have in their own protocols, as forms that a person is shown, and back. Pure.
 * A question has choices or wants words; where it takes own words beside its choices, those have a field of their own.
 */
import { formOf, type FormContent, type FormField, type FormQuestion } from '../../../protocol';

export interface AskedOne {
  /** By which the agent tells its questions apart. */
  readonly key: string;
  /** A word or two. */
  readonly header: string;
  readonly question: string;
  readonly choices: readonly { readonly label: string; readonly description?: string | undefined }[];
  readonly several: boolean;
  /** It takes own words, beside its choices where it has some. */
  readonly words: boolean;
}

/** Characters of a title. */
const TITLE = 200;
/** A longer form is none that a person fills in. */
const FORM_CHARACTERS = 64 * 1024;
/** Fields of one form, as for those of servers. */
const FIELDS = 32;

/** Undefined when a person cannot be shown it. */
export function formFor(asker: string, asked: readonly AskedOne[]): FormQuestion | undefined {
  const [first] = asked;
  if (first === undefined) return undefined;
  const form = { fields: fieldsOf(asked).flatMap(({ field, own }) => [field, own ?? []].flat()) };
  const question = asked.length === 1 ? first.question : asked.map((one) => one.question).join('\n');
  return shown({ question, server: asker, form });
}

/** The form that a JSON schema describes. Undefined when a person cannot be shown it. */
export function formFrom(asker: string, message: string, schema: unknown): FormQuestion | undefined {
  const form = formOf(schema);
  return form === undefined ? undefined : shown({ question: message, server: asker, form });
}

const shown = (question: FormQuestion): FormQuestion | undefined =>
  question.form.fields.length > FIELDS || JSON.stringify(question).length > FORM_CHARACTERS
    ? undefined
    : question;

/** The first line of what is asked. */
export const titleOf = (question: string): string => (question.trim().split('\n')[0] ?? '').slice(0, TITLE);

/** What was answered to each question, by its key; own words come last. */
export function answersIn(
  asked: readonly AskedOne[],
  content: FormContent,
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    fieldsOf(asked).map(({ key, field, own }) => [
      key,
      [field, own].flatMap((one) => (one === undefined ? [] : textsOf(content[one.name]))),
    ]),
  );
}

const textsOf = (value: FormContent[string] | undefined): readonly string[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [String(value)];

interface Fields {
  readonly key: string;
  readonly field: FormField;
  /** For own words beside the choices. */
  readonly own: FormField | undefined;
}

function fieldsOf(asked: readonly AskedOne[]): readonly Fields[] {
  const taken = new Set<string>();
  const fresh = (name: string): string => {
    for (let n = 1; ; n += 1) {
      const one = n === 1 ? name : `${name} ${String(n)}`;
      if (taken.has(one)) continue;
      taken.add(one);
      return one;
    }
  };
  return asked.map((one) => {
    const name = fresh(titleOf(one.header === '' ? one.question : one.header));
    const base = {
      name,
      title: name,
      ...(asked.length > 1 || one.header !== '' ? { description: one.question } : {}),
    };
    if (one.choices.length === 0)
      return { key: one.key, field: { ...base, kind: 'text', required: true }, own: undefined };
    const options = one.choices.map(({ label, description = '' }) => ({
      value: label,
      label: description === '' ? label : `${label}: ${description}`,
    }));
    const title = fresh(`${name} (${OWN_WORDS})`);
    return {
      key: one.key,
      field: { ...base, kind: one.several ? 'choices' : 'choice', required: !one.words, options },
      own: one.words ? { kind: 'text', name: title, title, required: false } : undefined,
    };
  });
}

const OWN_WORDS = 'in your own words';
