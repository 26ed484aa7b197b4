/**
 * Lifts and handles: work that outlives its call (L1–L13). One mechanism for every wait that the agent
 * started: the call is answered with a handle, and what it waited for goes on under it.
 */
import { z } from 'zod';
import { say, type HandleEnd, type WaitsFor } from '../../../protocol';
import { nextCall } from '../calls/call';
import { kindOf, nextHandle } from '../handles/handle';
import type { CallResult, Prepared } from '../ports';
import type { ApprovalRecord, CallRecord, HandleRecord, TurnRecord } from '../records';
import { editTold, handleView } from '../views';
import {
  asEdited,
  closeQuestion,
  closeSteps,
  failure,
  isPrepared,
  keepWhole,
  letBy,
  markStarted,
  outcomeOf,
  parentOf,
  refusedNow,
  where,
  withdraw,
} from './calls';
import type { Core, Job } from './core';
import { mayHaveRun } from './handedOver';
import { clientOf, putQuestion } from './questions';
import { reportOf, type EndDetails } from './report';
import { proceed, startNext } from './turns';
import { settleWait } from './own';
import { liftLook, terminalOf } from './terminals';

const Background = z.looseObject({ background: z.literal(true) });

/** Whether a call asks for the background by itself (X2). */
export const wantsBackground = (prepared: Prepared): boolean =>
  prepared.liftable && Background.safeParse(prepared.args).success;

/** Turns a wait into a handle: the handle's row, the request's link, the call's result and the event, in one commit (L4). */
export function lift(core: Core, job: Job, turn: TurnRecord, call: CallRecord): void {
  if (!isPrepared(call.prepared)) return;
  if (call.asks === 'handles') {
    settleWait(core, job, turn, call, 'steered');
    return;
  }
  const terminal = call.status === 'running' ? terminalOf(job, turn, call) : undefined;
  if (terminal !== undefined) {
    liftLook(job, turn, call, terminal);
    return;
  }
  const waitsFor: WaitsFor | undefined = call.status === 'running' ? undefined : (call.asks ?? 'approval');
  const handle = job.tx.insertHandle({
    session: turn.session,
    turn: turn.id,
    call: call.call,
    kind: kindOf(call.prepared),
    title: call.title,
    folder: turn.folder,
    lifted: true,
    state: waitsFor === undefined ? 'running' : 'waiting',
    waitsFor,
    ran: waitsFor === undefined,
  });
  if (waitsFor === 'approval') {
    const approval = job.tx.approvalOf(turn.id, call.call);
    if (approval !== undefined) job.tx.changeApproval(approval.id, { handle: handle.id });
  }
  if (waitsFor === 'answer') {
    const question = job.tx.questionOf(turn.id, call.call);
    if (question !== undefined) job.tx.changeQuestion(question.id, { handle: handle.id });
  }
  for (const step of job.tx.steps(turn.id, call.call)) {
    const approval = job.tx.approvalOf(turn.id, step.call);
    if (approval?.state === 'open') job.tx.changeApproval(approval.id, { handle: handle.id });
    const question = job.tx.questionOf(turn.id, step.call);
    if (question?.state === 'open') job.tx.changeQuestion(question.id, { handle: handle.id });
  }
  answerWithHandle(job, turn, call, handle, waitsFor, true);
  if (waitsFor === undefined) job.effects.push({ kind: 'detach', turn: turn.id, call: call.call });
}

/** Starts a call under a handle: because it asked for the background, or because a message must be read now (L5). */
export function startInBackground(
  core: Core,
  job: Job,
  turn: TurnRecord,
  call: CallRecord,
  steered: boolean,
): void {
  if (!isPrepared(call.prepared)) return;
  if (!steered) markStarted(job, turn, call, letBy(core, job, turn, call));
  const handle = job.tx.insertHandle({
    session: turn.session,
    turn: turn.id,
    call: call.call,
    kind: kindOf(call.prepared),
    title: call.title,
    folder: turn.folder,
    lifted: steered,
    state: 'running',
    waitsFor: undefined,
    ran: true,
  });
  if (steered) answerWithHandle(job, turn, call, handle, undefined, true);
  else {
    job.tx.changeCall(turn.id, call.call, { handle: handle.id });
    job.tx.audit(turn.id, call.call, { handle: handle.id, startedAt: job.tx.now });
    const fresh = job.tx.call(turn.id, call.call) ?? call;
    job.tx.emit('handle_started', { handle: handle.id, content: handleView(handle) }, where(turn));
    completeInBackground(job, turn, fresh, handle);
  }
  job.effects.push({ kind: 'run', turn: turn.id, call: call.call, launch: core.cord.launch() });
}

/** The call is over with its handle as its result; its audit entry stays open until the handle ends (L12). */
export function completeInBackground(
  job: Job,
  turn: TurnRecord,
  call: CallRecord,
  handle: HandleRecord,
): void {
  const result = asEdited(call, { output: { handle: handle.id, background: true }, failed: false });
  job.tx.changeCall(turn.id, call.call, { status: nextCall(call.status, 'settled'), asks: undefined });
  job.tx.emit(
    'tool_completed',
    { call_id: call.call, tool: call.tool, result: result.output, failed: false },
    where(turn),
  );
}

export function answerWithHandle(
  job: Job,
  turn: TurnRecord,
  call: CallRecord,
  handle: HandleRecord,
  waitsFor: WaitsFor | undefined,
  /** Its start has not been told yet. */
  isNew: boolean,
): void {
  job.tx.changeCall(turn.id, call.call, {
    status: nextCall(call.status, 'settled'),
    asks: undefined,
    handle: handle.id,
  });
  job.tx.audit(turn.id, call.call, {
    handle: handle.id,
    ...(waitsFor === undefined ? { startedAt: call.startedAt ?? job.tx.now } : {}),
  });
  job.tx.emit(
    'call_lifted',
    {
      call_id: call.call,
      handle: handle.id,
      title: call.title,
      content: handleView(handle),
      ...editTold(call.prepared),
      ...(waitsFor === undefined ? {} : { waits_for: waitsFor }),
    },
    where(turn),
  );
  if (waitsFor === undefined && isNew)
    job.tx.emit('handle_started', { handle: handle.id, content: handleView(handle) }, where(turn));
  if (clientOf(call.prepared) !== undefined)
    job.effects.push({
      kind: 'call_answered',
      turn: turn.id,
      call: call.call,
      result: liftedResult(handle, waitsFor),
    });
}

/** What a lifted call is answered with (L3). */
const liftedResult = (handle: HandleRecord, waitsFor: WaitsFor | undefined): CallResult => ({
  output: {
    handle: handle.id,
    background: true,
    steered: true,
    ...(waitsFor === undefined ? {} : { waits_for: waitsFor }),
  },
  failed: false,
});

/** An allowed lifted call runs now, in the background, with its own turn's folder and model (L7). */
export function startLifted(core: Core, job: Job, handle: HandleRecord): void {
  const turn = job.tx.turn(handle.turn);
  const call = job.tx.call(handle.turn, handle.call);
  const refused = turn === undefined || call === undefined ? undefined : refusedNow(core, job, turn, call);
  if (refused !== undefined) {
    endHandle(core, job, handle, 'denied', refused);
    return;
  }
  if (core.cord.pulled) {
    job.tx.changeHandle(handle.id, { state: nextHandle(handle.state, 'held'), waitsFor: undefined });
    return;
  }
  job.tx.changeHandle(handle.id, {
    state: nextHandle(handle.state, 'started'),
    waitsFor: undefined,
    ran: true,
    runningAt: job.tx.now,
  });
  job.tx.audit(handle.turn, handle.call, { startedAt: job.tx.now });
  const started = job.tx.handle(handle.id);
  if (started !== undefined)
    job.tx.emit(
      'handle_started',
      { handle: handle.id, content: handleView(started) },
      { session: handle.session, turn: handle.turn },
    );
  job.effects.push({ kind: 'run', turn: handle.turn, call: handle.call, launch: core.cord.launch() });
}

/** A verdict on a lifted call. */
export function liftedVerdict(core: Core, job: Job, handle: HandleRecord, approval: ApprovalRecord): void {
  const verdict = {
    decision: approval.state === 'allowed' ? ('allow' as const) : ('deny' as const),
    by: approval.by ?? say('unknown'),
    at: approval.answeredAt ?? job.tx.now,
    ...(approval.reason === undefined ? {} : { reason: approval.reason }),
  };
  const client = clientOf(approval.prepared);
  if (approval.state === 'allowed') {
    job.tx.emit(
      'lifted_ended',
      {
        call_id: approval.call,
        handle: handle.id,
        outcome: 'allowed',
        approvals: [verdict],
        ...(client === undefined ? { held: core.cord.pulled } : { waits_for: 'answer' }),
        ...parentOf(approval),
        ...editTold(approval.prepared),
      },
      { session: approval.session, turn: approval.turn },
    );
    if (client === undefined) startLifted(core, job, handle);
    else askLifted(core, job, handle);
    return;
  }
  const result =
    approval.state === 'lapsed'
      ? failure('approval_lapsed', say('Nobody answered in time: it has not run.'))
      : failure('approval_denied', approval.reason ?? say('The person denied it: it has not run.'));
  endLifted(core, job, handle, approval.state === 'lapsed' ? 'expired' : 'denied', result);
}

/** An allowed lifted call that a client answers waits on, for its answer (L7). */
function askLifted(core: Core, job: Job, handle: HandleRecord): void {
  const turn = job.tx.turn(handle.turn);
  const call = job.tx.call(handle.turn, handle.call);
  if (turn === undefined || call === undefined) return;
  job.tx.changeHandle(handle.id, { state: nextHandle(handle.state, 'asked'), waitsFor: 'answer' });
  putQuestion(core, job, turn, call, handle.id);
}

export type LiftedOutcome = 'denied' | 'expired' | 'answered' | 'unserved' | 'withdrawn' | 'stopped';

/** Ends a lifted call that never ran, or was answered by a person (L8, L9). */
export function endLifted(
  core: Core,
  job: Job,
  handle: HandleRecord,
  outcome: LiftedOutcome,
  result: CallResult,
  end: HandleEnd = outcome,
  details: EndDetails = {},
): void {
  job.tx.emit(
    'lifted_ended',
    { call_id: handle.call, handle: handle.id, outcome, failed: result.failed, result: result.output },
    { session: handle.session, turn: handle.turn },
  );
  endHandle(core, job, handle, end, result, details);
}

/** Ends a handle, once: its row, the note for its agent, the waits on it, and the session that it may wake (L10). */
export function endHandle(
  core: Core,
  job: Job,
  handle: HandleRecord,
  end: HandleEnd,
  given: CallResult,
  details: EndDetails = {},
): void {
  const fresh = job.tx.handle(handle.id);
  if (fresh === undefined || fresh.state === 'ended') return;
  const call = job.tx.call(handle.turn, handle.call);
  const result = keepWhole(job, handle, call === undefined ? given : asEdited(call, given));
  job.tx.changeHandle(handle.id, {
    state: nextHandle(fresh.state, 'ended'),
    waitsFor: undefined,
    endedAt: job.tx.now,
    end,
    result,
    exitCode: details.exitCode,
    signal: details.signal,
  });
  job.tx.emit(
    'handle_ended',
    {
      handle: handle.id,
      end,
      ...(fresh.runningAt === undefined ? {} : { ran_ms: job.tx.now - fresh.runningAt }),
      ...(details.exitCode === undefined ? {} : { exit_code: details.exitCode }),
      ...(details.signal === undefined ? {} : { signal: details.signal }),
      ...(details.survivors === undefined || details.survivors.length === 0
        ? {}
        : { survivors: [...details.survivors] }),
    },
    { session: handle.session, turn: handle.turn },
  );
  const turn = job.tx.turn(handle.turn);
  if (turn !== undefined) closeSteps(job, turn, handle.call);
  job.tx.closeAudit(handle.turn, handle.call, end === 'completed' ? outcomeOf(result) : end, fresh.ran);
  if (details.agentKnows !== true && details.isLast !== true)
    job.tx.addReport({
      handle: handle.id,
      session: handle.session,
      turn: handle.turn,
      text: reportOf(handle, end, result, details),
    });
  for (const waiter of job.tx.waitersOf(handle.id)) {
    const turn = job.tx.turn(waiter.turn);
    if (turn === undefined) continue;
    settleWait(core, job, turn, waiter, 'ended');
    proceed(core, job, turn.id);
  }
  if (details.isLast !== true && job.tx.session(handle.session)?.turn === undefined)
    startNext(core, job, handle.session);
}

/** What became of a stop: never started, or told to end (L11). */
export type StopDecision =
  | { readonly kind: 'recorded'; readonly stopped: boolean; readonly ran: boolean }
  | { readonly kind: 'running'; readonly handle: HandleRecord };

/** Withdraws a request that still waits, or says that something runs and must be stopped. Repeating it is harmless. */
export function decideStop(
  core: Core,
  job: Job,
  handle: HandleRecord,
  details: EndDetails = {},
): StopDecision {
  switch (handle.state) {
    case 'ended':
      return {
        kind: 'recorded',
        stopped: handle.end === 'withdrawn' || handle.end === 'stopped',
        ran: handle.ran,
      };
    case 'running':
      return { kind: 'running', handle };
    case 'held':
    case 'waiting': {
      const approval = job.tx.approvalOf(handle.turn, handle.call);
      if (approval?.state === 'open') withdraw(job, approval);
      const question = job.tx.questionOf(handle.turn, handle.call);
      const taken =
        question?.state === 'open' && (question.owner !== undefined || mayHaveRun(job.tx, question));
      if (question?.state === 'open') closeQuestion(job, question, 'withdrawn');
      const outcome = taken ? 'stopped' : 'withdrawn';
      if (taken) job.tx.changeHandle(handle.id, { ran: true });
      const result: CallResult = {
        output: { handle: handle.id, stopped: true, ran: taken, error: outcome },
        failed: true,
      };
      if (handle.state === 'held') endHandle(core, job, handle, outcome, result, details);
      else endLifted(core, job, handle, outcome, result, outcome, details);
      return { kind: 'recorded', stopped: true, ran: taken };
    }
  }
}
