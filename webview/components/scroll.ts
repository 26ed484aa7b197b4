/**
 * Where the person reads. The page follows the end only while the person is at the end; otherwise it stays where
 * it is, says that there is something new, and comes back to the same place after a reload.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import * as app from '../state/app';
import { readOlder } from '../state/wire';

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

export function useScroll(
  log: Ref<HTMLElement>,
  content: Ref<HTMLElement>,
  session: string | undefined,
  loaded: boolean,
): Scroll {
  const [hasNew, setNew] = useState(false);
  const height = useRef(0);
  const atEnd = app.atEnd.value;

  const toEnd = () => {
    app.atEnd.value = true;
    setNew(false);
    if (log.current !== null) log.current.scrollTop = log.current.scrollHeight;
  };

  // A session begins where the person left it, or at its end.
  useLayoutEffect(() => {
    if (!loaded || session === undefined || log.current === null) return;
    const place = app.places.peek()[session];
    const turn = place === undefined ? null : findTurn(log.current, place.turn);
    setNew(false);
    app.atEnd.value = turn === null;
    if (turn === null || place === undefined) log.current.scrollTop = log.current.scrollHeight;
    else
      log.current.scrollTop +=
        turn.getBoundingClientRect().top - log.current.getBoundingClientRect().top + place.offset;
    height.current = log.current.scrollHeight;
  }, [session, loaded]);

  // Text that streams, cards that open, a composer that grows: at the end the end stays in sight.
  useEffect(() => {
    if (log.current === null || content.current === null) return undefined;
    const frame = log.current;
    const observer = new ResizeObserver(() => {
      if (app.atEnd.peek()) frame.scrollTop = frame.scrollHeight;
      else if (frame.scrollHeight > height.current && frame.scrollTop > AHEAD) setNew(true);
      height.current = frame.scrollHeight;
    });
    observer.observe(frame);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, []);

  const onScroll = () => {
    const frame = log.current;
    if (frame === null || session === undefined || !loaded) return;
    const end = frame.scrollHeight - frame.scrollTop - frame.clientHeight <= NEAR;
    app.atEnd.value = end;
    if (end) setNew(false);
    if (frame.scrollTop < AHEAD && frame.scrollHeight > frame.clientHeight) readOlder();
    rememberPlace(frame, session, end);
  };

  return { atEnd, hasNew, onScroll, toEnd };
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

function findTurn(frame: HTMLElement, turn: string): HTMLElement | null {
  return frame.querySelector<HTMLElement>(`[data-turn="${CSS.escape(turn)}"]`);
}
