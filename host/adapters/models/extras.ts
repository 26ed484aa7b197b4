/**
 * What a provider's settings add to each of its requests: headers and a query. `${env:NAME}` stands for a variable of
 * the environment and `${key}` for the provider's key, which is then sent there alone and not where its kind has it.
 */
import { say, type Provider } from '../../../protocol';
import { isPlain, variable } from '../../base/programs';
import { ModelFailure } from '../../engine/ports';
import { keyMissing } from './failures';
import { keyVariable } from './keys';

type Env = Readonly<Record<string, string | undefined>>;

const PLACE = /\$\{(?:env:([^}]+)|key)\}/g;
/** What may stand in a header, as HTTP has it. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers and parts of a query whose value is one to keep: a person who wrote it out has not put it elsewhere. */
const PRIVATE = /auth|key|token|secret|cookie|pass|credential|signature|^sig$/i;

const parts = ({ headers = {}, query = {} }: Provider): readonly (readonly [string, string])[] => [
  ...Object.entries(headers),
  ...Object.entries(query),
];

const texts = (provider: Provider): readonly string[] => parts(provider).map(([, text]) => text);

/** Whether its key is sent where its headers say so. */
export const placesKey = (provider: Provider): boolean =>
  texts(provider).some((text) => text.includes('${key}'));

/** Whether they say who asks. */
export const saysWho = (provider: Provider): boolean => parts(provider).some(([name]) => PRIVATE.test(name));

/**
 * Variables of the environment that it reads for them and that hold a secret (X8): by their own name, or by where they
 * are sent. A person's name that goes along is none: no command could do without it.
 */
export const extraVariables = (provider: Provider): readonly string[] =>
  parts(provider).flatMap(([part, text]) =>
    [...text.matchAll(PLACE)].flatMap(([, name = '']) =>
      name !== '' && !isPlain(name) && (PRIVATE.test(part) || PRIVATE.test(name)) ? [name] : [],
    ),
  );

/** Values that are secrets although they are written out. */
export const extraSecrets = (provider: Provider): readonly string[] =>
  parts(provider).flatMap(([name, text]) =>
    PRIVATE.test(name) && !text.includes('${') ? [text, text.replace(/^\w+ +/, '')] : [],
  );

interface Given {
  readonly name: string;
  readonly provider: Provider;
  readonly key: string | undefined;
  readonly env: Env;
}

/** A `fetch` that adds them. Throws `ModelFailure` where a value is missing. */
export function withExtras(send: typeof fetch, given: Given): typeof fetch {
  const { provider } = given;
  if (texts(provider).length === 0) return send;
  const headers = resolved(provider.headers ?? {}, given);
  const query = resolved(provider.query ?? {}, given);
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    for (const [name, value] of query) url.searchParams.set(name, value);
    const all = new Headers(init?.headers);
    if (placesKey(provider)) for (const name of ['authorization', 'x-api-key']) all.delete(name);
    for (const [name, value] of headers) all.set(name, value);
    return send(url, { ...init, headers: all });
  };
}

const resolved = (
  values: Readonly<Record<string, string>>,
  { name, provider, key, env }: Given,
): readonly (readonly [string, string])[] =>
  Object.entries(values).map(([part, text]) => {
    const value = text.replace(PLACE, (_, named: string | undefined) => {
      if (named !== undefined) return variable(env, named)?.trim() ?? missing(name, named);
      if (key === undefined) throw keyMissing(name, keyVariable(provider));
      return key;
    });
    if (!SENDABLE.test(value)) throw unsendable(name, part);
    return [part, value];
  });

function missing(name: string, named: string): never {
  throw new ModelFailure(
    'model_key_missing',
    say(
      '"{name}" needs the environment variable {variable}, which its settings name. Set it and restart the editor.',
      { name, variable: named },
    ),
    false,
  );
}

const unsendable = (name: string, part: string): ModelFailure =>
  new ModelFailure(
    'model_rejected',
    say('What "{part}" of "{name}" would send is no text of one line. Correct it in the settings.', {
      name,
      part,
    }),
    false,
  );
