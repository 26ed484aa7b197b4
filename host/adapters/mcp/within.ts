/** A time for what waits for others. */
import type { Clock } from '../../base/clock';
import { say } from '../../../protocol';

/** Gives `work` a signal that aborts after `ms`, or when `outer` aborts, and waits for what becomes of it. */
export async function within<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const late = new AbortController();
  const timer = clock.after(ms, () =>
    late.abort(new Error(say('There was no answer within {ms} ms.', { ms }))),
  );
  try {
    return await work(outer === undefined ? late.signal : AbortSignal.any([late.signal, outer]));
  } finally {
    timer.clear();
  }
}
