/** Words with code between backticks, as the host writes labels of rules and reasons. */
export interface Word {
  readonly text: string;
  readonly code: boolean;
}

/** Without the marks. Where they do not pair, what is quoted has one of its own: then all of it stays as it is. */
export function wordsIn(text: string): readonly Word[] {
  const pieces = text.split('`');
  if (pieces.length % 2 === 0) return [{ text, code: false }];
  return pieces
    .map((piece, index) => ({ text: piece, code: index % 2 === 1 }))
    .filter((word) => word.text !== '');
}

/** The same as plain text, for lines that cannot show code. */
export const withoutMarks = (text: string): string =>
  wordsIn(text)
    .map((word) => word.text)
    .join('');
