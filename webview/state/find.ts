/** Searching within the shown session, over what was read of it; what is older is read on the way. */
import type { Row } from './rows';

/** Keys of the rows that hold the text, oldest first. The search looks through upper and lower case. */
export function matchesOf(rows: readonly Row[], query: string): readonly string[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [];
  return rows.filter((row) => textOf(row).includes(wanted)).map((row) => row.key);
}

/** Made once for each row: the fold keeps the rows that it does not touch. */
const texts = new WeakMap<Row, string>();

function textOf(row: Row): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const text = wordsOf(row).toLowerCase();
  texts.set(row, text);
  return text;
}

function wordsOf(row: Row): string {
  if (row.kind !== 'part') return '';
  const { part } = row;
  switch (part.kind) {
    case 'message':
    case 'text':
    case 'reasoning':
    case 'note':
      return part.text;
    case 'call':
      return [part, ...row.steps]
        .map((call) =>
          [call.title, JSON.stringify(call.args ?? ''), JSON.stringify(call.result ?? '')].join('\n'),
        )
        .join('\n');
    case 'lift':
    case 'lifted_end':
      return part.title;
    case 'compacted':
      return part.summary;
    case 'retry':
      return part.detail;
    case 'project':
      return part.path;
    case 'compaction_asked':
      return '';
    case 'killed_work':
      return part.killed.join('\n');
  }
}

/** The match to go to next from the one that is shown; the newest at first. */
export function nextMatch(
  matches: readonly string[],
  current: string | undefined,
  step: 1 | -1,
): string | undefined {
  const at = current === undefined ? -1 : matches.indexOf(current);
  if (at === -1) return matches.at(-1);
  return matches[(at + step + matches.length) % matches.length];
}
