/** What is wrong with a setting and how to mend it, in words: its key, its value, what it must be, what holds now. */
import type { z } from 'zod';
import { say } from '../../protocol';

type Issue = z.core.$ZodIssue;

/** Settings whose own parts may hold keys and tokens: what stands in them is never repeated. */
const PRIVATE: readonly string[] = ['models.providers', 'mcp', 'harnesses', 'http'];
/** Characters of a value that are repeated. */
const VALUE_LENGTH = 40;

/** `path` is what is left out, `issue.path` what is wrong: they differ for a part of a provider or of an agent. */
export function settingWarning(path: readonly PropertyKey[], issue: Issue, value: unknown): string {
  // Those of the editor have its names.
  const left = `"${(path[0] === 'http' ? path : ['belay', ...path]).join('.')}"`;
  if (issue.code === 'unrecognized_keys')
    return say('{setting} is no setting of Belay. Remove it, or mend its name.', { setting: left });
  if (issue.code === 'invalid_key')
    return say('{setting} has a name that cannot be used. {why}', { setting: left, why: names(issue.path) });
  const inside = issue.path.slice(path.length).join('.');
  const place = inside === '' ? left : say('"{part}" in {setting}', { part: inside, setting: left });
  return say('{place} is {given}; it must be {wanted}. {meanwhile}', {
    place,
    given: shown(issue, value),
    wanted: wanted(issue),
    meanwhile: holds(path),
  });
}

function holds(path: readonly PropertyKey[]): string {
  if (path.length === 3 && path[1] === 'providers') return say('This provider is left out until then.');
  if (path.length === 3 && path[0] === 'harnesses') return say('This agent is left out until then.');
  return say('Its default holds until then.');
}

const names = (path: readonly PropertyKey[]): string =>
  path[3] === 'headers'
    ? say('The name of a header is one word, and none that belongs to the connection itself.')
    : path.includes('env')
      ? say('The name of a variable has letters, digits and underscores, and begins with no digit.')
      : say('A name has letters, digits, dots, hyphens and underscores, 64 at most.');

/** A value as it stands in the file, or only of what kind it is. */
function shown(issue: Issue, value: unknown): string {
  if (value === undefined) return say('missing');
  if (value === null) return 'null';
  if (Array.isArray(value)) return say('a list');
  if (typeof value === 'object') return say('an object');
  if (typeof value !== 'string') return JSON.stringify(value);
  if (value === '') return say('empty');
  const key = issue.path.join('.');
  const secret = PRIVATE.some((one) => key.startsWith(one)) && issue.code !== 'invalid_value';
  if (secret) return issue.code === 'invalid_type' ? say('a text') : say('another text');
  return JSON.stringify(value.length > VALUE_LENGTH ? `${value.slice(0, VALUE_LENGTH)}…` : value);
}

function wanted(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return say('one of {values}', { values: issue.values.map((one) => JSON.stringify(one)).join(', ') });
    case 'too_small':
      return issue.origin === 'string'
        ? say('a text that is not empty')
        : say('{minimum} or more', { minimum: String(issue.minimum) });
    case 'too_big':
      return atMost(issue.origin, String(issue.maximum));
    case 'invalid_format':
      if (/^(headers|query)$/.test(String(issue.path[3])))
        return say('a text of one line, in which only {env} and {key} begin with {sign}', {
          env: '${env:NAME}',
          key: '${key}',
          sign: '${',
        });
      return issue.format === 'url'
        ? say('an address that begins with http:// or https://')
        : say('the name of an environment variable: letters, digits and underscores');
    default:
      return say('otherwise ({reason})', { reason: issue.message });
  }
}

const kinds: Readonly<Record<string, string>> = {
  number: say('a number'),
  int: say('a whole number'),
  string: say('a text in quotes'),
  boolean: say('true or false, without quotes'),
  object: say('an object in braces'),
  record: say('an object in braces'),
  array: say('a list in brackets'),
};

function atMost(origin: string, maximum: string): string {
  if (origin === 'string') return say('at most {maximum} characters long', { maximum });
  return origin === 'array'
    ? say('at most {maximum} entries long', { maximum })
    : say('at most {maximum}', { maximum });
}
