/** Which parts of a command a rule names (A10). Pure; matches words and never text. */
import type { RuleRecord } from '../records';
import { isFurther, isInFolder } from './further';
import type { CommandPart, CommandReading, Word } from './reading';

/** The last word of a rule that stands for any further words. */
const ANY = '*';

/** A rule's one part without its last word, when that stands for any further words. */
export function openEnded(parts: readonly CommandPart[]): readonly Word[] | undefined {
  const [only, ...others] = parts;
  const last = only?.words.at(-1);
  if (only === undefined || others.length > 0 || typeof last !== 'object' || last.raw !== ANY)
    return undefined;
  return only.words.slice(0, -1);
}

/**
 * An allow rule covers a part: word by word, in the same place, and nothing about it always asks. Further words that
 * stray are covered by none.
 */
export function covers(rule: RuleRecord, part: CommandPart, strays: (part: CommandPart) => boolean): boolean {
  const parts = rule.parts ?? [];
  if ([part, ...parts].some(({ caution }) => caution !== undefined)) return false;
  if (rule.match.kind === 'command' && rule.match.further === true)
    return isInFolder(part) && isFurther(part.words, parts[0]?.words ?? []) && !strays(part);
  const head = openEnded(parts);
  if (head !== undefined)
    return (
      isThere(parts[0], part) &&
      begins(part.words, head, same) &&
      part.words.slice(head.length).every((word) => typeof word === 'string')
    );
  return parts.some(
    (own) =>
      isThere(own, part) && own.words.length === part.words.length && begins(part.words, own.words, same),
  );
}

/** A deny or ask rule names a part, wherever it stands: a program counts by its name, a word by what it comes to. */
export function names(rule: RuleRecord, part: CommandPart): boolean {
  if (rule.parts === undefined || part.words.length === 0) return false;
  const words = spoken(part.words);
  const head = openEnded(rule.parts);
  if (head !== undefined) return begins(words, spoken(head), equal);
  return rule.parts.some(
    (own) => own.words.length === words.length && begins(words, spoken(own.words), equal),
  );
}

/** Nobody can say what will run: a rule that denies something might be meant. */
export const isObscure = (reading: CommandReading): boolean =>
  reading.kind === 'unparsed' ||
  reading.parts.some((part) => part.caution?.kind === 'hidden' || part.caution?.kind === 'expansion');

/** Behind the same changes of folder. */
const isThere = (own: CommandPart | undefined, { after = [] }: CommandPart): boolean =>
  own !== undefined && (own.after ?? []).length === after.length && begins(after, own.after ?? [], equal);

const begins = <A, B>(words: readonly A[], head: readonly B[], fits: (a: A, b: B) => boolean): boolean =>
  words.length >= head.length &&
  head.every((word, at) => {
    const own = words[at];
    return own !== undefined && fits(own, word);
  });

function same(one: Word, other: Word): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return one.raw === other.raw;
}

const equal = (one: string, other: string): boolean => one === other;

const spoken = (words: readonly Word[]): readonly string[] =>
  words.map((word, at) => (at === 0 ? programName(textOf(word)) : textOf(word)));

export const textOf = (word: Word): string => (typeof word === 'string' ? word : (word.value ?? word.raw));

/** `/usr/bin/Python3.exe` is `python3`: a program by whatever path it is called. */
export const programName = (path: string): string =>
  (path.split(/[/\\]/).at(-1) ?? path).toLowerCase().replace(/\.(exe|cmd|bat|com)$/, '');
