import type { BelayEvent, DataOf } from './events';
import type { Need, Snapshot } from './host';
import type { Session } from './session';
import type { Handle } from './handle';
import type { Server } from './server';
import { ENDED_HANDLES_LISTED } from './limits';

/**
 * Folds one event into the lists. Host and clients fold the same function, so that a list computed from
 * events equals the list read from the store (A9). Events at or before `state.seq` change nothing; stored
 * events raise `seq`. A client that sees a gap subscribes again.
 */
export function reduceSnapshot(state: Snapshot, event: BelayEvent): Snapshot {
  const next = fold(state, event);
  return event.seq > next.seq ? { ...next, seq: event.seq } : next;
}

const ofNeed = (need: Need) => (need.kind === 'approval' ? need.approval : need.question);

/** The time on which the cord was pulled does not count for a request's own time. */
function afterPause(need: Need, pausedAt: number, at: number): Need {
  const { lapsesAt, askedAt } = ofNeed(need);
  if (lapsesAt === undefined) return need;
  // The own time of a request that was announced again began with that.
  const since = (need.kind === 'approval' ? need.approval.askedAgainAt : undefined) ?? askedAt;
  const later = lapsesAt + Math.max(0, at - Math.max(pausedAt, since));
  return need.kind === 'approval'
    ? { kind: 'approval', approval: { ...need.approval, lapsesAt: later } }
    : { kind: 'question', question: { ...need.question, lapsesAt: later } };
}

const dropNeed = (state: Snapshot, id: string): Snapshot => ({
  ...state,
  needs: state.needs.filter((need) => ofNeed(need).id !== id),
});

/** The handle of a call whose command was changed is named by the changed one. */
const renamed = (
  state: Snapshot,
  turn: string | undefined,
  { call_id, edited }: DataOf<'approval_answered'>,
): Snapshot =>
  edited === undefined
    ? state
    : {
        ...state,
        handles: state.handles.map((handle) =>
          handle.turn === turn && handle.call === call_id ? { ...handle, title: edited.title } : handle,
        ),
      };

const addNeed = (state: Snapshot, need: Need): Snapshot => {
  const known = state.needs.some((other) => ofNeed(other).id === ofNeed(need).id);
  if (!known) return { ...state, needs: [...state.needs, need] };
  // Announced again: it keeps its place, so that nothing moves under a pointer.
  return {
    ...state,
    needs: state.needs.map((other) => (ofNeed(other).id === ofNeed(need).id ? need : other)),
  };
};

const changeSession = (
  state: Snapshot,
  id: string | undefined,
  change: (session: Session) => Session,
): Snapshot => ({
  ...state,
  sessions: state.sessions.map((session) => (session.id === id ? change(session) : session)),
});

/** A handle keeps its place when it starts: the list is in the order of their numbers. */
const withHandle = (handles: readonly Handle[], handle: Handle): Handle[] =>
  handles.some((other) => other.id === handle.id)
    ? handles.map((other) => (other.id === handle.id ? handle : other))
    : [...handles, handle];

const changeHandle = (state: Snapshot, id: string, change: (handle: Handle) => Handle): Snapshot => ({
  ...state,
  handles: state.handles.map((handle) => (handle.id === id ? change(handle) : handle)),
});

/** Of those that have ended the newest stay; a list that is read anew may hold older ones where some were deleted. */
function withoutOldEnds(handles: readonly Handle[]): Handle[] {
  let over = handles.filter((handle) => handle.state === 'ended').length - ENDED_HANDLES_LISTED;
  return handles.filter((handle) => handle.state !== 'ended' || over-- <= 0);
}

/** A server keeps its place; one that is configured no longer goes. */
function withServer(servers: readonly Server[], id: string, server: Server | undefined): Server[] {
  if (server === undefined) return servers.filter((other) => other.id !== id);
  const known = servers.some((other) => other.id === id);
  return known ? servers.map((other) => (other.id === id ? server : other)) : [...servers, server];
}

function fold(state: Snapshot, event: BelayEvent): Snapshot {
  const { session, turn } = event;
  switch (event.type) {
    case 'session_created':
      return { ...state, sessions: [...state.sessions, event.data.session] };
    case 'session_updated':
      return changeSession(state, session, () => event.data.session);
    case 'session_deleted':
      return {
        ...state,
        sessions: state.sessions.filter((other) => other.id !== session),
        needs: state.needs.filter((need) => ofNeed(need).session !== session),
        handles: state.handles.filter((handle) => handle.session !== session),
        unread: state.unread.filter((message) => message.session !== session),
      };
    case 'message_accepted':
      return { ...state, unread: [...state.unread, event.data.content] };
    case 'message_edited':
      return {
        ...state,
        unread: state.unread.map((message) =>
          message.id === event.data.message ? { ...message, text: event.data.text } : message,
        ),
      };
    case 'message_handed':
      return {
        ...state,
        unread: state.unread.map((message) => {
          if (message.id !== event.data.message) return message;
          const { handed: _before, ...rest } = message;
          return event.data.reads === undefined ? rest : { ...rest, handed: event.data.reads };
        }),
      };
    case 'message_removed':
    case 'message_read':
      return { ...state, unread: state.unread.filter((message) => message.id !== event.data.message) };
    case 'messages_reordered': {
      const order = event.data.order;
      const own = order.flatMap((id) => state.unread.filter((message) => message.id === id));
      let place = 0;
      return {
        ...state,
        unread: state.unread.map((message) =>
          order.includes(message.id) ? (own[place++] ?? message) : message,
        ),
      };
    }
    case 'turn_started':
      return changeSession(state, session, (old) => {
        const { ended: _before, ...rest } = old;
        return { ...rest, state: 'running', turn: event.data.turn, updatedAt: event.at };
      });
    case 'turn_waiting':
      return changeSession(state, session, (old) => ({ ...old, state: 'waiting' }));
    case 'turn_resumed':
      return changeSession(state, session, (old) => ({ ...old, state: 'running' }));
    case 'turn_paced':
      return changeSession(state, session, (old) => ({ ...old, state: 'paced' }));
    case 'turn_paused':
      return changeSession(state, session, (old) => ({ ...old, state: 'paused' }));
    case 'turn_ended':
      return changeSession(state, session, (old) => {
        const { turn: _turn, ...rest } = old;
        return {
          ...rest,
          state: 'idle',
          updatedAt: event.at,
          ended: {
            turn: event.data.turn,
            status: event.data.status,
            at: event.at,
            ...(event.data.code === undefined ? {} : { code: event.data.code }),
          },
        };
      });
    case 'usage_recorded':
      return changeSession(state, session, (old) => ({
        ...old,
        usage: addUsage(old.usage, event.data.usage),
      }));
    case 'approval_requested': {
      if (session === undefined || turn === undefined) return state;
      const { call_id, ...rest } = event.data;
      return addNeed(state, { kind: 'approval', approval: { ...rest, session, turn, call: call_id } });
    }
    case 'question_asked': {
      if (session === undefined || turn === undefined || event.data.person === false) return state;
      const { call_id, ...rest } = event.data;
      return addNeed(state, { kind: 'question', question: { ...rest, session, turn, call: call_id } });
    }
    case 'approval_answered':
      return dropNeed(renamed(state, event.turn, event.data), event.data.id);
    case 'approval_closed':
    case 'question_answered':
    case 'question_closed':
      return dropNeed(state, event.data.id);
    case 'question_released':
      return {
        ...state,
        needs: state.needs.map((need) => {
          if (need.kind !== 'question' || need.question.id !== event.data.id) return need;
          const { owner: _gone, ...question } = need.question;
          return { kind: 'question', question };
        }),
      };
    case 'question_taken':
      return {
        ...state,
        needs: state.needs.map((need) =>
          need.kind === 'question' && need.question.id === event.data.id
            ? { kind: 'question', question: { ...need.question, owner: event.data.owner } }
            : need,
        ),
      };
    case 'call_lifted': {
      const { call_id, handle } = event.data;
      const link = <T extends { turn: string; call: string; parent?: string | undefined }>(request: T): T =>
        request.turn === turn && (request.call === call_id || request.parent === call_id)
          ? { ...request, handle }
          : request;
      return {
        ...state,
        needs: state.needs.map((need) =>
          need.kind === 'approval'
            ? { kind: 'approval', approval: link(need.approval) }
            : { kind: 'question', question: link(need.question) },
        ),
        handles: withHandle(state.handles, event.data.content),
      };
    }
    case 'lifted_ended':
      return event.data.outcome === 'allowed'
        ? changeHandle(state, event.data.handle, (handle) => {
            const { waitsFor: _waited, ...rest } = handle;
            return event.data.waits_for === undefined
              ? { ...rest, state: event.data.held === true ? 'held' : 'running' }
              : { ...rest, state: 'waiting', waitsFor: event.data.waits_for };
          })
        : state;
    case 'handle_started':
      return { ...state, handles: withHandle(state.handles, event.data.content) };
    case 'handle_ended': {
      const ended = changeHandle(state, event.data.handle, (handle) => {
        const { waitsFor: _waited, ...rest } = handle;
        return {
          ...rest,
          state: 'ended',
          endedAt: event.at,
          end: event.data.end,
          ...(event.data.exit_code === undefined ? {} : { exitCode: event.data.exit_code }),
          ...(event.data.signal === undefined ? {} : { signal: event.data.signal }),
        };
      });
      return { ...ended, handles: withoutOldEnds(ended.handles) };
    }
    case 'turns_pruned': {
      const gone = new Set(event.data.turns);
      return { ...state, handles: state.handles.filter((handle) => !gone.has(handle.turn)) };
    }
    case 'host_paused':
      return {
        ...state,
        host: {
          ...state.host,
          paused: true,
          epoch: event.data.epoch,
          ended: event.data.ended,
          quiet: false,
          pausedAt: event.data.pausedAt,
          pausedBy: event.data.by,
        },
      };
    case 'host_quiet':
      return { ...state, host: { ...state.host, quiet: true } };
    case 'host_resumed': {
      const { pausedAt: _at, pausedBy: _by, ...rest } = state.host;
      const { pausedAt } = event.data;
      return {
        ...state,
        host: { ...rest, paused: false, epoch: event.data.epoch, ended: [], quiet: true },
        needs: state.needs.map((need) => afterPause(need, pausedAt, event.at)),
      };
    }
    case 'server_changed':
      return { ...state, servers: withServer(state.servers, event.data.server, event.data.content) };
    case 'store_changed': {
      const { trouble: _old, ...rest } = state.host;
      const { trouble, readOnly } = event.data;
      return { ...state, host: { ...rest, readOnly, ...(trouble === undefined ? {} : { trouble }) } };
    }
    case 'unsaved_changed': {
      const { unsaved: _old, ...rest } = state.host;
      const { paths } = event.data;
      return { ...state, host: paths.length === 0 ? rest : { ...rest, unsaved: paths } };
    }
    case 'agent_resumed':
    case 'agent_work_killed':
    case 'model_retry':
    case 'text_delta':
    case 'reasoning_delta':
    case 'message_completed':
    case 'calls_planned':
    case 'tool_started':
    case 'tool_progress':
    case 'tool_completed':
    case 'file_changed':
    case 'changes_reverted':
    case 'note_told':
    case 'project_read':
    case 'compaction_asked':
    case 'compacted':
    case 'rule_changed':
      return state;
  }
}

/** Adds two usages; a cost is unknown until one of them names it. */
export function addUsage(a: Session['usage'], b: Session['usage']): Session['usage'] {
  const cost =
    a.costUsd === undefined && b.costUsd === undefined ? undefined : (a.costUsd ?? 0) + (b.costUsd ?? 0);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    ...(cost === undefined ? {} : { costUsd: cost }),
  };
}
