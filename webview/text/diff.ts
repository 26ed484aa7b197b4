/** Rows of a diff as they are drawn, from a unified diff or from the two texts of an edit. */
export interface DiffRow {
  readonly kind: 'add' | 'del' | 'same' | 'hunk';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

export function parseDiff(diff: string): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let before = 0;
  let after = 0;
  let inHunk = false;
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(line);
    if (hunk !== null) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      inHunk = true;
      rows.push({ kind: 'hunk', text: hunk[3] ?? '' });
    } else if (!inHunk || line.startsWith('\\')) {
      // Names of the files and "no newline at the end" say nothing that the card does not say.
    } else if (line.startsWith('+')) {
      rows.push({ kind: 'add', text: line.slice(1), after: after++ });
    } else if (line.startsWith('-')) {
      rows.push({ kind: 'del', text: line.slice(1), before: before++ });
    } else {
      rows.push({ kind: 'same', text: line.slice(1), before: before++, after: after++ });
    }
  }
  // A first hunk that begins at the file's first line needs no separator.
  return rows[0]?.kind === 'hunk' && rows[0].text === '' ? rows.slice(1) : rows;
}

/** The rows of a replacement, with at most two equal lines around it. */
export function replacement(old: string, now: string): readonly DiffRow[] {
  const a = lines(old);
  const b = lines(now);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const row = (kind: DiffRow['kind']) => (text: string) => ({ kind, text });
  return [
    ...a.slice(Math.max(0, head - 2), head).map(row('same')),
    ...a.slice(head, a.length - tail).map(row('del')),
    ...b.slice(head, b.length - tail).map(row('add')),
    ...a.slice(a.length - tail, a.length - tail + 2).map(row('same')),
  ];
}

export function countRows(rows: readonly DiffRow[]): { readonly added: number; readonly removed: number } {
  return {
    added: rows.filter((row) => row.kind === 'add').length,
    removed: rows.filter((row) => row.kind === 'del').length,
  };
}

function lines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
