/**
 * What a `session/update` of the Agent Client Protocol means. Pure. Text comes in chunks without an end of their own:
 * a message is whole when something else comes, or the prompt's reply. A call's updates have only what changed.
 */
import { z } from 'zod';
import type { HarnessCall, HarnessEvent } from '../../../engine/harnessPort';
import type { CallResult } from '../../../engine/ports';
import { textResult, valueResult } from '../results';
import { deedOf } from './mapApprovals';

const Chunk = z.looseObject({ content: z.looseObject({ type: z.string(), text: z.string().optional() }) });
export const ToolCall = z.looseObject({
  toolCallId: z.string(),
  title: z.string().nullish(),
  name: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.string().nullish(),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  content: z.array(z.unknown()).nullish(),
  locations: z.array(z.unknown()).nullish(),
});
export type ToolCall = z.infer<typeof ToolCall>;
const UsageTold = z.looseObject({ cost: z.looseObject({ amount: z.number() }).nullish() });
const Update = z.looseObject({ sessionUpdate: z.string() });

interface Known {
  readonly title: string;
  readonly tool: string;
  readonly kind: string | undefined;
  readonly rawInput: unknown;
  readonly content: readonly unknown[];
  readonly locations: readonly unknown[];
  readonly isOver: boolean;
}

export interface AcpState {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: ReadonlyMap<string, Known>;
  /** Cost of the session so far, dollars. */
  readonly cost: number;
}

export const acpState: AcpState = { text: '', reasoning: '', calls: new Map(), cost: 0 };

export interface AcpMapped {
  readonly state: AcpState;
  readonly events: readonly HarnessEvent[];
}

export function mapUpdate(state: AcpState, raw: unknown): AcpMapped {
  const kind = Update.safeParse(raw).data?.sessionUpdate;
  switch (kind) {
    case 'agent_message_chunk':
    case 'agent_thought_chunk': {
      const text = Chunk.safeParse(raw).data?.content.text ?? '';
      if (text === '') return { state, events: [] };
      return kind === 'agent_message_chunk' ? addText(state, text) : addThought(state, text);
    }
    case 'tool_call':
    case 'tool_call_update': {
      const call = ToolCall.safeParse(raw).data;
      return call === undefined ? { state, events: [] } : mapCall(state, call);
    }
    case 'usage_update': {
      const cost = UsageTold.safeParse(raw).data?.cost?.amount;
      if (cost === undefined) return { state, events: [] };
      const costUsd = Math.max(0, cost - state.cost);
      const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd };
      return { state: { ...state, cost }, events: [{ kind: 'usage', usage }] };
    }
    default:
      return { state, events: [] };
  }
}

const addText = (state: AcpState, text: string): AcpMapped => ({
  state: { ...state, text: state.text + text },
  events: [{ kind: 'text', text }],
});

const addThought = (state: AcpState, text: string): AcpMapped => ({
  state: { ...state, reasoning: state.reasoning + text },
  events: [{ kind: 'reasoning', text }],
});

/** What was said so far is a message of its own. */
export function flush(state: AcpState): AcpMapped {
  if (state.text === '' && state.reasoning === '') return { state, events: [] };
  const { text, reasoning } = state;
  return {
    state: { ...state, text: '', reasoning: '' },
    events: [{ kind: 'message', text, ...(reasoning === '' ? {} : { reasoning }) }],
  };
}

function mapCall(before: AcpState, told: ToolCall): AcpMapped {
  const flushed = flush(before);
  const known = merged(before.calls.get(told.toolCallId), told);
  if (before.calls.get(told.toolCallId)?.isOver === true) return { state: before, events: [] };
  const isOver = told.status === 'completed' || told.status === 'failed';
  const calls = new Map(before.calls).set(told.toolCallId, { ...known, isOver });
  const events: HarnessEvent[] = [
    ...flushed.events,
    { kind: 'call', call: callOf(told.toolCallId, known), started: told.status === 'in_progress' },
  ];
  if (isOver) events.push({ kind: 'result', id: told.toolCallId, result: resultOf(told, known) });
  return { state: { ...flushed.state, calls }, events };
}

function merged(known: Known | undefined, told: ToolCall): Known {
  return {
    title: told.title ?? known?.title ?? 'call',
    tool: told.name ?? known?.tool ?? told.kind ?? 'call',
    kind: told.kind ?? known?.kind,
    rawInput: told.rawInput ?? known?.rawInput,
    content: told.content ?? known?.content ?? [],
    locations: told.locations ?? known?.locations ?? [],
    isOver: known?.isOver ?? false,
  };
}

const callOf = (id: string, known: Known): HarnessCall => ({
  id,
  tool: known.tool,
  title: known.title.replaceAll('`', ''),
  args: known.rawInput ?? {},
  deed: deedOf(known),
});

/** The call that a permission is asked for, with what was told of it before. */
export const askedCall = (state: AcpState, told: ToolCall): HarnessCall =>
  callOf(told.toolCallId, merged(state.calls.get(told.toolCallId), told));

const TextContent = z.looseObject({
  type: z.literal('content'),
  content: z.looseObject({ type: z.literal('text'), text: z.string() }),
});

function resultOf(told: ToolCall, known: Known): CallResult {
  const failed = told.status === 'failed';
  const text = known.content
    .flatMap((part) => TextContent.safeParse(part).data?.content.text ?? [])
    .join('\n');
  if (told.rawOutput === undefined) return textResult(text, failed);
  return valueResult(told.rawOutput, failed);
}
