/**
 * The page's only timers. One ticks each second while something on screen shows a running time and the page is
 * visible; without a subscriber it does not exist.
 */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Now, as of the last tick. */
const ticked = signal(Date.now());
const TICK_MS = 1000;
let subscribers = 0;
let timer: number | undefined;

/** The time in ms, kept running while `runs`. */
export function useNow(runs: boolean): number {
  useEffect(() => {
    if (!runs) return undefined;
    subscribers++;
    adjust();
    return () => {
      subscribers--;
      adjust();
    };
  }, [runs]);
  return runs ? Math.max(ticked.value, Date.now()) : Date.now();
}

/** Calls back once after `ms`; the result takes it back. */
export function later(ms: number, call: () => void): () => void {
  const id = window.setTimeout(call, ms);
  return () => window.clearTimeout(id);
}

document.addEventListener('visibilitychange', adjust);

function adjust(): void {
  const wanted = subscribers > 0 && !document.hidden;
  if (wanted && timer === undefined) {
    ticked.value = Date.now();
    timer = window.setInterval(() => (ticked.value = Date.now()), TICK_MS);
  } else if (!wanted && timer !== undefined) {
    window.clearInterval(timer);
    timer = undefined;
  }
}
