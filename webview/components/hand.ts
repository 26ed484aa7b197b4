/** Whether the person is scrolling: by wheel, touch, key, or with the scroll bar in hand. */
import { useEffect, useRef } from 'preact/hooks';

/** A turn of the wheel scrolls on for about this long, ms. */
const GOES_ON_MS = 400;
const KEYS = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ']);

export interface Hand {
  readonly isScrolling: () => boolean;
  /** The page has moved, though not by itself: what the person began goes on. */
  readonly goesOn: () => void;
}

export function useHand(log: { readonly current: HTMLElement | null }): Hand {
  const last = useRef(-GOES_ON_MS);
  const holds = useRef(false);

  useEffect(() => {
    const frame = log.current;
    if (frame === null) return undefined;
    const touched = () => (last.current = performance.now());
    const pressed = (event: KeyboardEvent) => {
      if (KEYS.has(event.key)) touched();
    };
    const grasped = (event: PointerEvent) => (holds.current = event.target === frame);
    const letGo = (event: PointerEvent) => {
      if (event.buttons === 0) holds.current = false;
    };
    frame.addEventListener('wheel', touched, { passive: true });
    frame.addEventListener('touchmove', touched, { passive: true });
    frame.addEventListener('keydown', pressed);
    frame.addEventListener('pointerdown', grasped);
    window.addEventListener('pointermove', letGo);
    window.addEventListener('pointerup', letGo);
    return () => {
      frame.removeEventListener('wheel', touched);
      frame.removeEventListener('touchmove', touched);
      frame.removeEventListener('keydown', pressed);
      frame.removeEventListener('pointerdown', grasped);
      window.removeEventListener('pointermove', letGo);
      window.removeEventListener('pointerup', letGo);
    };
  }, []);

  const isScrolling = () => holds.current || performance.now() - last.current < GOES_ON_MS;
  return {
    isScrolling,
    goesOn: () => {
      if (isScrolling()) last.current = performance.now();
    },
  };
}
