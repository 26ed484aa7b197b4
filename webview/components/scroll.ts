/**
 * Where the person reads. The page follows the end only while the person is at the end; otherwise it stays where
 * it is, says that there is something new, and comes back to the same place after a reload.
 */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { TurnView } from '../../protocol/transcript';
import type { Place } from '../state/persisted';
import * as app from '../state/app';
import { readOlder } from '../state/wire';
import { useHand } from './hand';

interface Ref<T> {
  readonly current: T | null;
}

export interface Scroll {
  readonly atEnd: boolean;
  readonly hasNew: boolean;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
}

/** This near to the end counts as at the end, px: less than a line. */
const NEAR = 16;
/** Older turns are read this early, px, so that they are there when the person arrives. */
const AHEAD = 400;

interface Shown {
  readonly session: string | undefined;
  /** Undefined until they were read. */
  readonly turns: readonly TurnView[] | undefined;
}

export function useScroll(
  log: Ref<HTMLElement>,
  content: Ref<HTMLElement>,
  { session, turns }: Shown,
): Scroll {
  const loaded = turns !== undefined;
  const newest = turns?.at(-1);
  const atEnd = app.atEnd.value;
  const seen = useRef(newest);
  const hand = useHand(log);
  /** What the end was when the page last went there, px. */
  const measured = useRef('');
  if (atEnd) seen.current = newest;

  const toEnd = () => {
    app.atEnd.value = true;
    if (log.current !== null) stick(log.current, measured);
  };

  // A session begins where the person left it, or at its end.
  useLayoutEffect(() => {
    if (!loaded || session === undefined || log.current === null) return;
    const place = app.places.peek()[session];
    const isThere = place !== undefined && goTo(log.current, place);
    app.atEnd.value = !isThere;
    seen.current = newest;
    if (!isThere) stick(log.current, measured);
  }, [session, loaded]);

  // Whatever grows or comes in above: at the end the end stays in sight, elsewhere what is read stays put.
  useEffect(() => {
    if (log.current === null || content.current === null) return undefined;
    const frame = log.current;
    const observer = new ResizeObserver(() => {
      const place = app.places.peek()[app.shown.peek() ?? ''];
      if (app.atEnd.peek()) stick(frame, measured);
      else if (place !== undefined) goTo(frame, place);
    });
    observer.observe(frame);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, []);

  const onScroll = () => {
    const frame = log.current;
    if (frame === null || session === undefined || !loaded) return;
    // What has come or gone since the page went to the end scrolls too: the person has not left for that.
    const moved = measureOf(frame) !== measured.current && !hand.isScrolling();
    const end =
      (app.atEnd.peek() && moved) || frame.scrollHeight - frame.scrollTop - frame.clientHeight <= NEAR;
    app.atEnd.value = end;
    rememberPlace(frame, session, end);
    if (frame.scrollTop < AHEAD && frame.scrollHeight > frame.clientHeight) readOlder();
  };

  return { atEnd, hasNew: seen.current !== newest, onScroll, toEnd };
}

function stick(frame: HTMLElement, measured: { current: string }): void {
  frame.scrollTop = frame.scrollHeight;
  measured.current = measureOf(frame);
}

function measureOf(frame: HTMLElement): string {
  return `${frame.scrollHeight}/${frame.clientHeight}`;
}

function goTo(frame: HTMLElement, place: Place): boolean {
  const turn = frame.querySelector<HTMLElement>(`[data-turn="${CSS.escape(place.turn)}"]`);
  if (turn === null) return false;
  frame.scrollTop += turn.getBoundingClientRect().top - frame.getBoundingClientRect().top + place.offset;
  return true;
}

function rememberPlace(frame: HTMLElement, session: string, end: boolean): void {
  const { [session]: _old, ...rest } = app.places.peek();
  const top = frame.getBoundingClientRect().top;
  const turns = [...frame.querySelectorAll<HTMLElement>('[data-turn]')];
  const first = turns.find((turn) => turn.getBoundingClientRect().bottom > top);
  const turn = first?.dataset['turn'];
  app.places.value =
    end || first === undefined || turn === undefined
      ? rest
      : { ...rest, [session]: { turn, offset: Math.round(top - first.getBoundingClientRect().top) } };
}
