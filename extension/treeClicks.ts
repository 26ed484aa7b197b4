import type { Clock } from './clock';

/**
 * The time in which two clicks are taken for one, ms: that of Windows, the longest of the systems'. When a row is answered the next one moves to its place, under
 * the pointer: the second half of a double click would then allow a request that nobody has read.
 */
export const DOUBLE_CLICK_MS = 500;

/** Tells a deliberate click on a row's button from the second half of a double click on the row before it. */
export class TreeClicks {
  private last: { readonly id: string; readonly at: number } | undefined;

  constructor(private readonly clock: Clock) {}

  /** Whether a click on the row `id`, made now, counts. */
  counts(id: string): boolean {
    const at = this.clock.now();
    const { last } = this;
    if (last !== undefined && last.id !== id && at - last.at < DOUBLE_CLICK_MS) return false;
    this.last = { id, at };
    return true;
  }
}
