/**
 * Sentences that the host has for a person. They are made, sent and stored in English, which the model and other
 * clients read as well; a surface says them in its person's language at the moment in which it shows them. So each
 * window has its own language, and what was recorded long ago is read in today's.
 *
 * A translation is found by the sentence itself: `say` is both the making of it and the mark by which
 * `l10n/host.json` is collected, and `sayIn` recognizes what `say` has filled in.
 */

type Places<Sentence extends string> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Places<Rest>
  : never;

type Filling<Sentence extends string> = [Places<Sentence>] extends [never]
  ? []
  : [values: Readonly<Record<Places<Sentence>, string | number>>];

/** Fills in `{name}`. The sentence is written out where it is said, so that translators find it. */
export function say<const Sentence extends string>(
  sentence: Sentence,
  ...filling: Filling<Sentence>
): string {
  const values: Readonly<Record<string, string | number>> = filling[0] ?? {};
  return sentence.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}

/** Values that are sentences of the host themselves. All others stay as they are: a path is no sentence. */
const SENTENCES: ReadonlySet<string> = new Set(['why', 'rule', 'by']);

/** Longer than any sentence of the host's with what it quotes; what is longer is shown as it is. */
const SENTENCE_CHARACTERS = 20_000;

/** Sentences that are kept as they were said last, so that a list that is drawn anew looks none up. */
const KEPT_SENTENCES = 500;

interface Pattern {
  readonly literals: readonly string[];
  readonly names: readonly string[];
  readonly translation: string;
}

/**
 * Says sentences by these translations of them, English to the person's language. What is no sentence of the host's
 * (an agent's, a server's) comes back as it is.
 */
export function sayIn(translations: Readonly<Record<string, string>>): (text: string) => string {
  const whole = new Map(Object.entries(translations).filter(([english]) => !english.includes('{')));
  const patterns = Object.entries(translations)
    .filter(([english]) => english.includes('{'))
    .map(([english, translation]) => patternOf(english, translation))
    // The one that says the most itself: "The sign-in to {name} has failed: {why}" before "{name}: {why}".
    .sort((a, b) => weight(b) - weight(a));
  const kept = new Map<string, string>();

  const look = (text: string): string => {
    const found = whole.get(text);
    if (found !== undefined || text.length > SENTENCE_CHARACTERS) return found ?? text;
    for (const pattern of patterns) {
      const values = read(pattern, text);
      if (values !== undefined) return fill(pattern.translation, values, look);
    }
    return text;
  };
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const said = look(text);
    if (kept.size >= KEPT_SENTENCES) kept.clear();
    kept.set(text, said);
    return said;
  };
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

/** What was filled in, each value as short as it can be but for the last; one look over the text (R10). */
function read({ literals, names }: Pattern, text: string): ReadonlyMap<string, string> | undefined {
  const first = literals[0] ?? '';
  const last = literals.at(-1) ?? '';
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return undefined;
  const values = new Map<string, string>();
  let from = first.length;
  for (const [index, name] of names.entries()) {
    const to = index === names.length - 1 ? end : text.indexOf(literals[index + 1] ?? '', from);
    if (to < from || to > end) return undefined;
    values.set(name, text.slice(from, to));
    from = to + (literals[index + 1] ?? '').length;
  }
  return values;
}

const fill = (
  translation: string,
  values: ReadonlyMap<string, string>,
  inWords: (text: string) => string,
): string =>
  translation.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values.get(name);
    if (value === undefined) return place;
    return SENTENCES.has(name) ? inWords(value) : value;
  });
