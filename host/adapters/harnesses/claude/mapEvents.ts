/**
 * What a line of Claude Code's stream-json means. Pure: a state and a line give the next state and what happened.
 * Measured with 2.1.197: `system/init` comes again at each turn, an assistant's blocks come one to a line, API
 * errors are `success` with `is_error`, cost is the sum of the process, and background work wakes the model by itself.
 */
import { z } from 'zod';
import type { HarnessEvent } from '../../../engine/harnessPort';
import type { CallResult } from '../../../engine/ports';
import { isLimit } from '../limits';
import { commandResult, textResult } from '../results';
import { callOf, mayAsk } from './mapApprovals';

const Block = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('thinking'), thinking: z.string() }),
  z.looseObject({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.unknown().optional(),
    is_error: z.boolean().optional(),
  }),
]);
const Delta = z.looseObject({
  type: z.literal('content_block_delta'),
  delta: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text_delta'), text: z.string() }),
    z.looseObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
  ]),
});
const Tokens = z.looseObject({
  input_tokens: z.number().optional(),
  cache_creation_input_tokens: z.number().optional(),
  cache_read_input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
});
const parent = z.string().nullish();

const Line = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('system'),
    subtype: z.string(),
    session_id: z.string().optional(),
    task_id: z.string().optional(),
    tool_use_id: z.string().nullish(),
    description: z.string().optional(),
    status: z.string().nullish(),
    patch: z.looseObject({ status: z.string().optional() }).optional(),
    attempt: z.number().optional(),
    max_retries: z.number().optional(),
    retry_delay_ms: z.number().optional(),
    error: z.string().optional(),
    error_status: z.number().nullish(),
  }),
  z.looseObject({
    type: z.literal('assistant'),
    parent_tool_use_id: parent,
    message: z.looseObject({ model: z.string().optional(), content: z.array(z.unknown()) }),
  }),
  z.looseObject({
    type: z.literal('user'),
    isReplay: z.boolean().optional(),
    uuid: z.string().optional(),
    message: z.looseObject({ content: z.union([z.string(), z.array(z.unknown())]) }),
    tool_use_result: z.unknown().optional(),
  }),
  z.looseObject({ type: z.literal('stream_event'), parent_tool_use_id: parent, event: z.unknown() }),
  z.looseObject({
    type: z.literal('result'),
    is_error: z.boolean().optional(),
    result: z.string().optional(),
    errors: z.array(z.string()).optional(),
    terminal_reason: z.string().optional(),
    total_cost_usd: z.number().optional(),
    usage: Tokens.optional(),
    origin: z.looseObject({ kind: z.string() }).optional(),
  }),
]);
type Of<T extends z.infer<typeof Line>['type']> = Extract<z.infer<typeof Line>, { type: T }>;

export interface ClaudeTask {
  readonly title: string;
  /** The call that has started it, where it is told. */
  readonly call: string | undefined;
}

export interface ClaudeState {
  /** Work of its own that was started and has not ended, with its words (H3). */
  readonly tasks: ReadonlyMap<string, ClaudeTask>;
  /** Names of the calls that have no result yet. */
  readonly calls: ReadonlyMap<string, string>;
  /** Cost of this process so far, dollars. */
  readonly cost: number;
  readonly hasInit: boolean;
}

export const claudeState: ClaudeState = { tasks: new Map(), calls: new Map(), cost: 0, hasInit: false };

export interface ClaudeMapped {
  readonly state: ClaudeState;
  readonly events: readonly HarnessEvent[];
  /** The end of a turn of its own; `byItself` when no prompt began it. */
  readonly result?: {
    readonly error: string | undefined;
    readonly aborted: boolean;
    readonly byItself: boolean;
  };
  /** A message of ours, by the id that it was sent with, has been read. */
  readonly replayed?: string;
}

/** Belay's own tools are calls of Belay's, told by the channel that serves them. */
const OURS = 'mcp__belay__';

export function mapLine(state: ClaudeState, raw: unknown): ClaudeMapped {
  const parsed = Line.safeParse(raw);
  if (!parsed.success) return { state, events: [] };
  const line = parsed.data;
  switch (line.type) {
    case 'system':
      return mapSystem(state, line);
    case 'assistant':
      return mapAssistant(state, line);
    case 'user':
      return mapUser(state, line);
    case 'stream_event':
      return { state, events: typeof line.parent_tool_use_id === 'string' ? [] : mapDelta(line.event) };
    case 'result':
      return mapResult(state, line);
  }
}

const TASK_ENDS = new Set(['completed', 'failed', 'killed', 'stopped', 'cancelled']);

function mapSystem(state: ClaudeState, line: Of<'system'>): ClaudeMapped {
  const id = line.task_id ?? '';
  const tasks = new Map(state.tasks);
  switch (line.subtype) {
    case 'init':
      return {
        state: { ...state, hasInit: true },
        events: [
          ...(line.session_id === undefined ? [] : [{ kind: 'conversation' as const, id: line.session_id }]),
          { kind: 'turn' },
        ],
      };
    case 'task_started':
      tasks.set(id, { title: line.description ?? id, call: line.tool_use_id ?? undefined });
      return { state: { ...state, tasks }, events: [] };
    case 'task_updated':
    case 'task_notification':
      return mapTaskEnd(state, id, line.patch?.status ?? line.status ?? '');
    case 'api_retry': {
      const status = typeof line.error_status === 'number' ? ` (${String(line.error_status)})` : '';
      const detail = `${line.error ?? 'The request failed'}${status}`;
      return {
        state,
        events: [
          {
            kind: 'retry',
            attempt: line.attempt ?? 1,
            attempts: line.max_retries ?? 1,
            detail,
            delayMs: line.retry_delay_ms ?? 0,
            limited: isLimit(detail),
          },
        ],
      };
    }
    default:
      return { state, events: [] };
  }
}

function mapTaskEnd(state: ClaudeState, id: string, status: string): ClaudeMapped {
  if (!TASK_ENDS.has(status) || !state.tasks.has(id)) return { state, events: [] };
  const tasks = new Map(state.tasks);
  tasks.delete(id);
  const how = status === 'completed' || status === 'failed' ? status : 'stopped';
  return { state: { ...state, tasks }, events: [{ kind: 'work_over', id, how }] };
}

function mapAssistant(state: ClaudeState, line: Of<'assistant'>): ClaudeMapped {
  const isChild = typeof line.parent_tool_use_id === 'string';
  const calls = new Map(state.calls);
  const events: HarnessEvent[] = [];
  // What the program says in the model's place is told again by its result.
  if (line.message.model === '<synthetic>') return { state, events };
  for (const raw of line.message.content) {
    const block = Block.safeParse(raw).data;
    if (block?.type === 'text' && !isChild && block.text !== '')
      events.push({ kind: 'message', text: block.text });
    if (block?.type === 'thinking' && !isChild && block.thinking !== '')
      events.push({ kind: 'message', text: '', reasoning: block.thinking });
    if (block?.type === 'tool_use' && !block.name.startsWith(OURS)) {
      calls.set(block.id, block.name);
      events.push({
        kind: 'call',
        call: callOf(block.id, block.name, block.input),
        started: !mayAsk(block.name),
      });
    }
  }
  return { state: { ...state, calls }, events };
}

function mapUser(state: ClaudeState, line: Of<'user'>): ClaudeMapped {
  if (line.isReplay === true)
    return { state, events: [], ...(line.uuid === undefined ? {} : { replayed: line.uuid }) };
  if (typeof line.message.content === 'string') return { state, events: [] };
  const calls = new Map(state.calls);
  const events: HarnessEvent[] = [];
  for (const raw of line.message.content) {
    const block = Block.safeParse(raw).data;
    if (block?.type !== 'tool_result') continue;
    const tool = calls.get(block.tool_use_id);
    if (tool === undefined) continue;
    calls.delete(block.tool_use_id);
    events.push({
      kind: 'result',
      id: block.tool_use_id,
      result: resultOf(tool, block.content, block.is_error === true, line.tool_use_result),
    });
  }
  return { state: { ...state, calls }, events };
}

const Shell = z.looseObject({ stdout: z.string(), stderr: z.string().optional() });
const TextPart = z.looseObject({ type: z.literal('text'), text: z.string() });

function resultOf(tool: string, content: unknown, failed: boolean, extra: unknown): CallResult {
  const shell = tool === 'Bash' && !failed ? Shell.safeParse(extra).data : undefined;
  if (shell !== undefined) {
    const result = commandResult(shell.stdout, undefined, false);
    return shell.stderr === undefined || shell.stderr === ''
      ? result
      : { ...result, output: { ...result.output, stderr: shell.stderr } };
  }
  return textResult(textOf(content), failed);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content ?? null);
  return content
    .map((part: unknown) => TextPart.safeParse(part).data?.text ?? JSON.stringify(part))
    .join('\n');
}

function mapDelta(event: unknown): readonly HarnessEvent[] {
  const delta = Delta.safeParse(event).data?.delta;
  if (delta === undefined) return [];
  return delta.type === 'text_delta'
    ? [{ kind: 'text', text: delta.text }]
    : [{ kind: 'reasoning', text: delta.thinking }];
}

/** Differences of sums have digits that mean nothing. */
const dollars = (amount: number): number => Math.max(0, Math.round(amount * 1e9) / 1e9);

function mapResult(state: ClaudeState, line: Of<'result'>): ClaudeMapped {
  const { usage } = line;
  const cost = line.total_cost_usd ?? state.cost;
  const cached = usage?.cache_read_input_tokens ?? 0;
  const events: HarnessEvent[] =
    usage === undefined
      ? []
      : [
          {
            kind: 'usage',
            usage: {
              inputTokens: (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + cached,
              outputTokens: usage.output_tokens ?? 0,
              cachedTokens: cached,
              costUsd: dollars(cost - state.cost),
            },
          },
        ];
  const error = line.is_error === true ? (line.result ?? line.errors?.join('\n') ?? 'It failed.') : undefined;
  return {
    state: { ...state, cost },
    events,
    result: {
      error,
      aborted: line.terminal_reason?.startsWith('aborted') === true,
      byItself: line.origin?.kind === 'task-notification',
    },
  };
}
