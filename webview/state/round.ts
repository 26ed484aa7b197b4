/** Approvals of one model answer: announced together, they are judged together (T2). */
import type { Approval } from '../../protocol/approval';
import type { Need } from '../../protocol/host';
import type { TurnView } from '../../protocol/transcript';

/** The approvals of the round that `front` belongs to, in their order; lifted ones belong to none any more. */
export function roundOf(
  front: Approval,
  needs: readonly Need[],
  turns: readonly TurnView[],
): readonly Approval[] {
  const view = turns.findLast((other) => other.turn === front.turn);
  const steps = new Map(
    (view?.parts ?? []).flatMap((part) => (part.kind === 'call' ? [[part.call_id, part.step] as const] : [])),
  );
  const step = steps.get(front.call);
  return needs.flatMap((need) => {
    if (need.kind !== 'approval') return [];
    const { approval } = need;
    const same =
      approval.turn === front.turn &&
      approval.handle === undefined &&
      approval.parent === front.parent &&
      steps.get(approval.call) === step;
    return same ? [approval] : [];
  });
}
