/**
 * What a client hears: stored events in order without a gap, and what is shown and not kept, gathered for one
 * frame of a screen (`DELTA_MS`).
 *
 * Owns: what is gathered and not yet sent. Does not own: the events.
 * H2 What is shown carries the number of the newest stored event that was sent.
 * H1 What was gathered before a stored event is sent before it.
 */
import { DELTA_MS, type BelayEvent, type DataOf, type SessionId, type TurnId } from '../../protocol';
import type { Clock, Timer } from '../base/clock';

/** What is put together of the pieces that were shown in a turn. */
export interface Streaming {
  /** Of the answer under way, in one step. */
  readonly answer: { readonly step: number; readonly reasoning: string; readonly text: string } | undefined;
  /** The end of what each running call has printed, by call id. */
  readonly outputs: ReadonlyMap<string, string>;
}

export type Shown = 'text_delta' | 'reasoning_delta' | 'tool_progress' | 'store_changed' | 'unsaved_changed';

interface Gathered {
  readonly key: string;
  event: BelayEvent;
}

export interface Hub {
  publish(events: readonly BelayEvent[]): void;
  show<T extends Shown>(
    type: T,
    data: DataOf<T>,
    where: { readonly session?: SessionId; readonly turn?: TurnId },
  ): void;
  /** What was shown so far of what is under way in a turn; the client has been sent all of it. */
  streamed(turn: TurnId): Streaming | undefined;
  /** From now on `send` gets every event behind `seq`. */
  subscribe(seq: number): void;
  /** Number of the newest stored event that was sent; undefined before the client has subscribed. */
  readonly seq: number | undefined;
  dispose(): void;
}

export function createHub(
  clock: Clock,
  send: (event: BelayEvent) => void,
  streamed: (turn: TurnId) => Streaming | undefined,
): Hub {
  let subscribed = false;
  let last = 0;
  let gathered: Gathered[] = [];
  let timer: Timer | undefined;

  const flush = () => {
    timer?.clear();
    timer = undefined;
    const events = gathered;
    gathered = [];
    for (const { event } of events) send(event);
  };

  return {
    publish(events) {
      if (!subscribed) return;
      flush();
      for (const event of events) {
        // A snapshot may have held it already.
        if (event.seq <= last) continue;
        last = event.seq;
        send(event);
      }
    },
    show(type, data, where) {
      if (!subscribed) return;
      const event = { seq: last, at: clock.now(), type, data, ...where };
      if (!isEvent(event)) return;
      const key = keyOf(event);
      const newest = gathered.at(-1);
      if (newest?.key === key) newest.event = joined(newest.event, event);
      else gathered.push({ key, event });
      timer ??= clock.after(DELTA_MS, flush);
    },
    streamed(turn) {
      flush();
      return streamed(turn);
    },
    subscribe(seq) {
      flush();
      last = seq;
      subscribed = true;
    },
    get seq() {
      return subscribed ? last : undefined;
    },
    dispose() {
      timer?.clear();
      gathered = [];
      subscribed = false;
    },
  };
}

/** An event is made of a type and the data that belongs to it; the compiler can't see it through the parameter. */
export const isEvent = (event: { readonly seq: number }): event is BelayEvent => event.seq >= 0;

function keyOf(event: BelayEvent): string {
  switch (event.type) {
    case 'text_delta':
    case 'reasoning_delta':
      return `${event.type}:${event.turn ?? ''}:${String(event.data.step)}`;
    case 'tool_progress':
      return `${event.type}:${event.turn ?? ''}:${event.data.call_id}:${event.data.stream}`;
    case 'unsaved_changed':
      return event.type;
    default:
      return `${event.type}:${String(event.at)}`;
  }
}

function joined(first: BelayEvent, second: BelayEvent): BelayEvent {
  if (first.type === 'text_delta' && second.type === 'text_delta')
    return { ...first, data: { ...first.data, text: first.data.text + second.data.text } };
  if (first.type === 'reasoning_delta' && second.type === 'reasoning_delta')
    return { ...first, data: { ...first.data, text: first.data.text + second.data.text } };
  if (first.type === 'tool_progress' && second.type === 'tool_progress')
    return { ...first, data: { ...first.data, text: first.data.text + second.data.text } };
  return second;
}
