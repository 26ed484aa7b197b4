/**
 * The one schedule of the host (R8): a heap of deadlines with one timer for the nearest.
 *
 * Owns: all deadlines by key. A key has at most one; setting it again replaces it. Does not own: what
 * happens then. With nothing scheduled there is no timer.
 */
import type { Clock, Timer } from '../base/clock';

interface Entry {
  readonly key: string;
  readonly at: number;
  readonly run: () => void;
}

export interface Schedule {
  set(key: string, at: number, run: () => void): void;
  has(key: string): boolean;
  /** When this deadline is, ms since 1970; undefined when there is none. */
  due(key: string): number | undefined;
  clear(key: string): void;
  /** Number of deadlines that are set. */
  readonly size: number;
  dispose(): void;
}

/** Longest sleep of the timer, ms: `setTimeout` overflows above 2^31 − 1. */
const LONGEST_SLEEP_MS = 2_000_000_000;

export function createSchedule(clock: Clock): Schedule {
  const byKey = new Map<string, Entry>();
  const heap: Entry[] = [];
  let timer: Timer | undefined;
  let timerAt = Infinity;
  let disposed = false;

  const isLive = (entry: Entry) => byKey.get(entry.key) === entry;

  const rearm = () => {
    let first = heap[0];
    while (first !== undefined && !isLive(first)) {
      popFirst(heap);
      first = heap[0];
    }
    if (disposed || first === undefined) {
      timer?.clear();
      timer = undefined;
      timerAt = Infinity;
      return;
    }
    if (timer !== undefined && timerAt === first.at) return;
    timer?.clear();
    timerAt = first.at;
    timer = clock.after(Math.min(Math.max(0, first.at - clock.now()), LONGEST_SLEEP_MS), fire);
  };

  const fire = () => {
    timer = undefined;
    timerAt = Infinity;
    const now = clock.now();
    const due: Entry[] = [];
    for (let first = heap[0]; first !== undefined && first.at <= now; first = heap[0]) {
      popFirst(heap);
      if (isLive(first)) {
        byKey.delete(first.key);
        due.push(first);
      }
    }
    rearm();
    for (const entry of due) if (!disposed) entry.run();
  };

  return {
    set(key, at, run) {
      const entry = { key, at, run };
      byKey.set(key, entry);
      push(heap, entry);
      rearm();
    },
    has: (key) => byKey.has(key),
    due: (key) => byKey.get(key)?.at,
    clear(key) {
      if (byKey.delete(key)) rearm();
    },
    get size() {
      return byKey.size;
    },
    dispose() {
      disposed = true;
      byKey.clear();
      heap.length = 0;
      rearm();
    },
  };
}

function push(heap: Entry[], entry: Entry): void {
  heap.push(entry);
  let child = heap.length - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (at(heap, parent) <= at(heap, child)) return;
    swap(heap, parent, child);
    child = parent;
  }
}

function popFirst(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  let parent = 0;
  for (;;) {
    const left = 2 * parent + 1;
    const smaller = at(heap, left + 1) < at(heap, left) ? left + 1 : left;
    if (at(heap, parent) <= at(heap, smaller)) return;
    swap(heap, parent, smaller);
    parent = smaller;
  }
}

const at = (heap: readonly Entry[], index: number): number => heap[index]?.at ?? Infinity;

function swap(heap: Entry[], a: number, b: number): void {
  const one = heap[a];
  const other = heap[b];
  if (one === undefined || other === undefined) return;
  heap[a] = other;
  heap[b] = one;
}
