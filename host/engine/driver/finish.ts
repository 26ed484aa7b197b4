/** Work that has ended: the result of its call, or the end of the handle that the call has become. */
import type { CallResult } from '../ports';
import type { CallRecord, TurnRecord } from '../records';
import { recordResult, settleCall } from './calls';
import { keepChanges } from './changes';
import type { Core, Job } from './core';
import { endHandle } from './lifts';
import { proceed } from './turns';

/** The end of work under way: the call's result, or the end of the handle that it has become. */
export function finishRun(
  core: Core,
  job: Job,
  turnId: TurnRecord['id'],
  callId: CallRecord['call'],
  given: CallResult,
  agentKnows = false,
): void {
  const turn = job.tx.turn(turnId);
  const call = job.tx.call(turnId, callId);
  if (turn === undefined || call === undefined) return;
  const result = keepChanges(job, turn, call, given);
  if (call.status === 'running') {
    if (call.parent !== undefined) {
      recordResult(job, turn, call, result, result.ran !== false);
      return;
    }
    settleCall(core, job, turn, call, result, result.ran !== false);
    // A terminal may be seen to end before its first look is over: then both end here (R5).
    endOwnHandle(core, job, call, result, true);
    proceed(core, job, turnId);
    return;
  }
  endOwnHandle(core, job, call, result, agentKnows);
}

/** Ends the handle that a call has become, as its work has ended. */
function endOwnHandle(core: Core, job: Job, call: CallRecord, result: CallResult, agentKnows: boolean): void {
  const handle = call.handle === undefined ? undefined : job.tx.handle(call.handle);
  if (handle === undefined || handle.state === 'ended') return;
  // A look at a terminal of another call ends nothing.
  if (handle.turn !== call.turn || handle.call !== call.call) return;
  const unfinished = result.output['error'] === 'host_paused' ? 'host_paused' : 'failed';
  const end = result.end?.end ?? (result.failed ? unfinished : 'completed');
  if (result.ran === false) job.tx.changeHandle(handle.id, { ran: false });
  // The allow of a lifted request has been told already, and is the last word of it (L9).
  const approval = job.tx.approvalOf(call.turn, call.call);
  const isTold = approval?.state === 'allowed' && approval.handle !== undefined;
  if (end === 'stopped' && handle.lifted && !isTold)
    job.tx.emit(
      'lifted_ended',
      { call_id: handle.call, handle: handle.id, outcome: 'stopped', failed: true, result: result.output },
      { session: handle.session, turn: handle.turn },
    );
  endHandle(core, job, handle, end, result, {
    agentKnows,
    ...(result.end?.exitCode === undefined ? {} : { exitCode: result.end.exitCode }),
    ...(result.end?.signal === undefined ? {} : { signal: result.end.signal }),
  });
}
