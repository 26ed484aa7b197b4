import { useNow } from '../state/clock';
import { stopwatch } from '../text/words';

/** A running time. Only this text changes with the tick. Screen readers are not told each second. */
export function Elapsed({ since, class: extra = '' }: { readonly since: number; readonly class?: string }) {
  const now = useNow(true);
  return (
    <span class={`elapsed ${extra}`} aria-hidden="true">
      {stopwatch(now - since)}
    </span>
  );
}
