/** What is wrong with a setting and how to mend it, in words: its key, its value, what it must be, what holds now. */
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Settings whose own parts may hold keys and tokens: what stands in them is never repeated. */
const PRIVATE: readonly string[] = ['models.providers', 'mcp', 'harnesses'];
/** Characters of a value that are repeated. */
const VALUE_LENGTH = 40;

/** `path` is what is left out, `issue.path` what is wrong: they differ for a part of a provider or of an agent. */
export function settingWarning(path: readonly PropertyKey[], issue: Issue, value: unknown): string {
  const left = `"${['belay', ...path].join('.')}"`;
  if (issue.code === 'unrecognized_keys')
    return `${left} is no setting of Belay. Remove it, or mend its name.`;
  if (issue.code === 'invalid_key') return `${left} has a name that cannot be used. ${names(path)}`;
  const inside = issue.path.slice(path.length).join('.');
  const place = inside === '' ? left : `"${inside}" in ${left}`;
  return `${place} is ${shown(issue, value)}; it must be ${wanted(issue)}. ${holds(path)}`;
}

function holds(path: readonly PropertyKey[]): string {
  if (path.length === 3 && path[1] === 'providers') return 'This provider is left out until then.';
  if (path.length === 3 && path[0] === 'harnesses') return 'This agent is left out until then.';
  return 'Its default holds until then.';
}

const names = (path: readonly PropertyKey[]): string =>
  path.includes('env')
    ? 'The name of a variable has letters, digits and underscores, and begins with no digit.'
    : 'A name has letters, digits, dots, hyphens and underscores, 64 at most.';

/** A value as it stands in the file, or only of what kind it is. */
function shown(issue: Issue, value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return JSON.stringify(value);
  if (value === '') return 'empty';
  const key = issue.path.join('.');
  const secret = PRIVATE.some((one) => key.startsWith(one)) && issue.code !== 'invalid_value';
  if (secret) return issue.code === 'invalid_type' ? 'a text' : 'another text';
  return JSON.stringify(value.length > VALUE_LENGTH ? `${value.slice(0, VALUE_LENGTH)}…` : value);
}

function wanted(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return `one of ${issue.values.map((one) => JSON.stringify(one)).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' ? 'a text that is not empty' : `${issue.minimum} or more`;
    case 'too_big':
      return `at most ${issue.maximum}${unit(issue.origin)}`;
    case 'invalid_format':
      return issue.format === 'url'
        ? 'an address that begins with http:// or https://'
        : 'the name of an environment variable: letters, digits and underscores';
    default:
      return `otherwise (${issue.message})`;
  }
}

const kinds: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text in quotes',
  boolean: 'true or false, without quotes',
  object: 'an object in braces',
  record: 'an object in braces',
  array: 'a list in brackets',
};

function unit(origin: string): string {
  if (origin === 'string') return ' characters long';
  return origin === 'array' ? ' entries long' : '';
}
