/**
 * The conversation as a model gets it: a fold of the session's stored events. Pure. Each round's results stand
 * behind its answer in the order of the calls; a message that was read comes after them.
 */
import type { BelayEvent, Context, ContextItem, Image, PlannedCall, TurnId } from '../../protocol';
import { BEFORE_ALL, type StoredEvent } from './ledger';

interface Result {
  readonly output: string;
  readonly failed: boolean;
  readonly images: readonly Image[];
}

export interface Conversation {
  readonly items: ContextItem[];
  /** Calls of the newest answer that still miss their result. */
  open: PlannedCall[];
  readonly results: Map<string, Result>;
  seq: number;
  /** What the newest answer's provider counted, and how many items that were. */
  counted: { readonly tokens: number; readonly items: number };
  /** The provider said that it is too long, or a person wants it summed up. */
  full: boolean;
  /** The model could not sum it up: it is sent as it is. */
  refused: boolean;
  /** The turn that has looked at the instructions of its folder. */
  looked: TurnId | undefined;
}

/** Nothing yet; what is folded begins behind the event numbered `seq`, by default with the first one. */
export const emptyConversation = (seq = BEFORE_ALL): Conversation => ({
  items: [],
  open: [],
  results: new Map(),
  seq,
  counted: { tokens: 0, items: 0 },
  full: false,
  refused: false,
  looked: undefined,
});

/** Adds events in their order; those already folded are passed over. */
export function foldConversation(conversation: Conversation, events: readonly StoredEvent[]): void {
  for (const stored of events) {
    if (stored.event.seq <= conversation.seq) continue;
    fold(conversation, stored);
    conversation.seq = stored.event.seq;
  }
}

/** How many items an event adds, the results of its calls included. */
export function itemsOf({ event, hidden }: StoredEvent): number {
  switch (event.type) {
    case 'message_read':
    case 'note_told':
      return 1;
    case 'turn_started':
      return event.data.cause === 'continue' ? 1 : 0;
    case 'message_completed': {
      const calls = hidden?.calls?.length ?? 0;
      return hidden?.skip === true || (event.data.text === '' && calls === 0) ? 0 : 1 + calls;
    }
    default:
      return 0;
  }
}

function fold(to: Conversation, { event, hidden }: StoredEvent): void {
  switch (event.type) {
    case 'message_read':
      settle(to);
      to.items.push(userItem(event.data.text, event.data.images, event.data.context));
      return;
    case 'note_told':
      settle(to);
      to.items.push({ kind: 'user', text: event.data.text });
      return;
    case 'turn_started':
      if (event.data.cause === 'continue') {
        settle(to);
        to.items.push({ kind: 'user', text: CONTINUE });
      }
      return;
    case 'message_completed': {
      settle(to);
      if (itemsOf({ event, hidden }) === 0) return;
      const calls = [...(hidden?.calls ?? [])];
      to.items.push({
        kind: 'assistant',
        text: event.data.text,
        calls,
        ...(hidden?.native === undefined ? {} : { native: hidden.native }),
      });
      to.open = calls;
      return;
    }
    case 'tool_completed':
      to.results.set(event.data.call_id, {
        output: JSON.stringify(event.data.result),
        failed: event.data.failed,
        images: event.data.images ?? [],
      });
      return;
    case 'call_lifted':
      to.results.set(event.data.call_id, { output: liftedOutput(event), failed: false, images: [] });
      return;
    case 'usage_recorded':
      to.counted = {
        tokens: event.data.usage.inputTokens + event.data.usage.outputTokens,
        items: to.items.length,
      };
      return;
    case 'compaction_asked':
      to.full = true;
      to.refused = false;
      return;
    case 'compacted':
      settle(to);
      to.items.splice(0, to.items.length - event.data.kept, {
        kind: 'user',
        text: `What happened before, in short:\n${event.data.summary}`,
      });
      to.counted = { tokens: 0, items: 0 };
      to.full = false;
      return;
    default:
      return;
  }
}

/** What an agent is told that goes on after a turn that did not end by itself (T10). */
export const CONTINUE =
  'Go on with the task. Your last turn did not end by itself. A result with "outcome_unknown" may have had ' +
  'effects: look before you repeat it. A result with "cancelled" means that the call has not run. ' +
  'What was ended by a stop or with the host does not run any more.';

function liftedOutput(event: Extract<BelayEvent, { type: 'call_lifted' }>): string {
  const { handle, waits_for } = event.data;
  return JSON.stringify({
    handle,
    background: true,
    steered: true,
    ...(waits_for === undefined ? {} : { waits_for }),
  });
}

/** Puts the results of the newest answer behind it, in the order of its calls. */
export function settle(to: Conversation): void {
  for (const call of to.open) {
    const result = to.results.get(call.callId);
    to.items.push({
      kind: 'result',
      callId: call.callId,
      tool: call.tool,
      output: result?.output ?? '{"error":"outcome_unknown","detail":"Its result was not kept."}',
      failed: result?.failed ?? true,
      ...(result === undefined || result.images.length === 0 ? {} : { images: [...result.images] }),
    });
  }
  to.open = [];
  to.results.clear();
}

function userItem(
  text: string,
  images: Image[] | undefined,
  context: readonly Context[] | undefined,
): ContextItem {
  return {
    kind: 'user',
    text: messageText(text, context ?? []),
    ...(images === undefined ? {} : { images }),
  };
}

/** A message with what the person attached to it. */
export function messageText(text: string, context: readonly Context[]): string {
  const attached = context.map(attachment).join('\n');
  return attached === '' ? text : `${text}\n\n${attached}`;
}

function attachment(context: Context): string {
  const lines =
    context.range === undefined ? '' : ` lines ${String(context.range[0])}-${String(context.range[1])}`;
  const head = `[${context.kind} ${context.path}${lines}]`;
  return context.text === undefined ? head : `${head}\n${context.text}`;
}
