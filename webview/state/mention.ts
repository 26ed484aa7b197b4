/** What is being written after an @ at the caret: the beginning of a file's name. */
export interface Mention {
  readonly query: string;
  /** Where the @ stands. */
  readonly from: number;
  readonly to: number;
}

/** A file or folder that fits. */
export interface Found {
  readonly path: string;
  readonly name: string;
  readonly folder: boolean;
}

export function mentionAt(text: string, caret: number): Mention | undefined {
  const match = /(?:^|[\s([{"'`])@([^\s@]{0,80})$/.exec(text.slice(0, caret));
  const query = match?.[1];
  return query === undefined ? undefined : { query, from: caret - query.length - 1, to: caret };
}

/** The text without what was written of the name: the file is attached, not spelled out. */
export function withoutMention(text: string, { from, to }: Mention): string {
  return text.slice(0, from) + text.slice(to).replace(/^ /, '');
}
