/** What becomes of an outside agent's call that waits for a person: a closed set, decided in one place (C5). Pure. */
import { HOLD_MARGIN_MS } from '../../../protocol';
import type { WaitPolicy } from '../ports';

export type WaitPlan =
  /** Left open with progress; acknowledged after `ms`, never when that is undefined (C6). */
  | { readonly kind: 'hold'; readonly ms: number | undefined }
  | { readonly kind: 'acknowledge' }
  /** The harness parks it: the request goes on as a handle, and no answer is written. */
  | { readonly kind: 'park' };

/** `limitMs` is the harness's own limit of a call; undefined when it has none. */
export function waitPlan(policy: WaitPolicy, limitMs: number | undefined): WaitPlan {
  switch (policy) {
    case 'hold':
      return holdPlan(limitMs);
    case 'acknowledge':
      return { kind: 'acknowledge' };
    case 'defer':
    case 'native':
      return { kind: 'park' };
  }
}

function holdPlan(limitMs: number | undefined): WaitPlan {
  if (limitMs === undefined) return { kind: 'hold', ms: undefined };
  return limitMs > HOLD_MARGIN_MS ? { kind: 'hold', ms: limitMs - HOLD_MARGIN_MS } : { kind: 'acknowledge' };
}
