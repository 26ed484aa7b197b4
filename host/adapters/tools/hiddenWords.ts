/** Whether a text that a shell reads, or what a call is given, names what no tool may use (A12). */
import { homedir } from 'node:os';
import { isAbsolute, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Workplace } from '../../engine/ports';
import { isWithin, realPath } from './paths';

/** Words of one text whose way is followed. */
const WORDS_MOST = 256;

/** Texts of one call's arguments that are followed as a path, and the longest of them, characters. */
const TEXTS_MOST = 256;
const PATH_CHARACTERS = 4_096;

export const HIDDEN = "That path holds Belay's own records; no tool may use it.";

/**
 * The text has a hidden path, or one below it, as it is written or as it leads there. A shell has endless other ways to
 * spell a path: this keeps a model from going there by mistake, and the person judges the command. Compared without
 * case: some file system takes such names for the same.
 */
export async function namesHidden(text: string, place: Workplace): Promise<boolean> {
  if (text === '' || place.hidden.length === 0) return false;
  const hidden = [...place.hidden, ...(await Promise.all(place.hidden.map(followed)))].map(plain);
  const whole = plain(text);
  if (hidden.some((path) => isNamed(whole, path))) return true;
  const words = text
    .split(/[\s'"`=;|&<>(){},]+/)
    .filter((word) => /[/\\]/.test(word))
    .slice(0, WORDS_MOST);
  return leadsInto(hidden, words, place);
}

/**
 * Why no tool may be called with these arguments: a text anywhere in them names a hidden path, or is a path to one.
 * Undefined when none does.
 */
export async function refusalOf(args: unknown, place: Workplace): Promise<string | undefined> {
  if (place.hidden.length === 0) return undefined;
  const texts = textsOf(args);
  if (await namesHidden(texts.join('\n'), place)) return HIDDEN;
  const paths = texts.filter((text) => text.length <= PATH_CHARACTERS).slice(0, TEXTS_MOST);
  const hidden = (await Promise.all(place.hidden.map(followed))).map(plain);
  return (await leadsInto(hidden, paths, place)) ? HIDDEN : undefined;
}

/** All texts of a value, names included; not by recursion, since a model may nest as deep as it likes. */
function textsOf(value: unknown): readonly string[] {
  const texts: string[] = [];
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === 'string') texts.push(one);
    else if (typeof one === 'object' && one !== null)
      for (const [name, inner] of Object.entries(one)) {
        if (!Array.isArray(one)) left.push(name);
        left.push(inner);
      }
  }
  return texts;
}

async function leadsInto(
  hidden: readonly string[],
  words: readonly string[],
  place: Workplace,
): Promise<boolean> {
  const paths = words
    .map((word) => fromUrl(word).replace(/^(~|\$HOME)(?=\/)/, homedir()))
    // Not made plain before it is followed: what stands before `..` may be a link.
    .map((word) => (isAbsolute(word) ? word : `${place.folder}${sep}${word}`));
  const real = await Promise.all([...new Set(paths)].map(followed));
  return real.some((path) => hidden.some((one) => isWithin(one, plain(path))));
}

function fromUrl(word: string): string {
  if (!/^file:/i.test(word)) return word;
  try {
    return fileURLToPath(word);
  } catch {
    return word;
  }
}

const followed = (path: string): Promise<string> => realPath(path).catch(() => path);

const plain = (text: string): string => text.normalize('NFC').toLowerCase();

function isNamed(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    const before = text[at - 1] ?? '';
    const after = text[at + path.length] ?? '';
    if (!PATH_CHARACTER.test(before) && (after === '/' || after === '\\' || !PATH_CHARACTER.test(after)))
      return true;
  }
  return false;
}

const PATH_CHARACTER = /[\p{L}\p{N}_.~/\\-]/u;
