/** Belay's events as updates of an ACP session. Pure. Calls are keyed by turn and call, so no two turns share one (H8). */
import type { SessionUpdate, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk';
import type { Preview } from '../protocol/approval';
import type { BelayEvent } from '../protocol/events';
import type { TurnView } from '../protocol/transcript';

export const callKey = (turn: string, call: string): string => `${turn}/${call}`;

const text = (value: string) => ({ type: 'text' as const, text: value });
const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);
const content = (value: unknown): ToolCallContent[] => [{ type: 'content', content: text(shown(value)) }];

const KINDS = new Map<string, ToolKind>([
  ['read', 'read'],
  ['list', 'read'],
  ['history', 'read'],
  ['find', 'search'],
  ['search', 'search'],
  ['write', 'edit'],
  ['edit', 'edit'],
  ['shell', 'execute'],
  ['terminal', 'execute'],
  ['write_stdin', 'execute'],
  ['exec', 'execute'],
]);
export const kindOf = (tool: string): ToolKind => KINDS.get(tool) ?? 'other';

/** What a client is shown of an event; a lifted call stays in progress until it has its own end. */
export function updatesOf(
  event: BelayEvent,
  liftedCall: (handle: string) => string | undefined,
): SessionUpdate[] {
  const turn = event.turn ?? '';
  switch (event.type) {
    case 'text_delta':
      return [{ sessionUpdate: 'agent_message_chunk', content: text(event.data.text) }];
    case 'reasoning_delta':
      return [{ sessionUpdate: 'agent_thought_chunk', content: text(event.data.text) }];
    case 'calls_planned':
      return event.data.calls.map((call) => ({
        sessionUpdate: 'tool_call',
        toolCallId: callKey(turn, call.call_id),
        title: call.title,
        kind: kindOf(call.tool),
        status: 'pending',
        rawInput: call.args,
      }));
    case 'tool_started':
      return [changed(turn, event.data.call_id, { status: 'in_progress' })];
    case 'tool_completed':
      return [
        changed(turn, event.data.call_id, {
          status: event.data.failed ? 'failed' : 'completed',
          content: content(event.data.result),
          rawOutput: event.data.result,
        }),
      ];
    case 'call_lifted':
      return [
        changed(turn, event.data.call_id, {
          status: 'in_progress',
          content: content(`${event.data.handle}: it waits in the background.`),
        }),
      ];
    case 'lifted_ended':
      if (event.data.outcome === 'allowed') return [];
      return [
        changed(turn, event.data.call_id, {
          status: event.data.failed === true ? 'failed' : 'completed',
          content: content(event.data.result ?? event.data.outcome),
        }),
      ];
    case 'handle_ended': {
      const toolCallId = liftedCall(event.data.handle);
      if (toolCallId === undefined) return [];
      const isWell =
        event.data.end === 'completed' || event.data.end === 'exited' || event.data.end === 'answered';
      return [{ sessionUpdate: 'tool_call_update', toolCallId, status: isWell ? 'completed' : 'failed' }];
    }
    default:
      return [];
  }
}

type Change = Omit<
  Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>,
  'sessionUpdate' | 'toolCallId'
>;

const changed = (turn: string, call: string, change: Change): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: callKey(turn, call),
  ...change,
});

/** What a thread that comes back is shown of an earlier turn. */
export function replayOf(view: TurnView): SessionUpdate[] {
  return view.parts.flatMap((part): SessionUpdate[] => {
    switch (part.kind) {
      case 'message':
        return [{ sessionUpdate: 'user_message_chunk', content: text(part.text) }];
      case 'text':
        return [{ sessionUpdate: 'agent_message_chunk', content: text(part.text) }];
      case 'reasoning':
        return [{ sessionUpdate: 'agent_thought_chunk', content: text(part.text) }];
      case 'call':
        return [
          {
            sessionUpdate: 'tool_call',
            toolCallId: callKey(view.turn, part.call_id),
            title: part.title,
            kind: kindOf(part.tool),
            status: STATUS[part.state] ?? 'in_progress',
            rawInput: part.args,
            ...(part.result === undefined ? {} : { content: content(part.result) }),
          },
        ];
      default:
        return [];
    }
  });
}

const STATUS: Readonly<Record<string, 'pending' | 'completed' | 'failed'>> = {
  planned: 'pending',
  asking: 'pending',
  completed: 'completed',
  failed: 'failed',
  denied: 'failed',
};

export function previewOf(preview: Preview, title: string): ToolCallContent[] {
  switch (preview.kind) {
    case 'diff':
      return content(preview.diff);
    case 'command':
      return content(preview.command);
    case 'text':
      return content(preview.text);
    case 'arguments':
      return content(title);
  }
}
