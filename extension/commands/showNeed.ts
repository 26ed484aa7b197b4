import { known, type Belay } from '../belay';
import { approvalOf, questionOf } from '../subjects';
import { tellGone } from '../verdict';

/** Show in chat: the session of this request, with the request in front. */
export async function showNeed(belay: Belay, target: unknown): Promise<void> {
  const need = approvalOf(await known(belay), target) ?? questionOf(await known(belay), target);
  if (need === undefined) {
    tellGone();
    return;
  }
  await belay.chat.show(need.session, { type: 'focus', target: 'request', need: need.id });
}
