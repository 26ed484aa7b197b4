/**
 * Where rows lie, before most of them were ever drawn: measured heights where there are some, guesses elsewhere.
 * Pure but for the heights, which it owns.
 */
import type { Row } from './rows';

/** A place in the conversation that survives what comes in above it: so many px below the top of a row. */
export interface Place {
  readonly row: string;
  readonly offset: number;
}

/** Rows that are drawn, `to` excluded. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Usual height of a line of text and of a row's own frame, px; a guess is corrected as soon as it is drawn. */
const LINE = 19;
const FRAME = 12;
const CHARACTER = 7;
const PICTURE = 160;

export class Layout {
  readonly #heights = new Map<string, number>();
  /** What was guessed and what was measured of each kind of row, px: later guesses are as wrong as these were. */
  readonly #learned = new Map<string, { guessed: number; measured: number }>();
  #width = 400;
  #rows: readonly Row[] = [];
  /** `tops[i]` is the top of row `i`; the last entry is the end of all. */
  #tops: Float64Array = new Float64Array(1);
  #index: ReadonlyMap<string, number> | undefined;

  get rows(): readonly Row[] {
    return this.#rows;
  }

  get total(): number {
    return this.#tops.at(-1) ?? 0;
  }

  setRows(rows: readonly Row[]): void {
    if (rows === this.#rows) return;
    this.#rows = rows;
    this.#index = undefined;
    this.#place();
  }

  /** What was measured at another width is worth nothing. Undefined while nothing is drawn. */
  setWidth(width: number | undefined): void {
    if (width === undefined || width === this.#width) return;
    this.#width = width;
    this.#heights.clear();
    this.#learned.clear();
    this.#place();
  }

  /** Whether any of these differs from what was known. */
  measured(heights: Iterable<readonly [string, number]>): boolean {
    let changed = false;
    for (const [key, height] of heights) {
      if (this.#heights.get(key) === height) continue;
      if (!this.#heights.has(key)) this.#learn(key, height);
      this.#heights.set(key, height);
      changed = true;
    }
    if (changed) this.#place();
    return changed;
  }

  topOf(index: number): number {
    return this.#tops[Math.max(0, Math.min(index, this.#rows.length))] ?? 0;
  }

  indexOf(key: string): number {
    this.#index ??= new Map(this.#rows.map((row, index) => [row.key, index]));
    return this.#index.get(key) ?? -1;
  }

  /** The rows between two heights. */
  rangeOf(top: number, bottom: number): Range {
    const from = this.#at(top);
    return { from, to: Math.min(this.#rows.length, this.#at(bottom) + 1) };
  }

  placeOf(top: number): Place | undefined {
    const index = this.#at(top);
    const row = this.#rows[index];
    return row === undefined ? undefined : { row: row.key, offset: top - this.topOf(index) };
  }

  topOfPlace(place: Place): number | undefined {
    const index = this.indexOf(place.row);
    return index === -1 ? undefined : this.topOf(index) + place.offset;
  }

  /** The row at a height: the last one that begins at or before it. */
  #at(top: number): number {
    let low = 0;
    let high = Math.max(0, this.#rows.length - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#tops[middle] ?? 0) <= top) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #learn(key: string, height: number): void {
    const row = this.#rows[this.indexOf(key)];
    if (row === undefined) return;
    const known = this.#learned.get(kindOf(row)) ?? { guessed: 0, measured: 0 };
    this.#learned.set(kindOf(row), {
      guessed: known.guessed + guess(row, this.#width),
      measured: known.measured + height,
    });
  }

  #guess(row: Row): number {
    const known = this.#learned.get(kindOf(row));
    const first = guess(row, this.#width);
    return known === undefined ? first : Math.round((first * known.measured) / known.guessed);
  }

  #place(): void {
    const tops = new Float64Array(this.#rows.length + 1);
    let top = 0;
    this.#rows.forEach((row, index) => {
      tops[index] = top;
      top += this.#heights.get(row.key) ?? this.#guess(row);
    });
    tops[this.#rows.length] = top;
    this.#tops = tops;
  }
}

function kindOf(row: Row): string {
  return row.kind === 'part' ? row.part.kind : row.kind;
}

function guess(row: Row, width: number): number {
  if (row.kind !== 'part') return LINE + FRAME;
  const { part } = row;
  switch (part.kind) {
    case 'message':
      return 2 * FRAME + LINE + linesOf(part.text, width) * LINE + (part.images?.length ?? 0) * PICTURE;
    case 'text':
      return FRAME + linesOf(part.text, width) * LINE;
    case 'call':
    case 'reasoning':
    case 'lift':
    case 'lifted_end':
    case 'note':
    case 'retry':
    case 'killed_work':
    case 'project':
    case 'compaction_asked':
    case 'compacted':
      return FRAME + LINE;
  }
}

/** Enough for a guess: the longest texts are folded. */
const LOOKED_AT = 4_000;

function linesOf(text: string, width: number): number {
  const perLine = Math.max(10, width / CHARACTER);
  let lines = 0;
  for (const line of text.slice(0, LOOKED_AT).split('\n'))
    lines += Math.max(1, Math.ceil(line.length / perLine));
  return lines;
}
