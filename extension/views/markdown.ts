import { revealed } from '../../protocol/reveal';

/** Characters of one block; a tooltip is no document. */
const BLOCK_LENGTH = 8_000;

/** Text of the agent or of a file as Markdown that shows it and does nothing. */
export function plain(text: string): string {
  return revealed(text)
    .replace(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, '\\$&')
    .replace(/\n/g, '  \n');
}

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
