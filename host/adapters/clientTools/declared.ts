/** What a client tool is to the host: how its arguments are checked and judged before anything is shown (C1). */
import { z } from 'zod';
import { parseJson, whyUnread } from '../../base/json';
import { CLIENT_TOOL_MS, type ClientToolSpec, type ToolOrigin, type ToolSpec, say } from '../../../protocol';
import { subjectOf, type Roots } from '../../engine/approvals/reading';
import type { CallClass, ClientAnswered, Prepared, Unsound, Workplace } from '../../engine/ports';

export interface Declared {
  readonly spec: ToolSpec;
  /** Whose it is; undefined for one of Belay's own. */
  readonly origin?: ToolOrigin;
  readonly args: z.ZodType;
  readonly class: CallClass;
  readonly client: ClientAnswered;
  /** Paths that it reads, where it is known which they are; else every text may be one. */
  paths?(args: unknown): readonly string[];
  /** One line for lists. */
  title(args: unknown): string;
}

/** How what a call names is looked at before it is judged (A1, A12). */
export interface Looks {
  /** Rejects when the path is one that no tool may name. */
  locate(
    place: Workplace,
    path: string,
    purpose: 'read',
  ): Promise<{ readonly real: string; readonly roots?: Roots; readonly class: CallClass }>;
  /** Why no tool may be called with these arguments; undefined when one may. */
  refusal(args: unknown, place: Workplace): Promise<string | undefined>;
}

/** Longest line that stands for a call, characters. */
const TITLE_CHARS = 200;

/** What another extension has declared. Throws when its schema is none that can be checked. */
export function declaredBy(spec: ClientToolSpec, client: string): Declared {
  const schema = spec.schema ?? { type: 'object' };
  if (schema['type'] !== 'object') throw new Error(say('its schema is not that of an object'));
  const person = spec.person === true;
  return {
    origin: { kind: 'client', client },
    spec: { name: spec.name, description: spec.description ?? spec.name, schema },
    args: z.fromJSONSchema(schema),
    class: person ? 'own' : spec.readOnly === true ? 'read' : 'command',
    client: {
      person,
      delivered: true,
      ...(person ? {} : { timeoutMs: spec.timeoutMs ?? CLIENT_TOOL_MS }),
    },
    title: (args) => titled(spec.name, args),
  };
}

/** The tool's name with its first text, which mostly says what it is about. */
function titled(name: string, args: unknown): string {
  const values: readonly unknown[] = typeof args === 'object' && args !== null ? Object.values(args) : [];
  const first = values.find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof first === 'string' ? firstLine(`${name}: ${first.trim()}`) : name;
}

export const firstLine = (text: string): string => text.split('\n')[0]?.slice(0, TITLE_CHARS) ?? '';

/** Checks a model's text against a declaration. */
export async function prepareCall(
  declared: Declared,
  args: string,
  place: Workplace,
  looks: Looks,
): Promise<Prepared | Unsound> {
  const parsed = parse(args);
  if (!parsed.ok) return unsound(parsed.problem);
  const checked = declared.args.safeParse(parsed.value);
  if (!checked.success) return unsound(problems(checked.error));
  try {
    return {
      tool: declared.spec.name,
      origin: declared.origin,
      ...(await looked(declared, checked.data, place, looks)),
      title: declared.title(checked.data),
      args: checked.data,
      preview: { kind: 'arguments' },
      liftable: false,
      client: declared.client,
    };
  } catch (error) {
    return unsound(error instanceof Error ? error.message : String(error));
  }
}

/** How it is judged: by the places that it reads, or by its declaration. */
async function looked(
  declared: Declared,
  args: unknown,
  place: Workplace,
  looks: Looks,
): Promise<Pick<Prepared, 'class' | 'subject'>> {
  const none = { class: declared.class, subject: { kind: 'none' } } as const;
  if (declared.paths === undefined) {
    const refusal = await looks.refusal(args, place);
    if (refusal !== undefined) throw new Error(refusal);
    return none;
  }
  const places = await Promise.all(declared.paths(args).map((path) => looks.locate(place, path, 'read')));
  if (places.length === 0) return none;
  return {
    class: places.find((at) => at.class !== declared.class)?.class ?? declared.class,
    subject: subjectOf(places),
  };
}

const unsound = (detail: string): Unsound => ({ error: 'tool_arguments_invalid', detail });

function parse(
  args: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string } {
  try {
    return { ok: true, value: args.trim() === '' ? {} : parseJson(args) };
  } catch (error) {
    return { ok: false, problem: whyUnread(error) };
  }
}

/** Problems that are named at most, and their length in all: a model needs the first ones. */
const PROBLEMS = 4;
const PROBLEM_CHARS = 1_000;

const problems = (error: z.ZodError): string =>
  error.issues
    .slice(0, PROBLEMS)
    .map((issue) => (issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message))
    .join('; ')
    .slice(0, PROBLEM_CHARS);
