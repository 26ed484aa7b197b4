/** Turns: started by a message, carried on by `proceed`, ended once with every call settled (T5). */
import { say, type SessionId, type StoppedBy, type TurnCode, type TurnId } from '../../../protocol';
import type { CallRecord, MessageRecord, SessionRecord, TurnRecord } from '../records';
import { keepAsked } from './agentTools';
import { UNTRUSTED_WORDS } from '../turns/agentRun';
import { spent } from '../turns/budget';
import { blockingCall, whatNext } from '../turns/loop';
import { hasEnded, nextTurn } from '../turns/turn';
import { recordOf } from './agents';
import { callsOf, isAtWork } from './agentLive';
import { failure, isPrepared, recordResult, refusedNow, settleCall, startCalls, where } from './calls';
import type { Core, Job } from './core';
import { unfinished } from './handedOver';
import { lift, startInBackground, wantsBackground } from './lifts';
import { nextStart, waitingMessages } from './nextStart';
import { answerOwn } from './own';
import { notATerminal, startLook, startTerminal } from './terminals';

/** Starts a turn of an idle session and carries it to its first effect, all in the caller's commit. */
export function startTurn(
  core: Core,
  job: Job,
  session: SessionId,
  cause: TurnRecord['cause'],
): TurnRecord | undefined {
  const row = job.tx.session(session);
  if (row === undefined || row.turn !== undefined) return undefined;
  const turn = openTurn(job, row, cause);
  readMessages(job, turn, startingMessages(waitingMessages(job.tx, session)));
  tellReports(job, turn.session, turn.id, 0);
  if (row.agent.kind === 'harness') beginRun(core, job, turn);
  else proceed(core, job, turn.id);
  return turn;
}

/** A turn for what an outside agent does without having been prompted. */
export function startWoken(job: Job, session: SessionId): TurnRecord | undefined {
  const row = job.tx.session(session);
  if (row === undefined || row.turn !== undefined || row.agent.kind !== 'harness') return undefined;
  const turn = openTurn(job, row, 'wake');
  job.tx.changeTurn(turn.id, { phase: 'agent' });
  return turn;
}

function openTurn(job: Job, row: SessionRecord, cause: TurnRecord['cause']): TurnRecord {
  const turn = job.tx.insertTurn({
    session: row.id,
    cause,
    model: nameOf(row.agent),
    mode: row.mode,
    folder: row.folder,
  });
  job.tx.changeSession(row.id, { turn: turn.id, updatedAt: job.tx.now });
  job.tx.emit('turn_started', { turn: turn.id, model: turn.model, cause }, where(turn));
  return turn;
}

const nameOf = (agent: SessionRecord['agent']): string => {
  if (agent.kind === 'model') return agent.model;
  return agent.model === undefined ? agent.harness : `${agent.harness}/${agent.model}`;
};

/** What a new turn reads: the first unread message, and the steers that follow it. */
function startingMessages(unread: readonly MessageRecord[]): readonly MessageRecord[] {
  const rest = unread.slice(1);
  const end = rest.findIndex((message) => message.delivery === 'queue');
  return [...unread.slice(0, 1), ...(end === -1 ? rest : rest.slice(0, end))];
}

function readMessages(job: Job, turn: TurnRecord, messages: readonly MessageRecord[]): void {
  keepForAgent(job, turn, { messages: messages.map((message) => message.id) });
  for (const message of messages) {
    job.tx.changeMessage(message.id, { state: 'read', turn: turn.id, step: turn.rounds });
    job.tx.emit(
      'message_read',
      {
        message: message.id,
        step: turn.rounds,
        text: message.text,
        ...(message.images.length === 0 ? {} : { images: [...message.images] }),
        ...(message.context.length === 0 ? {} : { context: [...message.context] }),
      },
      where(turn),
    );
  }
}

/** What a turn has read is kept for its outside agent until that has had it. */
function keepForAgent(
  job: Job,
  turn: Pick<TurnRecord, 'session'>,
  more: { readonly messages?: readonly MessageRecord['id'][]; readonly notes?: readonly string[] },
): void {
  const session = job.tx.session(turn.session);
  if (session?.agent.kind !== 'harness') return;
  const { messages = [], notes = [] } = more;
  if (messages.length === 0 && notes.length === 0) return;
  const kept = recordOf(job.tx, session);
  job.tx.setHarness(session.id, {
    ...kept,
    messages: [...kept.messages, ...messages],
    notes: [...kept.notes, ...notes],
  });
}

/** Tells the agent of handles that have ended since it last heard (L10). */
export function tellReports(job: Job, session: SessionId, turn: TurnId, step: number): void {
  const reports = job.tx.reports(session);
  if (reports.length === 0) return;
  keepForAgent(job, { session }, { notes: reports.map((report) => report.text) });
  for (const report of reports)
    job.tx.emit('note_told', { handle: report.handle, text: report.text, step }, { session, turn });
  job.tx.clearReports(session);
}

/** Carries a turn on as far as it goes without waiting. Called after every fact; calling it twice is harmless. */
export function proceed(core: Core, job: Job, id: TurnId): void {
  while (!core.stopping) {
    const turn = job.tx.turn(id);
    if (turn === undefined) return;
    const calls = callsOf(job.tx, turn);
    const next = whatNext({
      status: turn.status,
      phase: turn.phase,
      rounds: turn.rounds,
      roundLimit: core.settings().roundsPerTurn,
      isSpent: spent(core.settings(), turn.usage) !== undefined,
      calls,
      unreadSteer: job.tx.hasUnreadSteer(turn.session),
      cordPulled: core.cord.pulled,
      agentAtWork: isAtWork(core, turn),
    });
    switch (next.kind) {
      case 'wait':
        if (settleIntoWaiting(core, job, turn, calls)) continue;
        return;
      case 'hold':
        pauseTurn(job, turn);
        return;
      case 'refuse':
        resume(job, turn);
        if (!isPrepared(next.call.prepared))
          settleCall(
            core,
            job,
            turn,
            next.call,
            failure(next.call.prepared.error, next.call.prepared.detail),
            false,
          );
        continue;
      case 'own':
        resume(job, turn);
        answerOwn(core, job, turn, next.call);
        continue;
      case 'start':
        resume(job, turn);
        if (startSome(core, job, turn, next.calls)) continue;
        return;
      case 'model':
        toModel(core, job, turn);
        return;
      case 'agent':
        beginRun(core, job, turn);
        return;
      case 'end':
        endTurn(core, job, turn, next.status, next.code, whyEnded(core, turn, next.code));
        return;
    }
  }
}

function whyEnded(core: Core, { usage }: TurnRecord, code: TurnCode | undefined): string | undefined {
  if (code === 'budget_limit') return spent(core.settings(), usage);
  return code === 'round_limit'
    ? say('It asked the model {rounds} times, the most that one turn may.', {
        rounds: core.settings().roundsPerTurn,
      })
    : undefined;
}

/** Starts calls; true when the turn can go on at once because they run in the background. */
function startSome(core: Core, job: Job, turn: TurnRecord, calls: readonly CallRecord[]): boolean {
  for (const call of calls) {
    const refused = refusedNow(core, job, turn, call);
    if (refused === undefined) continue;
    settleCall(core, job, turn, call, refused, false);
    return true;
  }
  const first = calls[0];
  if (first !== undefined && isPrepared(first.prepared)) {
    if (first.tool === 'write_stdin') return startWrite(core, job, turn, first);
    const steered = turn.lifting && first.prepared.liftable;
    if (first.prepared.opens !== undefined && !steered) {
      startTerminal(core, job, turn, first);
      return false;
    }
    if (steered || wantsBackground(first.prepared)) {
      startInBackground(core, job, turn, first, steered);
      return true;
    }
  }
  startCalls(core, job, turn, calls);
  if (
    first !== undefined &&
    isPrepared(first.prepared) &&
    first.prepared.liftable &&
    job.tx.hasUnreadSteer(turn.session)
  )
    job.effects.push({ kind: 'grace', turn: turn.id });
  return false;
}

/** Types into a terminal; true when the turn can go on at once. */
function startWrite(core: Core, job: Job, turn: TurnRecord, call: CallRecord): boolean {
  const started = startLook(core, job, turn, call);
  if (!started) settleCall(core, job, turn, call, notATerminal(job, turn, call), false);
  return !started || liftedAtOnce(core, job, turn, call);
}

/** What must wait while a message waits to be read is lifted as well, at once (L5). */
function liftedAtOnce(core: Core, job: Job, turn: TurnRecord, call: CallRecord): boolean {
  const running = job.tx.call(turn.id, call.call);
  if (!turn.lifting || running?.status !== 'running' || !job.tx.hasUnreadSteer(turn.session)) return false;
  lift(core, job, turn, running);
  return true;
}

/** A run of the session's outside agent: what waits to be read goes with its prompt. */
export function beginRun(core: Core, job: Job, turn: TurnRecord): void {
  if (!core.trusted()) {
    endUntrusted(core, job, turn);
    return;
  }
  if (turn.phase === 'agent') {
    const steers = waitingMessages(job.tx, turn.session).filter((message) => message.delivery !== 'queue');
    readMessages(job, turn, steers);
    tellReports(job, turn.session, turn.id, turn.rounds);
  }
  resume(job, turn);
  job.tx.changeTurn(turn.id, { phase: 'agent' });
  job.effects.push({ kind: 'prompt_agent', turn: turn.id, launch: core.cord.launch() });
}

export function endUntrusted(core: Core, job: Job, turn: TurnRecord): void {
  endTurn(core, job, turn, 'failed', 'untrusted_workspace', UNTRUSTED_WORDS);
}

/** The boundary: what waits to be read is read now, then the model is asked. */
function toModel(core: Core, job: Job, turn: TurnRecord): void {
  resume(job, turn);
  if (!core.trusted()) {
    endUntrusted(core, job, turn);
    return;
  }
  if (turn.phase !== 'model') {
    readMessages(
      job,
      turn,
      job.tx.unread(turn.session).filter((message) => message.delivery !== 'queue'),
    );
    tellReports(job, turn.session, turn.id, turn.rounds);
    job.tx.changeTurn(turn.id, { phase: 'model', lifting: false });
    job.effects.push({ kind: 'unschedule', key: `grace:${turn.id}` });
  }
  job.effects.push({ kind: 'ask_model', turn: turn.id, attempt: 1, launch: core.cord.launch() });
}

export function resume(job: Job, turn: TurnRecord): void {
  if (turn.status === 'running' || hasEnded(turn.status)) return;
  job.tx.changeTurn(turn.id, { status: nextTurn(turn.status, 'resumed') });
  job.tx.emit('turn_resumed', {}, where(turn));
}

export function pauseTurn(job: Job, turn: TurnRecord): void {
  if (turn.status === 'paused' || hasEnded(turn.status)) return;
  job.tx.changeTurn(turn.id, { status: nextTurn(turn.status, 'paused') });
  job.tx.emit('turn_paused', {}, where(turn));
  job.effects.push({ kind: 'forget', turn: turn.id, session: turn.session });
}

/** The turn waits for a provider until then, ms since 1970; `code` says why, where that is still known. */
export function pace(job: Job, turn: TurnRecord, resumeAt: number, code?: TurnCode): void {
  job.tx.changeTurn(turn.id, { status: nextTurn(turn.status, 'paced') });
  job.tx.emit('turn_paced', { resumeAt, ...(code === undefined ? {} : { code }) }, where(turn));
}

/** The turn waits. True when a message that must be read now has lifted what it waited for. */
function settleIntoWaiting(core: Core, job: Job, turn: TurnRecord, calls: readonly CallRecord[]): boolean {
  if (turn.phase === 'agent') return waitWithAgent(core, job, turn, calls);
  const blocking = blockingCall(calls);
  if (blocking === undefined || turn.phase !== 'calls' || hasEnded(turn.status)) return false;
  const unread = job.tx.hasUnreadSteer(turn.session);
  if (turn.lifting && unread) {
    resume(job, turn);
    lift(core, job, turn, blocking);
    return true;
  }
  if (turn.status !== 'running' && turn.status !== 'paused') return false;
  // A steer that came before the wait began ends it as well, after the same grace (L1).
  if (unread && !core.cord.pulled) job.effects.push({ kind: 'grace', turn: turn.id });
  const isInMemory = turn.status === 'running' && blocking.asks !== 'handles';
  if (core.settings().holdMs === 0 || !isInMemory) park(job, turn, blocking);
  else job.effects.push({ kind: 'hold', turn: turn.id });
  return false;
}

/** A request of an outside agent waits: nothing is lifted by a message, which the agent has in hand (L1). */
function waitWithAgent(core: Core, job: Job, turn: TurnRecord, calls: readonly CallRecord[]): boolean {
  const asking = calls.find((call) => call.status === 'asking');
  if (asking === undefined) {
    if (isAtWork(core, turn)) resume(job, turn);
    return false;
  }
  if (turn.status !== 'running') return false;
  if (core.settings().holdMs === 0) park(job, turn, asking);
  else job.effects.push({ kind: 'hold', turn: turn.id });
  return false;
}

/** A parked turn costs a row and nothing else (R8). One that the cord has held waits for the person from now on. */
export function park(job: Job, turn: TurnRecord, call: CallRecord): void {
  if (turn.status === 'paused') resume(job, turn);
  const { status } = job.tx.turn(turn.id) ?? turn;
  job.tx.changeTurn(turn.id, { status: nextTurn(status, 'parked') });
  job.tx.emit('turn_waiting', { call_id: call.call, waits_for: call.asks ?? 'approval' }, where(turn));
  job.effects.push({ kind: 'forget', turn: turn.id, session: turn.session });
}

/** Ends a turn: every call of it has a result afterwards, and the next message in line starts the next turn. */
export function endTurn(...given: Parameters<typeof closeTurn>): void {
  const [core, job, turn] = given;
  closeTurn(...given);
  startNext(core, job, turn.session);
}

/** The same, and the session stays idle. */
export function closeTurn(
  core: Core,
  job: Job,
  turn: TurnRecord,
  status: 'completed' | 'failed' | 'interrupted',
  code?: TurnCode,
  detail?: string,
  stoppedBy?: StoppedBy,
): void {
  if (turn.phase === 'agent' && code !== 'cancelled') keepAsked(core, job, turn);
  // What has its result is not looked at: a turn whose past cannot be read ends all the same (R5).
  for (const call of job.tx.openCalls(turn.id)) {
    job.tx.clearWait(turn.id, call.call);
    if (call.asks === 'handles')
      job.effects.push({ kind: 'unschedule', key: `wait:${turn.id}/${call.call}` });
    const result = unfinished(job, call);
    recordResult(job, turn, call, result, result.output['error'] === 'outcome_unknown');
  }
  job.tx.changeTurn(turn.id, {
    status: nextTurn(turn.status, status),
    endedAt: job.tx.now,
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined ? {} : { detail }),
  });
  job.tx.changeSession(turn.session, { turn: undefined, updatedAt: job.tx.now });
  const usage = job.tx.turn(turn.id)?.usage ?? turn.usage;
  job.tx.emit(
    'turn_ended',
    {
      turn: turn.id,
      status,
      usage,
      ...(code === undefined ? {} : { code }),
      ...(detail === undefined ? {} : { detail }),
      ...(stoppedBy === undefined ? {} : { stoppedBy }),
    },
    where(turn),
  );
  for (const key of ['hold', 'grace', 'retry'])
    job.effects.push({ kind: 'unschedule', key: `${key}:${turn.id}` });
  job.effects.push({ kind: 'forget', turn: turn.id, session: turn.session });
}

/** Starts what an idle session goes on with by itself, if anything. */
export function startNext(core: Core, job: Job, session: SessionId): void {
  if (core.cord.pulled || core.stopping || !core.trusted()) return;
  const cause = nextStart(core, job.tx, session);
  if (cause === undefined) return;
  const last = job.tx.reports(session).at(-1);
  if (cause === 'wake' && last !== undefined) tellReports(job, session, last.turn, 0);
  startTurn(core, job, session, cause);
}
