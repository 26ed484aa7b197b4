/**
 * What codex app-server tells of a thread. Pure: a state and a notification give the next state and what happened.
 * Measured with codex-cli 0.169.0: sub-agents tell their own turns on the same connection, so thread and turn ids are
 * compared; an interrupt gives a running command no end; a background command completes behind its turn.
 */
import { z } from 'zod';
import type { Usage } from '../../../../protocol';
import type { FileChange, HarnessCall, HarnessEvent } from '../../../engine/harnessPort';
import type { CallResult } from '../../../engine/ports';
import { agentCall, commandCall, mcpCall, mcpResult, searchCall } from '../codexCalls';
import { isLimit } from '../limits';
import { commandResult, deniedResult, valueResult } from '../results';

const Item = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('userMessage'), id: z.string() }),
  z.looseObject({ type: z.literal('agentMessage'), id: z.string(), text: z.string() }),
  z.looseObject({
    type: z.literal('reasoning'),
    id: z.string(),
    summary: z.array(z.string()).optional(),
    content: z.array(z.string()).optional(),
  }),
  z.looseObject({
    type: z.literal('commandExecution'),
    id: z.string(),
    command: z.string(),
    cwd: z.string().optional(),
    processId: z.string().nullish(),
    status: z.string(),
    aggregatedOutput: z.string().nullish(),
    exitCode: z.number().nullish(),
  }),
  z.looseObject({
    type: z.literal('fileChange'),
    id: z.string(),
    status: z.string(),
    changes: z.array(
      z.looseObject({
        path: z.string(),
        /** `move_path`: where the file goes. */
        kind: z.looseObject({ type: z.string(), move_path: z.string().nullish() }).optional(),
        diff: z.string().optional(),
      }),
    ),
  }),
  z.looseObject({
    type: z.literal('mcpToolCall'),
    id: z.string(),
    server: z.string(),
    tool: z.string(),
    arguments: z.unknown().optional(),
    result: z.unknown().optional(),
    error: z.looseObject({ message: z.string() }).nullish(),
    status: z.string(),
  }),
  /** A client tool of Belay's: its call is told by the channel that serves it. */
  z.looseObject({ type: z.literal('dynamicToolCall'), id: z.string() }),
  z.looseObject({
    type: z.literal('collabAgentToolCall'),
    id: z.string(),
    tool: z.string(),
    prompt: z.string().nullish(),
    receiverThreadIds: z.array(z.string()).optional(),
    agentsStates: z.record(z.string(), z.looseObject({ status: z.string() })).optional(),
    status: z.string(),
  }),
  z.looseObject({
    type: z.literal('subAgentActivity'),
    id: z.string(),
    kind: z.string(),
    agentThreadId: z.string().optional(),
  }),
  z.looseObject({ type: z.literal('webSearch'), id: z.string(), query: z.string().optional() }),
]);
export type Item = z.infer<typeof Item>;

const OfTurn = z.looseObject({ threadId: z.string(), turnId: z.string() });
const ItemTold = OfTurn.extend({ item: z.unknown() });
const Delta = OfTurn.extend({ itemId: z.string(), delta: z.string() });
const TurnTold = z.looseObject({
  threadId: z.string(),
  turn: z.looseObject({
    id: z.string(),
    status: z.string(),
    error: z.looseObject({ message: z.string() }).nullish(),
  }),
});
const Sums = z.looseObject({
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  outputTokens: z.number(),
});
const UsageTold = z.looseObject({
  threadId: z.string(),
  tokenUsage: z.looseObject({ last: Sums }),
});
const Said = z.looseObject({ message: z.string() });
const ErrorTold = z.looseObject({
  error: z.looseObject({ message: z.string() }),
  willRetry: z.boolean().optional(),
});

export interface ServerState {
  readonly thread: string | undefined;
  /** The turn under way. */
  readonly turn: string | undefined;
  /** Calls that were told and have no end, with their words. */
  readonly open: ReadonlyMap<string, string>;
  /** Turns of sub-agents that have not ended, by thread. */
  readonly children: ReadonlySet<string>;
  readonly retries: number;
}

export const serverState: ServerState = {
  thread: undefined,
  turn: undefined,
  open: new Map(),
  children: new Set(),
  retries: 0,
};

export interface ServerMapped {
  readonly state: ServerState;
  readonly events: readonly HarnessEvent[];
  /** The end of the thread's own turn. */
  readonly ended?: { readonly status: string; readonly error: string | undefined };
  /** The thread's own turn has begun. */
  readonly began?: boolean;
  /** A message of the person's has been read. */
  readonly read?: boolean;
}

export function mapTold(state: ServerState, method: string, params: unknown): ServerMapped {
  const nothing = { state, events: [] };
  switch (method) {
    case 'turn/started':
    case 'turn/completed': {
      const told = TurnTold.safeParse(params).data;
      return told === undefined ? nothing : mapTurn(state, told, method === 'turn/completed');
    }
    case 'item/started':
    case 'item/completed': {
      const told = ItemTold.safeParse(params).data;
      const item = Item.safeParse(told?.item).data;
      if (told === undefined || item === undefined || told.threadId !== state.thread) return nothing;
      return mapItem(state, item, method === 'item/completed');
    }
    case 'item/agentMessage/delta':
    case 'item/reasoning/summaryTextDelta':
    case 'item/commandExecution/outputDelta': {
      const told = Delta.safeParse(params).data;
      if (told === undefined || told.threadId !== state.thread) return nothing;
      return { state, events: [deltaOf(method, told)] };
    }
    case 'thread/tokenUsage/updated': {
      const told = UsageTold.safeParse(params).data;
      if (told === undefined || told.threadId !== state.thread) return nothing;
      return { state, events: [{ kind: 'usage', usage: usageOf(told.tokenUsage.last) }] };
    }
    case 'warning': {
      const told = Said.safeParse(params).data;
      return told === undefined ? nothing : { state, events: [{ kind: 'notice', text: told.message }] };
    }
    case 'error': {
      const told = ErrorTold.safeParse(params).data;
      return told === undefined ? nothing : mapError(state, told.error.message, told.willRetry === true);
    }
    default:
      return nothing;
  }
}

function mapTurn(state: ServerState, told: z.infer<typeof TurnTold>, isEnd: boolean): ServerMapped {
  if (told.threadId !== state.thread) {
    const children = new Set(state.children);
    if (isEnd) children.delete(told.threadId);
    else children.add(told.threadId);
    return { state: { ...state, children }, events: [] };
  }
  if (!isEnd)
    return { state: { ...state, turn: told.turn.id, retries: 0 }, events: [{ kind: 'turn' }], began: true };
  if (state.turn !== told.turn.id) return { state, events: [] };
  return {
    state: { ...state, turn: undefined },
    events: [],
    ended: { status: told.turn.status, error: told.turn.error?.message },
  };
}

const usageOf = (sums: z.infer<typeof Sums>): Usage => ({
  inputTokens: sums.inputTokens,
  outputTokens: sums.outputTokens,
  cachedTokens: sums.cachedInputTokens,
});

function deltaOf(method: string, { itemId, delta }: z.infer<typeof Delta>): HarnessEvent {
  if (method === 'item/agentMessage/delta') return { kind: 'text', text: delta };
  if (method === 'item/reasoning/summaryTextDelta') return { kind: 'reasoning', text: delta };
  return { kind: 'output', id: itemId, text: delta };
}

/** Attempts that are shown as of how many: codex tries again without end. */
const RETRIES = 1_000;

function mapError(state: ServerState, detail: string, again: boolean): ServerMapped {
  if (!again) return { state, events: [{ kind: 'notice', text: detail }] };
  const retries = state.retries + 1;
  return {
    state: { ...state, retries },
    events: [
      { kind: 'retry', attempt: retries, attempts: RETRIES, detail, delayMs: 0, limited: isLimit(detail) },
    ],
  };
}

type CallItem = Extract<
  Item,
  { type: 'commandExecution' | 'fileChange' | 'mcpToolCall' | 'collabAgentToolCall' | 'webSearch' }
>;

function mapItem(state: ServerState, item: Item, isEnd: boolean): ServerMapped {
  switch (item.type) {
    case 'userMessage':
      return { state, events: [], ...(isEnd ? { read: true } : {}) };
    case 'agentMessage':
      return { state, events: isEnd ? [{ kind: 'message', text: item.text }] : [] };
    case 'reasoning': {
      const reasoning = [...(item.summary ?? []), ...(item.content ?? [])].join('\n');
      return { state, events: isEnd && reasoning !== '' ? [{ kind: 'message', text: '', reasoning }] : [] };
    }
    case 'dynamicToolCall':
    case 'subAgentActivity':
      return { state, events: [] };
    case 'commandExecution':
    case 'fileChange':
    case 'mcpToolCall':
    case 'collabAgentToolCall':
    case 'webSearch':
      return mapCall(state, item, isEnd);
  }
}

function mapCall(state: ServerState, item: CallItem, isEnd: boolean): ServerMapped {
  const open = new Map(state.open);
  const events: HarnessEvent[] = [];
  const known = open.has(item.id);
  // A command that has a process runs already; one without may still be asked for.
  const started = item.type !== 'commandExecution' ? !mayAsk(item) : typeof item.processId === 'string';
  if (!known || (started && !isEnd)) events.push({ kind: 'call', call: itemCall(item), started });
  if (isEnd) {
    open.delete(item.id);
    events.push({ kind: 'result', id: item.id, result: resultOf(item) });
  } else open.set(item.id, itemCall(item).title);
  return { state: { ...state, open }, events };
}

const mayAsk = (item: CallItem): boolean => item.type === 'fileChange' || item.type === 'mcpToolCall';

/** The call that an item is, for its own events and for a permission that is asked for it. */
export function itemCall(item: CallItem): HarnessCall {
  const { id } = item;
  switch (item.type) {
    case 'commandExecution':
      return commandCall(id, item.command, item.cwd);
    case 'fileChange':
      return {
        id,
        tool: 'apply_patch',
        title: 'Edit',
        args: { changes: item.changes.map(argsOf) },
        deed: { kind: 'edit', changes: item.changes.flatMap(changesOf) },
      };
    case 'mcpToolCall':
      return mcpCall(id, item.server, item.tool, item.arguments);
    case 'collabAgentToolCall':
      return agentCall(id, item.tool, item.prompt);
    case 'webSearch':
      return searchCall(id, item.query);
  }
}

type Patched = Extract<Item, { type: 'fileChange' }>['changes'][number];

const argsOf = ({ path, kind, diff }: Patched): object => ({
  path,
  kind: kind?.type,
  ...(typeof kind?.move_path === 'string' ? { move_path: kind.move_path } : {}),
  diff,
});

/** A patch that moves a file changes both of its places (A12). */
const changesOf = (change: Patched): readonly FileChange[] => {
  const target = change.kind?.move_path;
  return [
    changeOf(change),
    ...(typeof target === 'string' ? [{ kind: 'target', path: target } as const] : []),
  ];
};

function changeOf({ path, kind, diff }: Patched): FileChange {
  if (diff === undefined) return { kind: 'unknown', path };
  return kind?.type === 'add'
    ? { kind: 'text', path, before: undefined, after: diff }
    : { kind: 'diff', path, diff };
}

function resultOf(item: CallItem): CallResult {
  if ('status' in item && item.status === 'declined')
    return deniedResult('It was not allowed: it has not run.');
  switch (item.type) {
    case 'commandExecution':
      return commandResult(
        item.aggregatedOutput ?? '',
        item.exitCode ?? undefined,
        item.status !== 'completed',
      );
    case 'fileChange':
      return valueResult({ status: item.status }, item.status !== 'completed');
    case 'mcpToolCall':
      return mcpResult(item);
    case 'collabAgentToolCall':
      return valueResult(item.agentsStates ?? {}, item.status === 'failed');
    case 'webSearch':
      return { output: {}, failed: false };
  }
}
