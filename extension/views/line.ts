/**
 * Texts of agents, servers and files as one line of the editor's own surfaces: nothing in them is hidden, nothing
 * turns what stands beside it, and none is endless.
 */
import { l10n } from 'vscode';
import { revealed } from '../../protocol/reveal';

/** Characters of a label; the whole is in the tooltip, the chat and the output. */
export const LINE_LENGTH = 300;
/** Characters of a title that a row surely shows: those of a side bar of 300 px beside three buttons, in a wide font. */
const BRIEF_LENGTH = 26;
/** A notification is read at a glance; the whole stands in the tree. */
const NOTICE_LENGTH = 160;
const NOTICE_TEXT_LENGTH = 1_000;
/** Names of a list that a notification tells; the others are counted. */
const NAMED_MOST = 5;

export function line(text: string, most = LINE_LENGTH): string {
  const flat = revealed(
    text
      .slice(0, 8 * most)
      .replace(/\s+/g, ' ')
      .trim(),
  );
  if (flat.length <= most && text.length <= 8 * most) return flat;
  // Half of a character would be drawn as a box.
  return `${flat
    .slice(0, most - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`;
}

/**
 * A title in a row in which something else has to be read as well: its beginning up to the end of a word, or the two ends
 * of a long word, as a path is.
 */
export function brief(text: string): string {
  const whole = line(text);
  if (whole.length <= BRIEF_LENGTH) return whole;
  const words = whole.slice(0, BRIEF_LENGTH).replace(/[\s,;:.…]*\s\S*$/, '');
  if (words.length >= BRIEF_LENGTH / 2) return `${words}…`;
  const half = BRIEF_LENGTH / 2;
  return `${whole.slice(0, half - 1).replace(/[\uD800-\uDBFF]$/, '')}…${whole.slice(-half).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

/** For a notification or a prompt, in which `[Allow](command:…)` would be a link that does it. */
export const noticeLine = (text: string): string => unlinked(line(text, NOTICE_LENGTH));

/** The same for a list of names. */
export function noticeLines(texts: readonly string[]): string {
  const named = texts.slice(0, NAMED_MOST).map(noticeLine);
  const more = texts.length - named.length;
  return [...named, ...(more > 0 ? [l10n.t('and {0} more', more)] : [])].join(', ');
}

/** The same for a sentence or a question, which may be longer. */
export const noticeText = (text: string): string => unlinked(line(text, NOTICE_TEXT_LENGTH));

const unlinked = (text: string): string => text.replace(/\]\(/g, '] (');

/** For an entry of a quick pick, in which `$(name)` would be drawn as a picture in the place of the command. */
export function pickLine(text: string): string {
  return line(text).replace(/\$\((?=[A-Za-z0-9-]+(?:~[A-Za-z]+)?\))/g, '\\$(');
}

/** The texts of an entry of a quick pick, all of them. */
export function pickTexts<T extends { label: string; description?: string; detail?: string }>(item: T): T {
  return {
    ...item,
    label: pickLine(item.label),
    ...(item.description === undefined ? {} : { description: pickLine(item.description) }),
    ...(item.detail === undefined ? {} : { detail: pickLine(item.detail) }),
  };
}
