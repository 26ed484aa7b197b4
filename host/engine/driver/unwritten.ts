/**
 * What ends in the place of a fact that cannot be written: its call with an error that the agent reads, else its
 * turn as `failed`/`internal`. The log says why (R5, R11).
 */
import { say, type ApprovalId, type CallId, type QuestionId, type TurnId } from '../../../protocol';
import type { Tx } from '../ledger';
import type { CallResult } from '../ports';
import type { CallRecord, TurnRecord } from '../records';
import { hasEnded } from '../turns/turn';
import { failure, recordResult, settleCall } from './calls';
import { runKey, type Core, type Job } from './core';
import type { Act } from './facts';
import { finishRun } from './finish';
import { decideStop, endHandle } from './lifts';
import { endQuestion } from './questions';
import { closeTurn, proceed, startNext } from './turns';

/** What a fact is of. Looked up when it is needed, in a job of its own. */
export type Subject = (tx: Tx) => { readonly turn: TurnId; readonly call?: CallId } | undefined;

/** A fact of the host alone: nobody waits for it. */
export const ofNothing: Subject = () => undefined;
export const ofTurn =
  (turn: TurnId): Subject =>
  () => ({ turn });
export const ofCall =
  (turn: TurnId, call: CallId): Subject =>
  () => ({ turn, call });
export const ofQuestion =
  (id: QuestionId): Subject =>
  (tx) =>
    tx.question(id);
export const ofApproval =
  (id: ApprovalId): Subject =>
  (tx) =>
    tx.approval(id);

/** What is tried instead, the first that can be written: the call's end, then the turn's. */
export const instead = (core: Core, of: Subject): readonly Act[] => [
  (job) => {
    const subject = of(job.tx);
    if (subject?.call === undefined) endTurnOf(core, job, of);
    else endCall(core, job, subject.turn, subject.call);
  },
  (job) => endTurnOf(core, job, of),
  // What the session goes on with may be what fails: it is told with the next message.
  (job) => {
    const turn = turnOf(job, of);
    if (turn !== undefined && !hasEnded(turn.status))
      closeTurn(core, job, turn, 'failed', 'internal', TURN_UNWRITTEN);
  },
];

const turnOf = (job: Job, of: Subject): TurnRecord | undefined => {
  const subject = of(job.tx);
  return subject === undefined ? undefined : job.tx.turn(subject.turn);
};

const CALL_UNWRITTEN = 'What became of it could not be written down, so its result is lost.';
const TURN_UNWRITTEN = say('The host failed at the next step; its log says why.');

function endTurnOf(core: Core, job: Job, of: Subject): void {
  const turn = turnOf(job, of);
  if (turn !== undefined) failTurn(core, job, turn);
}

/** The host's own failure at a turn. One that has ended stays as it is. */
export function failTurn(core: Core, job: Job, turn: TurnRecord, detail = TURN_UNWRITTEN): void {
  if (hasEnded(turn.status)) return;
  closeTurn(core, job, turn, 'failed', 'internal', detail);
  startNext(core, job, turn.session);
}

function endCall(core: Core, job: Job, turnId: TurnId, callId: CallId): void {
  const turn = job.tx.turn(turnId);
  const call = job.tx.call(turnId, callId);
  const result = failure('tool_failed', CALL_UNWRITTEN);
  // A step that was to be written down: its script reads that.
  if (core.steps.has(runKey(turnId, callId)) && (call === undefined || call.status === 'done'))
    job.effects.push({ kind: 'step_done', turn: turnId, call: callId, result });
  if (turn === undefined || call === undefined) return;
  const question = job.tx.questionOf(turnId, callId);
  if (question?.state === 'open')
    endQuestion(core, job, question, 'withdrawn', { outcome: 'withdrawn', end: 'failed', result, ran: true });
  else if (call.handle !== undefined) endUnder(core, job, call, result);
  else if (call.status === 'running') finishRun(core, job, turnId, callId, result);
  else if (call.parent !== undefined) recordResult(job, turn, call, result, false);
  else settleCall(core, job, turn, call, result, false);
  proceed(core, job, turnId);
}

/** The call is over, and its handle is not. */
function endUnder(core: Core, job: Job, call: CallRecord, result: CallResult): void {
  const handle = call.handle === undefined ? undefined : job.tx.handle(call.handle);
  if (handle === undefined) return;
  if (call.status === 'running') finishRun(core, job, call.turn, call.call, result);
  else if (handle.state === 'running') endHandle(core, job, handle, 'failed', result);
  else decideStop(core, job, handle);
}
