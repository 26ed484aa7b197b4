/**
 * What a `session/update` of the Agent Client Protocol means. Pure. Text comes in chunks without an end of their own:
 * a message is whole when something else comes, or the prompt's reply. A call's updates have only what changed.
 */
import { z } from 'zod';
import type { HarnessCall, HarnessEvent } from '../../../engine/harnessPort';
import type { CallResult } from '../../../engine/ports';
import { textResult, valueResult } from '../results';
import { askedDeed, deedOf } from './mapApprovals';

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
}

/** Calls that are remembered, open and ended each: what an agent tells of older ones counts as new. */
const CALLS = 1_000;
/** Characters of a message; a longer one is told in pieces. */
const MESSAGE = 256 * 1024;

export interface AcpState {
  readonly text: string;
  readonly reasoning: string;
  /** Those without a result. */
  readonly calls: ReadonlyMap<string, Known>;
  /** Those that nothing more is told of. */
  readonly over: ReadonlySet<string>;
  /** Cost of the session so far, dollars. */
  readonly cost: number;
}

export const acpState: AcpState = { text: '', reasoning: '', calls: new Map(), over: new Set(), cost: 0 };

/** What is kept for the next prompt of the same session: whatever is still open has ended with its turn. */
export const nextPrompt = ({ calls, over, cost }: AcpState): AcpState => ({
  ...acpState,
  over: newest([...over, ...calls.keys()]),
  cost,
});

const newest = (ids: readonly string[]): ReadonlySet<string> => new Set(ids.slice(-CALLS));

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

const addText = (state: AcpState, text: string): AcpMapped =>
  bounded({ state: { ...state, text: state.text + text }, events: [{ kind: 'text', text }] });

const addThought = (state: AcpState, text: string): AcpMapped =>
  bounded({ state: { ...state, reasoning: state.reasoning + text }, events: [{ kind: 'reasoning', text }] });

function bounded({ state, events }: AcpMapped): AcpMapped {
  if (state.text.length + state.reasoning.length < MESSAGE) return { state, events };
  const flushed = flush(state);
  return { state: flushed.state, events: [...events, ...flushed.events] };
}

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
  const id = told.toolCallId;
  if (before.over.has(id)) return { state: before, events: [] };
  const flushed = flush(before);
  const known = merged(before.calls.get(id), told);
  const isOver = told.status === 'completed' || told.status === 'failed';
  const others = [...before.calls].filter(([one]) => one !== id);
  const calls = new Map(isOver ? others : [...others.slice(1 - CALLS), [id, known]]);
  const over = isOver ? newest([...before.over, id]) : before.over;
  const events: HarnessEvent[] = [
    ...flushed.events,
    { kind: 'call', call: callOf(id, known), started: told.status === 'in_progress' },
  ];
  if (isOver) events.push({ kind: 'result', id, result: resultOf(told, known) });
  return { state: { ...flushed.state, calls, over }, events };
}

function merged(known: Known | undefined, told: ToolCall): Known {
  return {
    title: told.title ?? known?.title ?? 'call',
    tool: told.name ?? known?.tool ?? told.kind ?? 'call',
    kind: told.kind ?? known?.kind,
    rawInput: told.rawInput ?? known?.rawInput,
    content: told.content ?? known?.content ?? [],
    locations: told.locations ?? known?.locations ?? [],
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
export function askedCall(state: AcpState, told: ToolCall): HarnessCall {
  const call = callOf(told.toolCallId, merged(state.calls.get(told.toolCallId), told));
  return { ...call, deed: askedDeed(call.deed) };
}

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
