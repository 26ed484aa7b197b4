/** Replacing an exact text in a file. Line ends are looked through: a model writes `\n` where a file has `\r\n`. */
import { lineEndsOf, toLf, withLineEnds } from './text';

export type Replaced =
  | { readonly ok: true; readonly text: string; readonly count: number; readonly line: number }
  | { readonly ok: false; readonly problem: 'missing' | 'ambiguous' | 'unchanged'; readonly count: number };

/** `line` is that of the first place, from 1. The text outside the places is kept to the character. */
export function replace(text: string, old: string, next: string, all: boolean): Replaced {
  const needle = toLf(old);
  const plain = toLf(text);
  const places = placesOf(plain, needle);
  const first = places[0];
  if (first === undefined) return { ok: false, problem: 'missing', count: 0 };
  if (places.length > 1 && !all) return { ok: false, problem: 'ambiguous', count: places.length };
  const inserted = withLineEnds(next, lineEndsOf(text));
  const rawOf = positions(text, plain);
  const parts: string[] = [];
  let from = 0;
  for (const place of places) {
    parts.push(text.slice(from, rawOf(place)), inserted);
    from = rawOf(place + needle.length);
  }
  parts.push(text.slice(from));
  const replaced = parts.join('');
  if (replaced === text) return { ok: false, problem: 'unchanged', count: places.length };
  return { ok: true, text: replaced, count: places.length, line: lineAt(plain, first) };
}

/**
 * Says where a text that was not found nearly is, so that a model can mend its next try. Undefined when no
 * line comes close. It looks at no more than `LINES_MOST` lines, and compares no more than `COMPARED_MOST`
 * characters of those that are about as long.
 */
export function nearest(text: string, old: string): { line: number; text: string } | undefined {
  const wanted = toLf(old)
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim();
  if (wanted === undefined) return undefined;
  const wantedPairs = pairsOf(wanted);
  let best: { line: number; text: string; score: number } | undefined;
  let compared = 0;
  let from = 0;
  for (let number = 1; number <= LINES_MOST && from <= text.length; number += 1) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end === -1 ? text.length : end).replace(/\r$/, '');
    from = end === -1 ? text.length + 1 : end + 1;
    const trimmed = line.trim();
    if (trimmed.length > wanted.length * 2 || trimmed.length * 2 < wanted.length) continue;
    compared += Math.min(trimmed.length, PAIRED_CHARACTERS);
    const score = trimmed === wanted ? 1 : likeness(wantedPairs, pairsOf(trimmed));
    if (score >= LIKE && score > (best?.score ?? 0)) best = { line: number, text: line, score };
    if (score === 1 || compared > COMPARED_MOST) break;
  }
  return best;
}

/** So many lines are gone through in a few milliseconds. */
const LINES_MOST = 50_000;
/** So many characters are compared in some tens of milliseconds. */
const COMPARED_MOST = 256 * 1024;
/** What is compared of one line, characters. */
const PAIRED_CHARACTERS = 500;
/** Share of letter pairs in common from which two lines count as alike. */
const LIKE = 0.6;

function placesOf(text: string, needle: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length))
    places.push(at);
  return places;
}

/** Maps a position in the text without `\r` to the one in the text as it is. */
function positions(text: string, plain: string): (position: number) => number {
  if (text.length === plain.length) return (position) => position;
  const dropped: number[] = [];
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2))
    dropped.push(at - dropped.length);
  return (position) => {
    let low = 0;
    let high = dropped.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((dropped[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return position + low;
  };
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function pairsOf(line: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  const end = Math.min(line.length, PAIRED_CHARACTERS) - 1;
  for (let at = 0; at < end; at += 1) pairs.add(line.slice(at, at + 2));
  return pairs;
}

function likeness(one: ReadonlySet<string>, two: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of one) if (two.has(pair)) common += 1;
  return one.size + two.size === 0 ? 0 : (2 * common) / (one.size + two.size);
}
