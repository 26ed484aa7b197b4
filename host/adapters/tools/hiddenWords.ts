/** Whether a text that a shell reads names what no tool may use (A12). */
import { homedir } from 'node:os';
import { isAbsolute, sep } from 'node:path';
import type { Workplace } from '../../engine/ports';
import { isWithin, realPath } from './paths';

/** Words of one text whose way is followed. */
const WORDS_MOST = 256;

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
    .slice(0, WORDS_MOST)
    .map((word) => word.replace(/^(~|\$HOME)(?=\/)/, homedir()))
    // Not made plain before it is followed: what stands before `..` may be a link.
    .map((word) => (isAbsolute(word) ? word : `${place.folder}${sep}${word}`));
  const real = await Promise.all([...new Set(words)].map(followed));
  return real.some((word) => hidden.some((path) => isWithin(path, plain(word))));
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
