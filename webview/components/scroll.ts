/**
 * Where the person reads, and which rows are drawn for it. The page follows the end only while the person is at
 * the end; otherwise the row at the upper edge stays where it is, whatever grows or comes in above it, and the
 * page comes back to the same row after a reload.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TurnView } from '../../protocol/transcript';
import { Layout, type Place, type Range } from '../state/layout';
import type { Row } from '../state/rows';
import { turnOfKey } from '../state/rows';
import * as app from '../state/app';
import { reach, readOlder } from '../state/wire';
import { useHand } from './hand';

interface Ref<T> {
  readonly current: T | null;
}

export interface Scroll {
  readonly atEnd: boolean;
  readonly hasNew: boolean;
  readonly range: Range;
  /** Heights of what is left out above and below, px. */
  readonly above: number;
  readonly below: number;
  readonly onScroll: () => void;
  /** The person opens something: it grows from where it is. */
  readonly onOpen: (event: Event) => void;
  readonly toEnd: () => void;
}

/** This near to the end counts as at the end, px: less than a line. */
const NEAR = 16;
/** Older turns are read this early, px, so that they are there when the person arrives. */
const AHEAD = 1_200;
/** Rows are drawn this far beyond what is seen, px, and more of them once less than the second is left. */
const AROUND = 900;
const LEAST_AROUND = 300;
/** How many rows are drawn before anything was measured. */
const FIRST_ROWS = 40;
/** The browser corrects where the page has gone to for about this long, ms: those scrolls are not the person's. */
const SETTLES_MS = 150;
/** Where a row that was looked for is put, px below the upper edge. */
const BELOW_EDGE = 24;

/** What opens a card, a fold or the rest of a long text. */
const OPENERS = 'summary, [aria-expanded], .folded';

interface Shown {
  readonly session: string | undefined;
  /** Undefined until they were read. */
  readonly turns: readonly TurnView[] | undefined;
  readonly rows: readonly Row[];
}

interface Places {
  readonly frame: Ref<HTMLElement>;
  readonly content: Ref<HTMLElement>;
  /** Holds the rows and nothing else. */
  readonly list: Ref<HTMLElement>;
}

export function useScroll(places: Places, { session, turns, rows }: Shown): Scroll {
  const { frame: log, content, list } = places;
  const loaded = turns !== undefined;
  const newest = turns?.at(-1);
  const atEnd = app.atEnd.value;
  const seen = useRef(newest);
  const hand = useHand(log);
  const layout = useRef(new Layout()).current;
  const [, redraw] = useState(0);
  /** What the end was when the page last went there, px. */
  const measured = useRef('');
  /** Where the page itself has scrolled to last, px. */
  const put = useRef<number | undefined>(undefined);
  const putAt = useRef(-SETTLES_MS);
  /** Something is being opened or closed: what scrolls meanwhile is not the person's doing. */
  const opening = useRef(false);
  const drawn = useRef<Range>({ from: 0, to: 0 });
  if (atEnd) seen.current = newest;

  layout.setRows(rows);
  const range = rangeAt(log.current, list.current, layout, AROUND);
  drawn.current = range;

  /** Puts the frame where it belongs after heights or rows have changed. */
  const settle = (what: 'grown' | 'prepended' = 'grown') => {
    const frame = log.current;
    if (frame === null || list.current === null) return;
    if (app.atEnd.peek()) {
      frame.scrollTop = frame.scrollHeight;
      measured.current = measureOf(frame);
      put.current = frame.scrollTop;
    } else if (what === 'prepended' || frame.scrollTop <= 0 || !hand.isScrolling()) {
      // While the person scrolls, the browser's own anchor does this for what grows, without stopping the
      // movement. It does not work at the very top.
      put.current = goTo(frame, list.current, layout, app.places.peek()[app.shown.peek() ?? '']);
      putAt.current = performance.now();
    }
    drawMore();
  };

  /** Draws other rows when those that are drawn no longer reach far enough. */
  const drawMore = () => {
    const least = rangeAt(log.current, list.current, layout, LEAST_AROUND);
    if (least.from < drawn.current.from || least.to > drawn.current.to) redraw((count) => count + 1);
  };

  /** What is pressed stays under the pointer: until what it opens is there, the page does not follow the end. */
  const onOpen = ({ target }: Event) => {
    const opens = target instanceof Element && target.closest(OPENERS) !== null;
    if (!opens || session === undefined || log.current === null || list.current === null) return;
    if (app.atEnd.peek()) rememberPlace(log.current, list.current, layout, session);
    app.atEnd.value = false;
    opening.current = true;
    const opened = () => {
      opening.current = false;
      // Where nothing lies beyond what is seen, the person is at the end, as before.
      if (log.current !== null && restOf(log.current) <= NEAR) toEnd();
    };
    requestAnimationFrame(() => requestAnimationFrame(opened));
  };

  const toEnd = () => {
    app.atEnd.value = true;
    forgetPlace(session);
    settle();
    redraw((count) => count + 1);
  };

  // A session begins where the person left it, or at its end.
  useLayoutEffect(() => {
    if (!loaded || session === undefined || log.current === null) return;
    const place = app.places.peek()[session];
    if (place !== undefined && layout.indexOf(place.row) === -1) {
      // It lies further up than what was read at first.
      reach(turnOfKey(place.row));
    }
    app.atEnd.value = place === undefined;
    seen.current = newest;
    settle();
    redraw((count) => count + 1);
  }, [session, loaded]);

  // What is asked for (a search) is brought into sight once it is there.
  const wanted = app.wanted.value;
  useLayoutEffect(() => {
    if (wanted === undefined || session === undefined || log.current === null) return;
    if (layout.indexOf(wanted.row) === -1) return reach(turnOfKey(wanted.row));
    app.atEnd.value = false;
    app.places.value = { ...app.places.peek(), [session]: { row: wanted.row, offset: -BELOW_EDGE } };
    app.wanted.value = undefined;
    settle();
    redraw((count) => count + 1);
  }, [wanted, rows]);

  const first = useRef(rows[0]?.key);
  useLayoutEffect(() => {
    settle(first.current === rows[0]?.key ? 'grown' : 'prepended');
    first.current = rows[0]?.key;
  }, [rows, range.from, range.to]);
  useMeasured(list, layout, () => {
    settle();
    if (session === undefined || log.current === null || list.current === null) return;
    if (!app.atEnd.peek() && hand.isScrolling()) rememberPlace(log.current, list.current, layout, session);
  });
  useKeptFocus(log, [range.from, range.to]);

  // The frame itself and what stands beside the rows grow too.
  useEffect(() => {
    if (log.current === null || content.current === null) return undefined;
    const frame = log.current;
    const observer = new ResizeObserver(() => {
      layout.setWidth(list.current?.clientWidth);
      settle();
    });
    observer.observe(frame);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, []);

  const onScroll = () => {
    const frame = log.current;
    if (frame === null || list.current === null || session === undefined || !loaded) return;
    if (opening.current) return;
    // Where the page itself has gone to it knows, better than from rows that were not measured yet.
    const isThere = frame.scrollTop === put.current;
    const isCorrected = !isThere && !hand.isScrolling() && performance.now() - putAt.current < SETTLES_MS;
    const ownDoing = isThere || isCorrected;
    // The browser has kept in place what it took for its anchor, after the page had done so already.
    if (isCorrected && !app.atEnd.peek()) settle();
    if (!ownDoing) hand.goesOn();
    // What has come or gone since the page went to the end scrolls too: the person has not left for that.
    const moved = measureOf(frame) !== measured.current && !hand.isScrolling();
    const end = (app.atEnd.peek() && moved) || restOf(frame) <= NEAR;
    if (!ownDoing || app.atEnd.peek()) app.atEnd.value = end;
    if (end && !ownDoing) forgetPlace(session);
    else if (!ownDoing) rememberPlace(frame, list.current, layout, session);
    drawMore();
    if (frame.scrollTop < AHEAD && frame.scrollHeight > frame.clientHeight) readOlder();
  };

  return {
    atEnd,
    hasNew: seen.current !== newest,
    range,
    above: layout.topOf(range.from),
    below: layout.total - layout.topOf(range.to),
    onScroll,
    onOpen,
    toEnd,
  };
}

/** Tells the layout how high each drawn row is, before it is painted. */
function useMeasured(list: Ref<HTMLElement>, layout: Layout, changed: () => void): void {
  const observer = useRef<ResizeObserver | undefined>(undefined);
  const known = useRef<ReadonlySet<Element>>(new Set());
  const tell = useRef(changed);
  tell.current = changed;
  useLayoutEffect(() => {
    if (list.current === null) return;
    observer.current ??= new ResizeObserver((entries) => {
      const heights = entries
        .filter((entry) => entry.target.isConnected)
        .map((entry) => [keyOf(entry.target), entry.borderBoxSize[0]?.blockSize ?? 0] as const);
      // First, since heights of another width are forgotten: these would be, if the width came to be known after them.
      layout.setWidth(list.current?.clientWidth);
      if (layout.measured(heights)) tell.current();
    });
    const rows = new Set(list.current.querySelectorAll('[data-row]'));
    for (const row of known.current) if (!rows.has(row)) observer.current.unobserve(row);
    for (const row of rows) if (!known.current.has(row)) observer.current.observe(row);
    known.current = rows;
  });
  useEffect(() => () => observer.current?.disconnect(), []);
}

/** A row that leaves while it has the focus hands it to the conversation, so that the keys go on scrolling it. */
function useKeptFocus(log: Ref<HTMLElement>, drawn: readonly number[]): void {
  const had = useRef(false);
  useLayoutEffect(() => {
    const inside = log.current?.contains(document.activeElement) === true;
    if (had.current && document.activeElement === document.body) log.current?.focus({ preventScroll: true });
    had.current = inside;
  }, drawn);
  useEffect(() => {
    const frame = log.current;
    const note = () => (had.current = true);
    const left = (event: FocusEvent) => (had.current = event.relatedTarget === null && had.current);
    frame?.addEventListener('focusin', note);
    frame?.addEventListener('focusout', left);
    return () => {
      frame?.removeEventListener('focusin', note);
      frame?.removeEventListener('focusout', left);
    };
  }, []);
}

/** The rows that are seen, and those within `around` px of them. */
function rangeAt(frame: HTMLElement | null, list: HTMLElement | null, layout: Layout, around: number): Range {
  const count = layout.rows.length;
  if (frame === null || list === null || frame.clientHeight === 0) {
    return { from: Math.max(0, count - FIRST_ROWS), to: count };
  }
  if (app.atEnd.peek()) return layout.rangeOf(layout.total - frame.clientHeight - around, layout.total);
  const place = app.places.peek()[app.shown.peek() ?? ''];
  const top =
    (place === undefined ? undefined : layout.topOfPlace(place)) ?? frame.scrollTop - originOf(frame, list);
  return layout.rangeOf(top - around, top + frame.clientHeight + around);
}

function goTo(frame: HTMLElement, list: HTMLElement, layout: Layout, place: Place | undefined): number {
  const top = place === undefined ? undefined : layout.topOfPlace(place);
  if (top === undefined) return frame.scrollTop;
  const target = Math.round(top + originOf(frame, list));
  if (Math.abs(frame.scrollTop - target) >= 1) frame.scrollTop = target;
  return frame.scrollTop;
}

/** Where the rows begin inside the frame's content, px. */
function originOf(frame: HTMLElement, list: HTMLElement): number {
  return list.getBoundingClientRect().top - frame.getBoundingClientRect().top + frame.scrollTop;
}

/** By what is drawn, which is what the person sees; where nothing is drawn yet, by what is known of the heights. */
function rememberPlace(frame: HTMLElement, list: HTMLElement, layout: Layout, session: string): void {
  const top = frame.getBoundingClientRect().top;
  const drawn = [...list.querySelectorAll('[data-row]')];
  const first = drawn.find((row) => row.getBoundingClientRect().bottom > top);
  const offset = first === undefined ? 0 : top - first.getBoundingClientRect().top;
  const place =
    first !== undefined && (offset >= 0 || layout.indexOf(keyOf(first)) === 0)
      ? { row: keyOf(first), offset }
      : layout.placeOf(frame.scrollTop - originOf(frame, list));
  if (place !== undefined) app.places.value = { ...app.places.peek(), [session]: place };
}

/** How much of the content lies below what is seen, px. */
function restOf(frame: HTMLElement): number {
  return frame.scrollHeight - frame.scrollTop - frame.clientHeight;
}

function forgetPlace(session: string | undefined): void {
  if (session === undefined) return;
  const { [session]: _old, ...rest } = app.places.peek();
  if (_old !== undefined) app.places.value = rest;
}

function measureOf(frame: HTMLElement): string {
  return `${frame.scrollHeight}/${frame.clientHeight}`;
}

function keyOf(element: Element): string {
  return element.getAttribute('data-row') ?? '';
}
