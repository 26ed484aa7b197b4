/**
 * The life of a request for a verdict: open, then exactly one of four ends (A2).
 * V1 The first verdict wins; what comes later is told who decided, and when.
 * V2 A verdict names the request number that it judged.
 */
import type { ApprovalRecord } from '../records';
import { say } from '../../../protocol';

export type ApprovalState = ApprovalRecord['state'];
export type ApprovalEvent = 'allowed' | 'denied' | 'lapsed' | 'withdrawn';

/** Total: an end stays. An allowed request can be opened again only by being announced again (A4). */
export function nextApproval(state: ApprovalState, event: ApprovalEvent): ApprovalState {
  return state === 'open' ? event : state;
}

export type Fate =
  | { readonly code: 'approval_superseded' }
  | {
      readonly code: 'approval_answered';
      readonly decision: 'allow' | 'deny';
      readonly by: string;
      readonly at: number;
    }
  | { readonly code: 'approval_lapsed'; readonly at: number }
  | { readonly code: 'approval_withdrawn' };

/** What keeps a verdict on `request` from being taken; undefined when it may be recorded. */
export function fateOf(
  approval: ApprovalRecord,
  request: number,
  now: number,
  cordPulled: boolean,
): Fate | undefined {
  switch (approval.state) {
    case 'allowed':
    case 'denied':
      if (request < approval.request) return { code: 'approval_superseded' };
      return {
        code: 'approval_answered',
        decision: approval.state === 'allowed' ? 'allow' : 'deny',
        by: approval.by ?? say('unknown'),
        at: approval.answeredAt ?? now,
      };
    case 'lapsed':
      return { code: 'approval_lapsed', at: approval.lapsesAt ?? now };
    case 'withdrawn':
      return { code: 'approval_withdrawn' };
    case 'open':
      if (request !== approval.request) return { code: 'approval_superseded' };
      if (approval.lapsesAt !== undefined && approval.lapsesAt <= now && !cordPulled)
        return { code: 'approval_lapsed', at: approval.lapsesAt };
      return undefined;
  }
}
