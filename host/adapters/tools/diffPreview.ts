/** The diff that a person judges an edit by. Computed in bounded time for files of any size. */
import { createHash } from 'node:crypto';
import { structuredPatch } from 'diff';
import { PREVIEW_BYTES, type Preview } from '../../../protocol';
import { toLf } from './text';

export type DiffPreview = Extract<Preview, { kind: 'diff' }>;

/** A diff as it is shown, and `print`, which is the same for the same lines removed and added, also behind a cut. */
export interface Shown {
  readonly preview: DiffPreview;
  readonly print: string;
}

/** Makes the diff that is shown, without secrets (X8). */
export type Diff = (path: string, before: string | undefined, after: string) => Shown;

export function cleanDiff(clean: (text: string) => string): Diff {
  return (path, before, after) => {
    const { preview, print } = diffPreview(path, before, after);
    return { preview: { ...preview, diff: clean(preview.diff) }, print };
  };
}

/** Lines of context around a change, as `diff -u` has them. */
const CONTEXT = 3;
/** Time for the shortest diff, ms; after it the changed part is shown as removed and added whole. */
const SEARCH_MS = 200;

/** `before` is undefined for a file that is created. Line ends are looked through. */
export function diffPreview(path: string, before: string | undefined, after: string): Shown {
  const old = linesOf(before ?? '');
  const now = linesOf(after);
  const lines: string[] = [];
  let size = 0;
  let added = 0;
  let removed = 0;
  let cut = false;
  const print = createHash('sha256').update(before === undefined ? 'created\n' : '');
  const say = (line: string): void => {
    size += Buffer.byteLength(line) + 1;
    if (cut || size > PREVIEW_BYTES) cut = true;
    else lines.push(line);
  };
  say(before === undefined ? '--- /dev/null' : `--- a/${path}`);
  say(`+++ b/${path}`);
  for (const hunk of hunks(old, now)) {
    say(
      `@@ -${String(hunk.oldStart)},${String(hunk.oldLines)} +${String(hunk.newStart)},${String(hunk.newLines)} @@`,
    );
    for (const line of hunk.lines) {
      if (line.startsWith('+')) added += 1;
      else if (line.startsWith('-')) removed += 1;
      if (!line.startsWith(' ')) print.update(`${line}\n`);
      say(line);
    }
  }
  const diff = `${lines.join('\n')}\n`;
  const preview = { kind: 'diff', path, diff, added, removed, created: before === undefined, cut } as const;
  return { preview, print: print.digest('hex') };
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** Only what lies between the common beginning and end is searched, so a small edit of a large file is cheap. */
function hunks(old: readonly string[], now: readonly string[]): readonly Hunk[] {
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  ) {
    tail += 1;
  }
  if (head === old.length && head === now.length) return [];
  const from = Math.max(0, head - CONTEXT);
  const oldPart = old.slice(from, old.length - Math.max(0, tail - CONTEXT));
  const newPart = now.slice(from, now.length - Math.max(0, tail - CONTEXT));
  if (oldPart.length === 0 || newPart.length === 0) return [wholeHunk(oldPart, newPart, from)];
  const patch = structuredPatch('', '', oldPart.join(''), newPart.join(''), '', '', {
    context: CONTEXT,
    timeout: SEARCH_MS,
  });
  if (patch === undefined) return [wholeHunk(oldPart, newPart, from)];
  return patch.hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + from,
    newStart: hunk.newStart + from,
  }));
}

function wholeHunk(old: readonly string[], now: readonly string[], from: number): Hunk {
  return {
    oldStart: old.length === 0 ? from : from + 1,
    oldLines: old.length,
    newStart: now.length === 0 ? from : from + 1,
    newLines: now.length,
    lines: [...marked('-', old), ...marked('+', now)],
  };
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n') ? [mark + line.slice(0, -1)] : [mark + line, '\\ No newline at end of file'],
  );
}

/** Lines with their ends, so that a missing last one is a change as well. */
function linesOf(text: string): readonly string[] {
  return toLf(text).match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
