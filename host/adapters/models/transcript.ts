/**
 * The conversation in the shape that every wire can be written from: each answer with the results of its
 * calls, in the order of the calls, before anything else is said; no call without a result, no id twice.
 */
import { parseJson } from '../../base/json';
import type { ContextItem, PlannedCall } from '../../../protocol';

export type UserItem = Extract<ContextItem, { kind: 'user' }>;
export type AssistantItem = Extract<ContextItem, { kind: 'assistant' }>;
export type ResultItem = Extract<ContextItem, { kind: 'result' }>;

export interface SoundCall {
  readonly call: PlannedCall;
  /** Unique in the request, in the letters that the wire takes. */
  readonly wireId: string;
  /** Made up where the transcript has none. */
  readonly result: ResultItem;
}

export type Passage =
  | { readonly kind: 'user'; readonly item: UserItem }
  | { readonly kind: 'assistant'; readonly item: AssistantItem; readonly calls: readonly SoundCall[] };

/** `clean` makes an id fit for the wire; two that become alike are told apart here. */
export function soundTranscript(items: readonly ContextItem[], clean: (id: string) => string): Passage[] {
  const passages: Passage[] = [];
  const used = new Set<string>();
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at];
    if (item === undefined) continue;
    if (item.kind === 'user') passages.push({ kind: 'user', item });
    if (item.kind === 'assistant') {
      const results = resultsOf(item, items, at);
      const calls = item.calls.map((call, index) => ({
        call,
        wireId: unused(clean(call.callId), used),
        result: results[index] ?? missing(call),
      }));
      if (item.text !== '' || calls.length > 0) passages.push({ kind: 'assistant', item, calls });
    }
    if (item.kind === 'result' && !belongs(item, items, at)) {
      passages.push({ kind: 'user', item: orphan(item) });
    }
  }
  if (passages[0]?.kind !== 'user') passages.unshift({ kind: 'user', item: BEGIN });
  const last = passages.at(-1);
  if (last?.kind === 'assistant' && last.calls.length === 0) passages.push({ kind: 'user', item: GO_ON });
  return passages;
}

/** A conversation begins with the user, and an answer that ends it would be taken for the start of the next. */
const BEGIN: UserItem = { kind: 'user', text: 'The conversation goes on from here.' };
const GO_ON: UserItem = { kind: 'user', text: 'Go on.' };

/** Results stand between an answer and the next one; a message may have come between them. */
function resultsOf(
  answer: AssistantItem,
  items: readonly ContextItem[],
  from: number,
): (ResultItem | undefined)[] {
  if (answer.calls.length === 0) return [];
  const found = new Map<string, ResultItem>();
  for (let at = from + 1; at < items.length; at += 1) {
    const item = items[at];
    if (item === undefined || item.kind === 'assistant') break;
    if (item.kind === 'result' && !found.has(item.callId)) found.set(item.callId, item);
  }
  return answer.calls.map((call) => found.get(call.callId));
}

/** Whether the answer before this result has its call, and no earlier result of it stands between them. */
function belongs(result: ResultItem, items: readonly ContextItem[], at: number): boolean {
  for (let before = at - 1; before >= 0; before -= 1) {
    const item = items[before];
    if (item === undefined) continue;
    if (item.kind === 'result' && item.callId === result.callId) return false;
    if (item.kind === 'assistant') return item.calls.some((call) => call.callId === result.callId);
  }
  return false;
}

const made = new WeakMap<object, ResultItem | UserItem>();

function missing(call: PlannedCall): ResultItem {
  const known = made.get(call);
  if (known?.kind === 'result') return known;
  const output = JSON.stringify({ error: 'outcome_unknown', detail: 'No result of this call was kept.' });
  const result: ResultItem = { kind: 'result', callId: call.callId, tool: call.tool, output, failed: true };
  made.set(call, result);
  return result;
}

/** A result whose call is no longer in the transcript is said as a message, so that nothing is lost silently. */
function orphan(result: ResultItem): UserItem {
  const known = made.get(result);
  if (known?.kind === 'user') return known;
  const text = `Result of an earlier call of ${result.tool}: ${result.output}`;
  const item: UserItem = {
    kind: 'user',
    text,
    ...(result.images === undefined ? {} : { images: result.images }),
  };
  made.set(result, item);
  return item;
}

function unused(id: string, used: Set<string>): string {
  let found = id;
  for (let n = 2; used.has(found); n += 1) found = `${id.slice(0, 56)}_${n}`;
  used.add(found);
  return found;
}

/** Arguments as they may stand in a request: an object. What is none is quoted in one, for servers that parse. */
export function argsObject(args: string): object {
  try {
    const value: unknown = parseJson(args);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Quoted below.
  }
  return { invalid: args };
}

/** Names of tools that a model made up may break the rules of the wire once they are sent back. */
export const wireName = (tool: string): string => tool.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 128) || '_';

/** The provider's own blocks of an answer, for the model that made them only. */
export function nativeOf(item: AssistantItem, family: string, model: string): unknown {
  return item.native?.family === family && item.native.model === model ? item.native.blocks : undefined;
}

/** What is made from an item once and kept as long as the item is. `key` tells what else it was made from. */
export class Kept<T> {
  private readonly known = new WeakMap<object, { readonly key: string; readonly made: T }>();

  of(item: object, key: string, make: () => T): T {
    const hit = this.known.get(item);
    if (hit?.key === key) return hit.made;
    const fresh = make();
    this.known.set(item, { key, made: fresh });
    return fresh;
  }
}
