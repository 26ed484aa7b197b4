/** For how long a turn waits for a person, as a part of the fold of its events. Types alone, as the fold is. */
import type { BelayEvent } from './events';
import type { CallId } from './ids';
import type { TurnView } from './transcript';

/** A call of it waits for a person from now on. */
function asks(view: TurnView, call: CallId, at: number): TurnView {
  const { calls, since } = view.asks ?? { calls: [], since: at };
  return { ...view, asks: { calls: [...calls.filter((one) => one !== call), call], since } };
}

/** A call, or with none the whole turn, waits for nobody any more. */
function asked(view: TurnView, at: number, call?: CallId): TurnView {
  if (view.asks === undefined) return view;
  const { asks: before, ...rest } = view;
  const calls = call === undefined ? [] : before.calls.filter((one) => one !== call);
  if (calls.length > 0) return { ...view, asks: { ...before, calls } };
  return { ...rest, waitedMs: (view.waitedMs ?? 0) + Math.max(0, at - before.since) };
}

/** What of an event begins or ends a wait for a person. */
export function whoWaits(view: TurnView, event: BelayEvent): TurnView {
  switch (event.type) {
    case 'approval_requested':
      return event.data.handle === undefined ? asks(view, event.data.call_id, event.at) : view;
    case 'question_asked':
      return event.data.handle === undefined && event.data.person !== false
        ? asks(view, event.data.call_id, event.at)
        : view;
    case 'approval_answered':
    case 'approval_closed':
    case 'question_answered':
    case 'question_closed':
    case 'call_lifted':
    case 'tool_completed':
      return asked(view, event.at, event.data.call_id);
    case 'turn_ended':
      return asked(view, event.at);
    default:
      return view;
  }
}
