/**
 * Ids of calls. Providers promise them to be unique; servers that imitate the providers give none, the same
 * for all, or `call_0` in every answer.
 */
import type { ContextItem, PlannedCall } from '../../../protocol';

/** The longest id that the protocol takes, characters. */
const ID_CHARS = 256;

/**
 * Gives each call of a new answer an id of its own. An id stays as it is unless it is empty, too long, or
 * taken by this answer or by an answer since the last message of the user, which is surely of the same turn.
 */
export function uniqueIds(
  calls: readonly { readonly id: string; readonly tool: string; readonly args: string }[],
  items: readonly ContextItem[],
): PlannedCall[] {
  if (calls.length === 0) return [];
  const taken = idsSinceUser(items);
  let next: number | undefined;
  return calls.map(({ id, tool, args }) => {
    let callId = id;
    while (callId === '' || callId.length > ID_CHARS || taken.has(callId)) {
      next = next === undefined ? afterNumbered(items) : next + 1;
      callId = `call_${next}`;
    }
    taken.add(callId);
    return { callId, tool, args: args === '' ? '{}' : args };
  });
}

function idsSinceUser(items: readonly ContextItem[]): Set<string> {
  const taken = new Set<string>();
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at];
    if (item === undefined || item.kind === 'user') break;
    if (item.kind === 'assistant') for (const call of item.calls) taken.add(call.callId);
  }
  return taken;
}

/** One more than the highest `call_N`: a count would come back to old numbers once a part was compacted. */
function afterNumbered(items: readonly ContextItem[]): number {
  let next = 0;
  for (const item of items) {
    if (item.kind !== 'assistant') continue;
    for (const call of item.calls) {
      const number = /^call_(\d{1,9})$/.exec(call.callId)?.[1];
      if (number !== undefined) next = Math.max(next, Number(number) + 1);
    }
  }
  return next;
}
