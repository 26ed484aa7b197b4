/**
 * Turns as a fold of their events, the same for the host and for every client. It knows schemas by their types
 * alone, so that a page that folds does not carry them.
 */
import type { BelayEvent, DataOf } from './events';
import type { CallPart, CallState, Part, TurnView } from './transcript';
import { whoWaits } from './whoWaits';

/** Bytes of live output that a card keeps while a call runs; older text is dropped until the result comes. */
export const LIVE_OUTPUT = 16 * 1024;

/** Where each call stands among the parts; looked up again when what stands there is another. */
const places = new WeakMap<readonly Part[], Map<string, number>>();

function placeOf(parts: readonly Part[], id: string): number | undefined {
  const known = places.get(parts) ?? new Map<string, number>();
  const at = known.get(id);
  const there = at === undefined ? undefined : parts[at];
  if (there?.kind === 'call' && there.call_id === id) return at;
  known.clear();
  parts.forEach((part, index) => {
    if (part.kind === 'call') known.set(part.call_id, index);
  });
  places.set(parts, known);
  return known.get(id);
}

/** Parts as they may be changed: those that nobody else holds in place, others in a copy that is found in as well. */
function changeable(view: TurnView, own: boolean): TurnView {
  if (own) return view;
  const parts = [...view.parts];
  const known = places.get(view.parts);
  if (known !== undefined) places.set(parts, known);
  return { ...view, parts };
}

function append(view: TurnView, own: boolean, ...more: readonly Part[]): TurnView {
  const next = changeable(view, own);
  for (const part of more) {
    if (part.kind === 'call') places.get(next.parts)?.set(part.call_id, next.parts.length);
    next.parts.push(part);
  }
  return next;
}

function replaceCall(
  view: TurnView,
  own: boolean,
  id: string,
  change: (call: CallPart) => CallPart,
): TurnView {
  const at = placeOf(view.parts, id);
  const call = at === undefined ? undefined : view.parts[at];
  if (at === undefined || call?.kind !== 'call') return view;
  const next = changeable(view, own);
  next.parts[at] = change(call);
  return next;
}

/** Adds streamed text to the part of this step, or begins it. */
const stream = (view: TurnView, kind: 'text' | 'reasoning', step: number, text: string): TurnView => {
  const last = view.parts.at(-1);
  if (last?.kind === kind && last.step === step && last.streaming) {
    return { ...view, parts: [...view.parts.slice(0, -1), { ...last, text: last.text + text }] };
  }
  return { ...view, parts: [...view.parts, { kind, step, text, streaming: true }] };
};

/** Puts the stored answer of a step in the place of what was streamed of it. */
const complete = (view: TurnView, event: Extract<BelayEvent, { type: 'message_completed' }>): TurnView => {
  const { step, text, reasoning, partial } = event.data;
  const kept = view.parts.filter(
    (part) => !((part.kind === 'text' || part.kind === 'reasoning') && part.step === step && part.streaming),
  );
  const parts: Part[] = [...kept];
  if (reasoning !== undefined && reasoning !== '')
    parts.push({ kind: 'reasoning', step, text: reasoning, streaming: false });
  if (text !== '' || partial === true)
    parts.push({ kind: 'text', step, text, streaming: false, ...(partial === true ? { partial } : {}) });
  return { ...view, parts };
};

/** A failed attempt's streamed text is dropped: the next attempt begins anew. */
const dropStreaming = (view: TurnView): TurnView => ({
  ...view,
  parts: view.parts.filter(
    (part) => !((part.kind === 'text' || part.kind === 'reasoning') && part.streaming),
  ),
});

/** Folds one event of this turn's session into a turn. Total: an event that does not concern it changes nothing. */
const reduceTurn = (view: TurnView, event: BelayEvent, own: boolean): TurnView =>
  reduceParts(whoWaits(view, event), event, own);

function reduceParts(view: TurnView, event: BelayEvent, own: boolean): TurnView {
  switch (event.type) {
    case 'message_read':
      return {
        ...view,
        parts: [
          ...view.parts,
          {
            kind: 'message',
            message: event.data.message,
            step: event.data.step,
            text: event.data.text,
            at: event.at,
            ...(event.data.images === undefined ? {} : { images: event.data.images }),
            ...(event.data.context === undefined ? {} : { context: event.data.context }),
          },
        ],
      };
    case 'project_read':
      return { ...view, parts: [...view.parts, { kind: 'project', at: event.at, ...event.data }] };
    case 'turn_waiting':
      return { ...unpaced(view), status: 'waiting' };
    case 'turn_resumed':
      return { ...unpaced(view), status: 'running' };
    case 'turn_paced':
      return { ...view, status: 'paced', paced: event.data };
    case 'turn_paused':
      return { ...unpaced(view), status: 'paused' };
    case 'turn_ended':
      return {
        ...dropStreaming(unpaced(view)),
        status: event.data.status,
        endedAt: event.at,
        usage: event.data.usage,
        ...(event.data.code === undefined ? {} : { code: event.data.code }),
        ...(event.data.detail === undefined ? {} : { detail: event.data.detail }),
        ...(event.data.stoppedBy === undefined ? {} : { stoppedBy: event.data.stoppedBy }),
      };
    case 'agent_resumed':
    case 'agent_work_killed':
      return {
        ...view,
        parts: [
          ...view.parts,
          {
            kind: 'killed_work',
            killed: event.data.killed,
            resumed: event.type === 'agent_resumed',
            at: event.at,
          },
        ],
      };
    case 'text_delta':
      return stream(view, 'text', event.data.step, event.data.text);
    case 'reasoning_delta':
      return stream(view, 'reasoning', event.data.step, event.data.text);
    case 'message_completed':
      return complete(view, event);
    case 'model_retry':
      return {
        ...dropStreaming(view),
        parts: [...dropStreaming(view).parts, { kind: 'retry', at: event.at, ...event.data }],
      };
    case 'calls_planned':
      return append(
        view,
        own,
        ...event.data.calls.map((call) => ({
          kind: 'call' as const,
          step: event.data.step,
          state: 'planned' as const,
          call_id: call.call_id,
          ...(call.parent === undefined ? {} : { parent: call.parent }),
          tool: call.tool,
          title: call.title,
          args: call.args,
        })),
      );
    case 'approval_requested':
      return replaceCall(view, own, event.data.call_id, (call) =>
        call.state === 'lifted' ? call : { ...call, state: 'asking', asks: 'approval' },
      );
    case 'approval_answered':
      return replaceCall(view, own, event.data.call_id, (call) => ({
        ...editedCall(call, event.data.edited),
        state: call.state === 'asking' && event.data.decision === 'allow' ? 'allowed' : call.state,
        verdict: {
          decision: event.data.decision,
          by: event.data.by,
          at: event.at,
          ...(event.data.reason === undefined ? {} : { reason: event.data.reason }),
        },
      }));
    case 'approval_closed':
    case 'question_closed':
      return replaceCall(view, own, event.data.call_id, (call) =>
        call.state === 'asking' ? { ...call, state: 'planned' } : call,
      );
    case 'question_asked':
      return replaceCall(view, own, event.data.call_id, (call) =>
        call.state === 'lifted' ? call : { ...call, state: 'asking', asks: 'answer' },
      );
    case 'tool_started':
      return replaceCall(view, own, event.data.call_id, (call) => ({
        ...editedCall(call, event.data.edited),
        state: 'running',
        startedAt: event.at,
        ...(event.data.rule === undefined ? {} : { rule: event.data.rule }),
      }));
    case 'tool_progress':
      return replaceCall(view, own, event.data.call_id, (call) =>
        call.state === 'running'
          ? { ...call, output: ((call.output ?? '') + event.data.text).slice(-LIVE_OUTPUT) }
          : call,
      );
    case 'tool_completed':
      return replaceCall(view, own, event.data.call_id, (call) => {
        const { output: _live, ...rest } = call;
        return {
          ...rest,
          state: call.state === 'lifted' ? 'lifted' : completedState(event.data.failed, event.data.result),
          result: event.data.result,
          endedAt: event.at,
          ...(event.data.images === undefined ? {} : { images: event.data.images }),
        };
      });
    case 'file_changed': {
      const { path, kind } = event.data;
      const changes = view.changes ?? [];
      return changes.some((change) => change.path === path)
        ? view
        : { ...view, changes: [...changes, { path, kind }] };
    }
    case 'changes_reverted': {
      const back = new Set(event.data.paths);
      return { ...view, changes: (view.changes ?? []).filter((change) => !back.has(change.path)) };
    }
    case 'call_lifted': {
      const { call_id, handle, title, waits_for, edited } = event.data;
      const lifted = replaceCall(view, own, call_id, (call) => ({
        ...editedCall(call, edited),
        state: 'lifted',
        handle,
      }));
      return {
        ...lifted,
        parts: [
          ...lifted.parts,
          {
            kind: 'lift',
            call_id,
            handle,
            title,
            at: event.at,
            ...(waits_for === undefined ? {} : { waits_for }),
          },
        ],
      };
    }
    case 'lifted_ended': {
      const { call_id, handle, outcome, edited } = event.data;
      const next = replaceCall(view, own, call_id, (call) => editedCall(call, edited));
      const call = next.parts.find((part) => part.kind === 'call' && part.call_id === call_id);
      if (call?.kind !== 'call') return view;
      const by = event.data.approvals?.[0]?.by;
      const end = {
        call_id,
        handle,
        title: call.title,
        outcome,
        at: event.at,
        ...(by === undefined ? {} : { by }),
      };
      return { ...next, parts: [...next.parts, { kind: 'lifted_end', ...end }] };
    }
    case 'handle_started':
      return replaceCall(view, own, event.data.content.call, (call) => ({
        ...call,
        handle: event.data.handle,
      }));
    case 'handle_ended': {
      const { handle, call_id, survivors: _alive, ...how } = event.data;
      const call = view.parts.find(
        (part) =>
          part.kind === 'call' && (call_id === undefined ? part.handle === handle : part.call_id === call_id),
      );
      if (call?.kind !== 'call') return view;
      return replaceCall(view, own, call.call_id, (part) => ({
        ...part,
        handle_end: { ...how, at: event.at },
      }));
    }
    case 'note_told':
      return {
        ...view,
        parts: [
          ...view.parts,
          { kind: 'note', handle: event.data.handle, text: event.data.text, at: event.at },
        ],
      };
    case 'usage_recorded':
      return { ...view, context: contextOf(event.data) };
    case 'compaction_asked':
      return { ...view, parts: [...view.parts, { kind: 'compaction_asked', at: event.at, ...event.data }] };
    case 'compacted': {
      const { context: _before, ...rest } = view;
      return {
        ...rest,
        parts: [...view.parts, { kind: 'compacted', summary: event.data.summary, at: event.at }],
      };
    }
    case 'session_created':
    case 'session_updated':
    case 'session_deleted':
    case 'message_accepted':
    case 'message_edited':
    case 'message_removed':
    case 'messages_reordered':
    case 'message_handed':
    case 'turn_started':
    case 'question_taken':
    case 'question_released':
    case 'question_answered':
    case 'host_paused':
    case 'host_quiet':
    case 'host_resumed':
    case 'turns_pruned':
    case 'server_changed':
    case 'rule_changed':
    case 'store_changed':
    case 'unsaved_changed':
      return view;
  }
}

function editedCall(call: CallPart, edited: DataOf<'approval_answered'>['edited']): CallPart {
  if (edited === undefined) return call;
  const { edited: _before, ...rest } = call;
  const { from, to, title, args } = edited;
  return { ...rest, title, args, ...(from === to ? {} : { edited: { from, to } }) };
}

const contextOf = ({ model, usage }: DataOf<'usage_recorded'>): NonNullable<TurnView['context']> => ({
  model,
  tokens: usage.inputTokens + usage.outputTokens,
});

const DENIED = new Set(['approval_denied', 'approval_lapsed', 'withdrawn']);

function completedState(failed: boolean, result: unknown): CallState {
  if (typeof result === 'object' && result !== null && 'error' in result) {
    if (typeof result.error === 'string' && DENIED.has(result.error)) return 'denied';
    return 'failed';
  }
  return failed ? 'failed' : 'completed';
}

/** Folds the events of one session, in order, into its turns; `turn_started` opens one. */
export function reduceTranscript(turns: readonly TurnView[], event: BelayEvent): readonly TurnView[] {
  return reduceTurns(turns, event, false);
}

/** All turns of these events, in time that grows with their number: nobody else sees the turns meanwhile. */
export function foldTranscript(
  events: Iterable<BelayEvent>,
  before: readonly TurnView[] = [],
): readonly TurnView[] {
  let turns = before;
  for (const event of events) turns = reduceTurns(turns, event, true);
  return turns;
}

/** `own` says that nobody else holds the turns: their parts are changed in place. */
function reduceTurns(turns: readonly TurnView[], event: BelayEvent, own: boolean): readonly TurnView[] {
  if (event.type === 'turns_pruned') {
    const gone = new Set(event.data.turns);
    return turns.some((view) => gone.has(view.turn)) ? turns.filter((view) => !gone.has(view.turn)) : turns;
  }
  if (event.turn === undefined || event.session === undefined) return turns;
  const turn = event.turn;
  if (event.type === 'turn_started') {
    if (turns.some((view) => view.turn === turn)) return turns;
    return [
      ...turns,
      {
        turn,
        session: event.session,
        status: 'running',
        model: event.data.model,
        cause: event.data.cause,
        startedAt: event.at,
        parts: [],
      },
    ];
  }
  const index = turns.findLastIndex((view) => view.turn === turn);
  const view = turns[index];
  if (view === undefined) return turns;
  const next = reduceTurn(view, event, own);
  return next === view ? turns : [...turns.slice(0, index), next, ...turns.slice(index + 1)];
}

function unpaced(view: TurnView): TurnView {
  const { paced: _paced, ...rest } = view;
  return rest;
}
