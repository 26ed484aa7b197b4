/** The little that a rehearsal understands of code: enough for one kind of mistake, found from what it has read. */

/** A limit that is compared too strictly, with the change that mends it. */
export interface Mistake {
  readonly path: string;
  readonly old: string;
  readonly next: string;
  readonly limit: number;
  /** What says how it should be, quoted. */
  readonly rule: string;
}

const WORDS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

export const inWords = (n: number): string => WORDS[n] ?? String(n);

/**
 * `x > LIMIT` with `const LIMIT = N`, where the read-me says "N or more". Undefined when there is no such
 * place, or more than one.
 */
export function findMistake(path: string, source: string, readme: string): Mistake | undefined {
  for (const [old, left, name] of source.matchAll(/\b(\w+) > (\w+)\b/g)) {
    const limit = Number(new RegExp(`\\b(?:const|let) ${name ?? ''} = (\\d+)`).exec(source)?.[1] ?? NaN);
    const rule = sentences(readme).find((sentence) => saysOrMore(sentence, limit));
    if (rule === undefined || source.split(old).length !== 2) continue;
    return { path, old, next: `${left ?? ''} >= ${name ?? ''}`, limit, rule };
  }
  return undefined;
}

const sentences = (text: string): string[] =>
  text
    .split(/\n(?=[-*#]|\n)|(?<=[.;:!?])\s/)
    .map((part) => part.replace(/^[-*#\s]+|\s+$/g, '').replace(/\s+/g, ' '));

function saysOrMore(sentence: string, limit: number): boolean {
  const found = /\b(\w+) or more\b/i.exec(sentence)?.[1]?.toLowerCase();
  return found !== undefined && (found === String(limit) || found === WORDS[limit]);
}

/** Paths that a file's `require` or `import` names, as seen from the workspace. */
export function importsOf(path: string, source: string): string[] {
  const found = [...source.matchAll(/(?:require\(|from )['"](\.{1,2}\/[^'"]+)['"]/g)].map(
    (match) => match[1] ?? '',
  );
  return [...new Set(found.map((relative) => joined(path, relative)))];
}

function joined(from: string, relative: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of relative.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** The file that a failed test run names, as seen from the workspace: `test/cart.test.js`. */
export function failingFile(output: string): string | undefined {
  const place = /(?:location: '|test at )(?:file:\/\/)?([^\s':]+)/.exec(output)?.[1];
  return place === undefined ? undefined : /(?:^|\/)((?:tests?|src|lib)\/.*)$/.exec(place)?.[1];
}

/** Name of the first failed test. */
export const failingTest = (output: string): string | undefined =>
  /^\s*(?:✖|not ok \d+ -) (?!failing tests)(.+?)(?: \([\d.]+ms\))?$/m.exec(output)?.[1]?.trim();

/** The name of a function that a test file takes from the module at `path`. */
export function importedName(test: string): string | undefined {
  return /(?:const|import) \{ (\w+)[^}]*\} (?:= require\(|from )['"]\.{1,2}\//.exec(test)?.[1];
}

/** A test just below the limit, made from the one at the limit and from the table of prices. */
export function regressionTest(
  test: string,
  prices: string,
  { limit }: Mistake,
): { readonly old: string; readonly next: string; readonly name: string } | undefined {
  const call = new RegExp(`(\\w+)\\(\\[\\{ name: '(\\w+)', pieces: ${limit} \\}\\]\\)`).exec(test);
  const head = [...test.slice(0, call?.index ?? 0).matchAll(/^test\(.*$/gm)].at(-1)?.[0];
  const price = [...prices.matchAll(/\['(\w+)', (\d+)\]/g)].find((entry) => entry[1] !== call?.[2]);
  if (call === null || head === undefined || price === undefined || test.split(head).length !== 2)
    return undefined;
  const pieces = limit - 1;
  const name = `nothing is taken off ${inWords(pieces)} pieces of one thing`;
  const line = `assert.equal(${call[1] ?? ''}([{ name: '${price[1] ?? ''}', pieces: ${pieces} }]), ${pieces * Number(price[2])});`;
  return { old: head, next: `test('${name}', () => {\n  ${line}\n});\n\n${head}`, name };
}
