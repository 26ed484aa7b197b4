/**
 * What a line of `codex exec --json` means. Pure: a state and a line give the next state and what happened.
 * Measured with codex-cli 0.169.0: an `error` item is a warning, usage is the sum of the thread, a completed
 * `spawn_agent` says nothing of the agent's end, and a command that the sandbox denies gives no item at all.
 */
import { z } from 'zod';
import type { Usage } from '../../../../protocol';
import type { HarnessCall, HarnessEvent } from '../../../engine/harnessPort';
import type { CallResult } from '../../../engine/ports';
import { agentCall, agentWords, commandCall, mcpCall, mcpResult, searchCall } from '../codexCalls';
import { unwrapped } from '../commandLine';
import { isLimit } from '../limits';
import { commandResult, valueResult } from '../results';

const Tokens = z.looseObject({
  input_tokens: z.number().optional(),
  cached_input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
});

const Item = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('agent_message'), id: z.string(), text: z.string() }),
  z.looseObject({ type: z.literal('reasoning'), id: z.string(), text: z.string() }),
  z.looseObject({ type: z.literal('error'), id: z.string(), message: z.string() }),
  z.looseObject({
    type: z.literal('command_execution'),
    id: z.string(),
    command: z.string(),
    aggregated_output: z.string().optional(),
    exit_code: z.number().nullish(),
    status: z.string(),
  }),
  z.looseObject({
    type: z.literal('file_change'),
    id: z.string(),
    changes: z.array(z.looseObject({ path: z.string(), kind: z.string() })),
    status: z.string(),
  }),
  z.looseObject({
    type: z.literal('mcp_tool_call'),
    id: z.string(),
    server: z.string(),
    tool: z.string(),
    arguments: z.unknown().optional(),
    result: z.unknown().optional(),
    error: z.looseObject({ message: z.string() }).nullish(),
    status: z.string(),
  }),
  z.looseObject({
    type: z.literal('collab_tool_call'),
    id: z.string(),
    tool: z.string(),
    receiver_thread_ids: z.array(z.string()).optional(),
    prompt: z.string().nullish(),
    agents_states: z.record(z.string(), z.looseObject({ status: z.string() })).optional(),
    status: z.string(),
  }),
  z.looseObject({ type: z.literal('web_search'), id: z.string(), query: z.string().optional() }),
  z.looseObject({ type: z.literal('todo_list'), id: z.string(), items: z.unknown() }),
]);
type Item = z.infer<typeof Item>;
type Collab = Extract<Item, { type: 'collab_tool_call' }>;

const Line = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('thread.started'), thread_id: z.string() }),
  z.looseObject({ type: z.literal('turn.started') }),
  z.looseObject({ type: z.enum(['item.started', 'item.updated', 'item.completed']), item: z.unknown() }),
  z.looseObject({ type: z.literal('turn.completed'), usage: Tokens.optional() }),
  z.looseObject({ type: z.literal('turn.failed'), error: z.looseObject({ message: z.string() }) }),
  z.looseObject({ type: z.literal('error'), message: z.string() }),
]);

export interface ExecState {
  readonly thread: string | undefined;
  /** Items that were started and not completed, with their words. */
  readonly running: ReadonlyMap<string, string>;
  /** Items that a call was told for. */
  readonly told: ReadonlySet<string>;
  /** Sub-agents that have not ended, with their words (H3). */
  readonly agents: ReadonlyMap<string, string>;
  readonly used: Usage;
  readonly reconnects: number;
  readonly end:
    { readonly kind: 'completed' } | { readonly kind: 'failed'; readonly detail: string } | undefined;
}

export const execState = (used: Usage): ExecState => ({
  thread: undefined,
  running: new Map(),
  told: new Set(),
  agents: new Map(),
  used,
  reconnects: 0,
  end: undefined,
});

export interface Mapped {
  readonly state: ExecState;
  readonly events: readonly HarnessEvent[];
}

export function mapLine(state: ExecState, raw: unknown): Mapped {
  const parsed = Line.safeParse(raw);
  if (!parsed.success) return { state, events: [] };
  const line = parsed.data;
  switch (line.type) {
    case 'thread.started':
      return {
        state: { ...state, thread: line.thread_id },
        events: [{ kind: 'conversation', id: line.thread_id }],
      };
    case 'turn.started':
      return { state, events: [{ kind: 'turn' }] };
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      return mapItem(state, line.item, line.type === 'item.completed');
    case 'turn.completed':
      return mapUsage({ ...state, end: { kind: 'completed' } }, line.usage);
    case 'turn.failed':
      return { state: { ...state, end: { kind: 'failed', detail: line.error.message } }, events: [] };
    case 'error':
      return mapError(state, line.message);
  }
}

/** Work that ends with the process although its turn ended well (H3). */
export const killedWork = (state: ExecState): readonly string[] => [
  ...state.running.values(),
  ...state.agents.values(),
];

function mapItem(state: ExecState, raw: unknown, isCompleted: boolean): Mapped {
  const parsed = Item.safeParse(raw);
  if (!parsed.success) return { state, events: [] };
  const item = parsed.data;
  switch (item.type) {
    case 'agent_message':
      return { state, events: isCompleted ? [{ kind: 'message', text: item.text }] : [] };
    case 'reasoning':
      return { state, events: isCompleted ? [{ kind: 'message', text: '', reasoning: item.text }] : [] };
    case 'error':
      return { state, events: [{ kind: 'notice', text: item.message }] };
    case 'web_search':
    case 'todo_list':
      return mapCall(state, item, isCompleted);
    case 'command_execution':
    case 'file_change':
    case 'mcp_tool_call':
      return mapCall(state, item, item.status !== 'in_progress');
    case 'collab_tool_call':
      return mapCall(withAgents(state, item), item, item.status !== 'in_progress');
  }
}

type CallItem = Exclude<Item, { type: 'agent_message' | 'reasoning' | 'error' }>;

function mapCall(state: ExecState, item: CallItem, isOver: boolean): Mapped {
  const events: HarnessEvent[] = [];
  const running = new Map(state.running);
  const told = new Set(state.told);
  if (!told.has(item.id)) {
    told.add(item.id);
    events.push({ kind: 'call', call: callOf(item), started: true });
  }
  if (isOver) {
    running.delete(item.id);
    events.push({ kind: 'result', id: item.id, result: resultOf(item) });
  } else running.set(item.id, wordsOf(item));
  return { state: { ...state, running, told }, events };
}

/** How work is named when it was killed. */
function wordsOf(item: CallItem): string {
  switch (item.type) {
    case 'command_execution':
      return unwrapped(item.command);
    case 'collab_tool_call':
      return agentWords(item.tool, item.prompt);
    case 'mcp_tool_call':
      return `${item.server}__${item.tool}`;
    case 'file_change':
      return `edit of ${item.changes.map((change) => change.path).join(', ')}`;
    case 'web_search':
      return `web search ${item.query ?? ''}`;
    case 'todo_list':
      return 'its list of tasks';
  }
}

const ENDED = new Set(['completed', 'errored', 'shutdown', 'interrupted', 'not_found']);

/** Sub-agents run on when their spawn has completed; their last known state says whether they have ended. */
function withAgents(state: ExecState, item: Collab): ExecState {
  const agents = new Map(state.agents);
  const isOver = item.status !== 'in_progress';
  if (item.tool === 'spawn_agent' && isOver)
    for (const id of item.receiver_thread_ids ?? []) agents.set(id, agentWords(item.tool, item.prompt));
  for (const [id, { status }] of Object.entries(item.agents_states ?? {}))
    if (ENDED.has(status)) agents.delete(id);
  if (item.tool === 'close_agent' && isOver)
    for (const id of item.receiver_thread_ids ?? []) agents.delete(id);
  return { ...state, agents };
}

function callOf(item: CallItem): HarnessCall {
  const { id } = item;
  switch (item.type) {
    case 'command_execution':
      return commandCall(id, item.command, undefined);
    case 'file_change':
      return {
        id,
        tool: 'apply_patch',
        title: 'Edit',
        args: { changes: item.changes.map(({ path, kind }) => ({ path, kind })) },
        deed: { kind: 'edit', changes: item.changes.map(({ path }) => ({ kind: 'unknown', path })) },
      };
    case 'mcp_tool_call':
      return mcpCall(id, item.server, item.tool, item.arguments);
    case 'collab_tool_call':
      return agentCall(id, item.tool, item.prompt);
    case 'web_search':
      return searchCall(id, item.query);
    case 'todo_list':
      return {
        id,
        tool: 'todo_list',
        title: 'List of tasks',
        args: { items: item.items },
        deed: { kind: 'own' },
      };
  }
}

function resultOf(item: CallItem): CallResult {
  switch (item.type) {
    case 'command_execution':
      return commandResult(
        item.aggregated_output ?? '',
        item.exit_code ?? undefined,
        item.status !== 'completed',
      );
    case 'mcp_tool_call':
      return mcpResult(item);
    case 'collab_tool_call':
      return valueResult(item.agents_states ?? {}, item.status === 'failed');
    case 'file_change':
      return valueResult({ status: item.status }, item.status !== 'completed');
    case 'web_search':
    case 'todo_list':
      return { output: {}, failed: false };
  }
}

/** Usage is told as the thread's sum: what is new is what was not told before. */
function mapUsage(state: ExecState, tokens: z.infer<typeof Tokens> | undefined): Mapped {
  if (tokens === undefined) return { state, events: [] };
  const used = {
    inputTokens: tokens.input_tokens ?? 0,
    outputTokens: tokens.output_tokens ?? 0,
    cachedTokens: tokens.cached_input_tokens ?? 0,
  };
  const since = (key: 'inputTokens' | 'outputTokens' | 'cachedTokens') =>
    Math.max(0, used[key] - state.used[key]);
  const usage = {
    inputTokens: since('inputTokens'),
    outputTokens: since('outputTokens'),
    cachedTokens: since('cachedTokens'),
  };
  return { state: { ...state, used }, events: [{ kind: 'usage', usage }] };
}

/** Attempts that are shown as of how many: codex tries again without end. */
const RECONNECTS = 1_000;

function mapError(state: ExecState, message: string): Mapped {
  if (!message.startsWith('Reconnecting')) return { state, events: [{ kind: 'notice', text: message }] };
  const reconnects = state.reconnects + 1;
  return {
    state: { ...state, reconnects },
    events: [
      {
        kind: 'retry',
        attempt: reconnects,
        attempts: RECONNECTS,
        detail: message,
        delayMs: 0,
        limited: isLimit(message),
      },
    ],
  };
}
