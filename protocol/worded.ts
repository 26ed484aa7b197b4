/** Words with code between backticks, as the host writes labels of rules and reasons. */
export interface Word {
  readonly text: string;
  readonly code: boolean;
}

/** Between backticks, more than the text itself has in a row; a blank keeps its own apart from them (as in Markdown). */
export function quoted(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map((run) => run.length)));
  const blank = /^`|`$|^ .*\S.* $/s.test(text) ? ' ' : '';
  return `${fence}${blank}${text}${blank}${fence}`;
}

/** What stands bare in a sentence: with backticks of its own it is quoted, so that none of it is taken for a mark. */
export const unmarked = (text: string): string => (text.includes('`') ? quoted(text) : text);

/** Without the marks. Where they do not pair, what is quoted has one of its own: then all of it stays as it is. */
export function wordsIn(text: string): readonly Word[] {
  const words: Word[] = [];
  const runs = [...text.matchAll(/`+/g)].map((run) => ({ from: run.index, length: run[0].length }));
  let at = 0;
  for (let next = 0; next < runs.length; next += 1) {
    const opens = runs[next];
    const end = runs.findIndex(({ length }, index) => index > next && length === opens?.length);
    const closes = runs[end];
    if (opens === undefined || closes === undefined) return [{ text, code: false }];
    words.push({ text: text.slice(at, opens.from), code: false });
    const inside = text.slice(opens.from + opens.length, closes.from);
    words.push({ text: inside.replace(/^ (.*\S.*) $/s, '$1'), code: true });
    at = closes.from + closes.length;
    next = end;
  }
  return [...words, { text: text.slice(at), code: false }].filter((word) => word.text !== '');
}

/** The same as plain text, for lines that cannot show code. */
export const withoutMarks = (text: string): string =>
  wordsIn(text)
    .map((word) => word.text)
    .join('');
