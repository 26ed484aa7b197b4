/**
 * Which of the requests that wait in the shown session is in front, and in which order they are paged.
 *
 * Invariants: (1) the one in front stays in front until it ends, the person pages on,
 * or one comes that the person asked for; (2) what is listed never
 * changes its place; (3) a new request goes before the lifted ones, because the turn itself waits for it.
 */
import type { Need } from '../../protocol/host';
import { needId, needOf } from './mirror';

export interface RequestOrder {
  readonly ids: readonly string[];
  readonly front: string | undefined;
  /** The person asked to be taken to it, and it is not listed yet. */
  readonly wanted?: string;
}

export const NO_REQUESTS: RequestOrder = { ids: [], front: undefined };

export function orderRequests(order: RequestOrder, needs: readonly Need[]): RequestOrder {
  const waiting = new Map(needs.map((need) => [needId(need), need]));
  const stayed = order.ids.filter((id) => waiting.has(id));
  const isLifted = (id: string) => {
    const need = waiting.get(id);
    return need !== undefined && needOf(need).handle !== undefined;
  };
  const ids = [...stayed];
  for (const id of waiting.keys()) {
    if (ids.includes(id)) continue;
    const place = isLifted(id) ? ids.length : firstOfTail(ids, isLifted);
    ids.splice(place, 0, id);
  }
  const { wanted } = order;
  if (wanted !== undefined && ids.includes(wanted)) return { ids, front: wanted };
  const front = frontOf(order, ids);
  return same(ids, order.ids) && front === order.front ? order : { ...order, ids, front };
}

/** Pages by `step` places, around the end. */
export function pageRequests(order: RequestOrder, step: 1 | -1): RequestOrder {
  const at = order.front === undefined ? -1 : order.ids.indexOf(order.front);
  const next = order.ids[(at + step + order.ids.length) % Math.max(1, order.ids.length)];
  return { ids: order.ids, front: next };
}

/** One that is not listed yet comes to the front when it is. */
export function bringToFront(order: RequestOrder, id: string): RequestOrder {
  return order.ids.includes(id) ? { ids: order.ids, front: id } : { ...order, wanted: id };
}

/** When the one in front has ended, the next one that was behind it takes its place. */
function frontOf(order: RequestOrder, ids: readonly string[]): string | undefined {
  if (order.front !== undefined && ids.includes(order.front)) return order.front;
  const was = order.front === undefined ? -1 : order.ids.indexOf(order.front);
  const behind = order.ids.slice(was + 1).find((id) => ids.includes(id));
  return behind ?? ids[0];
}

/** The place of the first of the lifted ones at the end of the list. */
function firstOfTail(ids: readonly string[], isLifted: (id: string) => boolean): number {
  let place = ids.length;
  while (place > 0) {
    const before = ids[place - 1];
    if (before === undefined || !isLifted(before)) break;
    place--;
  }
  return place;
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
