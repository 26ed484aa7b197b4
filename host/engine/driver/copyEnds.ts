/**
 * What a copy of a session lacks: the ends of what was not over when it was made. Calls, requests and handles stay with
 * the session that they are of, so in the copy each of them ends, once, and says so to the person and to the model (R5).
 *
 * Owns: what of the past that was seen is not over. Pure.
 */
import {
  isTold,
  say,
  type CallId,
  type DataOf,
  type HandleId,
  type ToldEvent,
  type TurnId,
  type Usage,
} from '../../../protocol';

type Seen = Pick<ToldEvent, 'at' | 'type' | 'data'>;

interface OpenCall {
  readonly parent: CallId | undefined;
  readonly tool: string;
  readonly started: boolean;
}

interface SeenHandle {
  readonly call: CallId;
  readonly title: string;
  waits: boolean;
  end: string | undefined;
  endedAt: number;
  told: boolean;
}

/** What has stayed with the original, for the one who asked for the copy. */
export interface Stayed {
  readonly turns: number;
  readonly calls: number;
  readonly handles: number;
}

export interface Ends {
  see(event: Seen): void;
  /** Behind the last event of a turn: the ends that it lacks. */
  ofTurn(turn: TurnId, usage: Usage, at: number): readonly ToldEvent[];
  /** Behind the last turn: what the model has not been told of handles. */
  notes(at: number): readonly ToldEvent[];
  stayed(): Stayed;
}

const NOT_RUN = say('This call stayed with the session that this one was copied from: here it has not run.');
const AT_WORK = say(
  'This call was at work in the session that this one was copied from: what it did is not known here.',
);
const BROKEN_OFF = say('This turn had not ended when it was copied: it goes on where it was copied from.');

export function createEnds(): Ends {
  const calls = new Map<CallId, OpenCall>();
  const handles = new Map<HandleId, SeenHandle>();
  /** Handles of the turn that is being seen. */
  let ofTurn: HandleId[] = [];
  let isOver = false;
  /** When the model was last asked: what ended before that without a word, it knows of by itself. */
  let askedAt = 0;
  let newest = 0;
  const stayed = { turns: 0, calls: 0, handles: 0 };

  const begin = (id: HandleId, call: CallId, title: string, waits: boolean): void => {
    if (handles.has(id)) return;
    handles.set(id, { call, title, waits, end: undefined, endedAt: Infinity, told: false });
    ofTurn.push(id);
  };
  const told = (ids: readonly string[]): void => {
    for (const [id, handle] of handles) if (ids.includes(id)) handle.told = true;
  };

  function endHandle(id: HandleId, handle: SeenHandle, at: number): readonly ToldEvent[] {
    handle.end = handle.waits ? 'withdrawn' : 'lost';
    stayed.handles += 1;
    const ended = event(at, 'handle_ended', {
      handle: id,
      call_id: handle.call,
      end: handle.waits ? 'withdrawn' : 'lost',
    });
    if (!handle.waits) return [ended];
    const lifted = event(at, 'lifted_ended', {
      call_id: handle.call,
      handle: id,
      outcome: 'withdrawn',
      failed: true,
      result: { error: 'withdrawn', detail: NOT_RUN },
    });
    return [lifted, ended];
  }

  return {
    see: (one) => {
      if (isTold(one, 'message_completed')) askedAt = newest;
      newest = one.at;
      if (isTold(one, 'calls_planned'))
        for (const { call_id, parent, tool } of one.data.calls)
          calls.set(call_id, { parent, tool, started: false });
      else if (isTold(one, 'tool_started')) {
        const { call_id } = one.data;
        const call = calls.get(call_id);
        if (call !== undefined) calls.set(call_id, { ...call, started: true });
      } else if (isTold(one, 'tool_completed')) {
        calls.delete(one.data.call_id);
        if (one.data.tool === 'wait') told(collected(one.data.result));
      } else if (isTold(one, 'call_lifted')) {
        const { handle, call_id, title, waits_for } = one.data;
        calls.delete(call_id);
        begin(handle, call_id, title, waits_for !== undefined);
      } else if (isTold(one, 'handle_started'))
        begin(one.data.handle, one.data.content.call, one.data.content.title, false);
      else if (isTold(one, 'lifted_ended')) {
        const handle = handles.get(one.data.handle);
        if (handle !== undefined) handle.waits = one.data.waits_for !== undefined;
      } else if (isTold(one, 'handle_ended')) {
        const handle = handles.get(one.data.handle);
        if (handle !== undefined) Object.assign(handle, { end: one.data.end, endedAt: one.at });
      } else if (isTold(one, 'note_told')) told([one.data.handle]);
      else if (isTold(one, 'turn_ended')) isOver = true;
    },
    ofTurn: (turn, usage, at) => {
      const ends: ToldEvent[] = [];
      for (const [call_id, { parent, tool, started }] of calls) {
        const result = started
          ? { error: 'outcome_unknown', detail: AT_WORK }
          : { error: 'cancelled', detail: NOT_RUN };
        stayed.calls += 1;
        ends.push(
          event(at, 'tool_completed', {
            call_id,
            ...(parent === undefined ? {} : { parent }),
            tool,
            result,
            failed: true,
          }),
        );
      }
      if (!isOver) {
        stayed.turns += 1;
        ends.push(
          event(at, 'turn_ended', {
            turn,
            status: 'interrupted',
            code: 'cancelled',
            detail: BROKEN_OFF,
            usage,
          }),
        );
      }
      for (const id of ofTurn) {
        const handle = handles.get(id);
        if (handle !== undefined && handle.end === undefined) ends.push(...endHandle(id, handle, at));
      }
      calls.clear();
      ofTurn = [];
      isOver = false;
      return ends;
    },
    notes: (at) =>
      [...handles].flatMap(([id, handle]) =>
        handle.told || handle.endedAt < askedAt
          ? []
          : [event(at, 'note_told', { handle: id, text: noteOf(id, handle) })],
      ),
    stayed: () => ({ ...stayed }),
  };
}

/** The event that a broken-off turn's row agrees with. */
export const BROKEN = { status: 'interrupted', code: 'cancelled', detail: BROKEN_OFF } as const;

const noteOf = (id: HandleId, { title, end }: SeenHandle): string =>
  `[${id} "${title}": ${end === undefined ? 'unknown' : end.replace('_', ' ')}]\n` +
  'It belongs to the session that this one was copied from. Here it cannot be read, waited for or stopped, and ' +
  'nothing more will be told of it.';

/** The handles whose ends a `wait` has given. */
const collected = (result: unknown): readonly string[] =>
  typeof result === 'object' && result !== null && 'results' in result && typeof result.results === 'object'
    ? Object.keys(result.results ?? {})
    : [];

const event = <T extends ToldEvent['type']>(at: number, type: T, data: DataOf<T>): ToldEvent => ({
  at,
  type,
  data,
});

/** What was left out of a copy, as sentences. */
export function wordsOf({ turns, calls, handles }: Stayed): string[] {
  return [
    ...(turns === 0
      ? []
      : [say('A turn that had not ended stayed with the original: in the copy it ends as interrupted.')]),
    ...(calls === 0
      ? []
      : [
          say('Calls that wait or run stayed with the original ({count}): the copy says that of each.', {
            count: calls,
          }),
        ]),
    ...(handles === 0
      ? []
      : [
          say('Handles stayed with the original ({count}): in the copy they have ended.', { count: handles }),
        ]),
  ];
}
