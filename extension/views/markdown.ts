import { revealed } from '../../protocol/reveal';
import { quoted, wordsIn } from '../../protocol/worded';

/** Characters of one block; a tooltip is no document. */
const BLOCK_LENGTH = 8_000;

/** Text of the agent or of a file as Markdown that shows it and does nothing: an address in it is no link either. */
export function plain(text: string): string {
  return revealed(text)
    .replace(/[\\`*_{}[\]()#+\-.!|<>~$&:@]/g, '\\$&')
    .replace(/\n/g, '  \n');
}

/** A sentence of the host's as Markdown, with what it quotes between backticks as code. */
export const worded = (text: string): string =>
  wordsIn(text)
    .map((word) => (word.code ? quoted(codeText(word.text)) : plain(word.text)))
    .join('');

/** Within a code span only its end has a meaning, which `quoted` sees to, and a line that ends: none is in it. */
const codeText = (text: string): string => revealed(text).replace(/\s+/g, ' ');

/** A code block whose fence is longer than any in the text; `lines` more are said, not shown. */
export function fenced(text: string, language: string, lines: number): string {
  const cut = text.length > BLOCK_LENGTH ? `${text.slice(0, BLOCK_LENGTH)}…` : text;
  const all = revealed(cut).split('\n');
  const shown = all.length > lines ? [...all.slice(0, lines), `… (${all.length - lines})`] : all;
  const body = shown.join('\n');
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${body}\n${fence}`;
}
