/**
 * Values that a configuration asks a person for: `${input:ID}`, described by the entry ID of `inputs`, in the shape of
 * VS Code's. A client asks for them and keeps them as secrets; the host reads them when a server starts. Pure, but for
 * `valuesOf`.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SERVER_INPUTS_MOST, type ServerInput } from '../../../protocol';

export type Input = Omit<ServerInput, 'missing'>;

const Described = z.looseObject({
  id: z.string().min(1).max(128),
  description: z.string().max(1024).default(''),
  default: z.string().max(4096).optional(),
});
const Text = Described.extend({ type: z.literal('promptString'), password: z.boolean().default(false) });
const Option = z.union([
  z.string().transform((value) => ({ label: value, value })),
  z.object({ label: z.string().optional(), value: z.string() }).transform(({ label, value }) => ({
    label: label ?? value,
    value,
  })),
]);
const Choice = Described.extend({ type: z.literal('pickString'), options: z.array(Option).min(1).max(256) });

/** Of a hash, characters that tell one place from another. */
const PLACE_CHARACTERS = 16;

/** What `inputs` describes, by id. `place` is where it stands: values of one file are no values of another. */
export function readInputs(
  raw: readonly unknown[],
  place: string,
): { readonly inputs: ReadonlyMap<string, Input>; readonly problems: readonly string[] } {
  const inputs = new Map<string, Input>();
  const problems: string[] = [];
  const mark = createHash('sha256').update(place).digest('hex').slice(0, PLACE_CHARACTERS);
  for (const one of raw.slice(0, SERVER_INPUTS_MOST)) {
    const text = Text.safeParse(one);
    const choice = Choice.safeParse(one);
    const found = text.data ?? choice.data;
    if (found === undefined) {
      problems.push('An entry of "inputs" is neither a "promptString" nor a "pickString" with "id".');
      continue;
    }
    inputs.set(found.id, {
      id: found.id,
      secret: `mcp/input/${mark}/${found.id}`,
      description: found.description === '' ? found.id : found.description,
      password: text.data?.password ?? false,
      ...(found.default === undefined ? {} : { default: found.default }),
      options: choice.data?.options ?? [],
    });
  }
  return { inputs, problems };
}

/** The ids that a configuration names, each once. */
export function namedIn(raw: unknown): readonly string[] {
  const text = JSON.stringify(raw);
  const ids = [...text.matchAll(/\$\{input:([^}"\\]+)\}/g)].map(([, id]) => id ?? '');
  return [...new Set(ids)];
}

export interface Values {
  /** By id. */
  readonly values: ReadonlyMap<string, string>;
  /** The inputs that have none. */
  readonly missing: readonly Input[];
}

export const NO_VALUES: Values = { values: new Map(), missing: [] };

/** What a person has given so far. */
export async function valuesOf(
  inputs: readonly Input[],
  secret: { get(name: string): Promise<string | undefined>; hide(value: string): void },
): Promise<Values> {
  const given = await Promise.all(
    inputs.map(async (input) => [input, await secret.get(input.secret)] as const),
  );
  const values = new Map<string, string>();
  for (const [input, value] of given) {
    if (value === undefined) continue;
    if (input.password) secret.hide(value);
    values.set(input.id, value);
  }
  return { values, missing: inputs.filter((input) => !values.has(input.id)) };
}
