import type { Need } from './host';

/** One announcement of a request: an approval that is announced again, with another number, is another one. */
export function needKey(need: Need): string {
  return need.kind === 'approval' ? `${need.approval.id}/${need.approval.request}` : need.question.id;
}
