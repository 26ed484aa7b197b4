/**
 * Sentences that the host has for a person. They are made, sent and stored in English, which the model and other
 * clients read as well; a surface says them in its person's language at the moment in which it shows them. So each
 * window has its own language, and what was recorded long ago is read in today's.
 *
 * A translation is found by the sentence itself: `say` is both the making of it and the mark by which
 * `l10n/host.json` is collected, and `sayIn` recognizes what `say` has filled in.
 */
import { quoted } from './worded';

type Places<Sentence extends string> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Places<Rest>
  : never;

type Filling<Sentence extends string> = [Places<Sentence>] extends [never]
  ? []
  : [values: Readonly<Record<Places<Sentence>, string | number>>];

/**
 * Fills in `{name}`; one between backticks gets as many as its value needs. The sentence is written out where it is
 * said, so that translators find it.
 */
export function say<const Sentence extends string>(
  sentence: Sentence,
  ...filling: Filling<Sentence>
): string {
  const values: Readonly<Record<string, string | number>> = filling[0] ?? {};
  return sentence.replace(/`\{(\w+)\}`|\{(\w+)\}/g, (place, marked?: string, bare?: string) =>
    marked === undefined
      ? String(values[bare ?? ''] ?? place)
      : quoted(String(values[marked] ?? `{${marked}}`)),
  );
}

/** Values that are words of the host themselves. All others stay as they are: a path is no sentence. */
const WORDS: ReadonlySet<string> = new Set(['why', 'rule', 'by', 'place', 'given', 'wanted', 'meanwhile']);

/** Places at which words may end that are tried: they may hold what follows them in the sentence. */
const ENDS_TRIED = 8;

/** Longer than any sentence of the host's with what it quotes; what is longer is shown as it is. */
const SENTENCE_CHARACTERS = 20_000;

/** Sentences that are kept as they were said last: a list that is drawn anew, or a part of a text, is not looked up again. */
const KEPT_SENTENCES = 500;

type InWords = (text: string) => string;

interface Pattern {
  readonly literals: readonly string[];
  readonly names: readonly string[];
  readonly translation: string;
}

/**
 * Says sentences by these translations of them, English to the person's language. What is no sentence of the host's
 * (an agent's, a server's) comes back as it is.
 */
export function sayIn(translations: Readonly<Record<string, string>>): InWords {
  const whole = new Map(Object.entries(translations).filter(([english]) => !english.includes('{')));
  const patterns = Object.entries(translations)
    .filter(([english]) => english.includes('{'))
    .map(([english, translation]) => patternOf(english, translation))
    // The one that says the most itself: "The sign-in to {name} has failed: {why}" before "{name}: {why}".
    .sort((a, b) => weight(b) - weight(a));
  const kept = new Map<string, string>();

  const look: InWords = (text) => {
    const found = whole.get(text);
    if (found !== undefined || text.length > SENTENCE_CHARACTERS) return found ?? text;
    for (const pattern of patterns) {
      const values = read(pattern, text, inWords);
      if (values !== undefined) return fill(pattern.translation, values, inWords);
    }
    return text;
  };
  const inWords: InWords = (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const said = look(text);
    if (kept.size >= KEPT_SENTENCES) kept.clear();
    kept.set(text, said);
    return said;
  };
  return inWords;
}

function patternOf(english: string, translation: string): Pattern {
  const pieces = english.split(/\{(\w+)\}/);
  return {
    literals: pieces.filter((_, index) => index % 2 === 0),
    names: pieces.filter((_, index) => index % 2 === 1),
    translation,
  };
}

const weight = ({ literals }: Pattern): number => literals.join('').length;

/** What was filled in: each value as short as it can be, but for the last, and for words that are known. */
function read(
  { literals, names }: Pattern,
  text: string,
  inWords: InWords,
): ReadonlyMap<string, string> | undefined {
  const first = literals[0] ?? '';
  const last = literals.at(-1) ?? '';
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return undefined;
  const values = new Map<string, string>();
  let from = first.length;
  for (const [index, name] of names.entries()) {
    const next = literals[index + 1] ?? '';
    const isLast = index === names.length - 1;
    const isKnown = (to: number) => inWords(text.slice(from, to)) !== text.slice(from, to);
    const ends = isLast ? [end] : endsOf(text, next, from, end, WORDS.has(name) ? ENDS_TRIED : 1);
    const known = ends.find(isKnown);
    // A text that begins with anything is no sentence for the words that follow it.
    if (known === undefined && name === 'why' && from === 0) return undefined;
    const to = known ?? ends[0];
    if (to === undefined) return undefined;
    values.set(name, text.slice(from, to));
    from = to + next.length;
  }
  return values;
}

/** Where `next` stands between two places, the first few. */
function endsOf(text: string, next: string, from: number, end: number, most: number): readonly number[] {
  const found: number[] = [];
  let at = text.indexOf(next, from);
  while (at !== -1 && at + next.length <= end && found.length < most) {
    found.push(at);
    at = text.indexOf(next, at + 1);
  }
  return found;
}

const fill = (translation: string, values: ReadonlyMap<string, string>, inWords: InWords): string =>
  translation.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values.get(name);
    if (value === undefined) return place;
    return WORDS.has(name) ? inWords(value) : value;
  });
