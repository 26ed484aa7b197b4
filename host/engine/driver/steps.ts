/**
 * Steps: calls made from inside a running call (A8). Each is a row of its own, judged, asked for and run like a
 * call; its result goes back into the call that made it, and it ends with that call at the latest.
 */
import { CallId, type TurnId } from '../../../protocol';
import type { CallResult, Steps } from '../ports';
import type { TurnRecord } from '../records';
import { announce, failure, isPrepared, markStarted, recordResult, where, workplace } from './calls';
import { record, runKey, type Core, type Job } from './core';

/** Calls that a step may be: what waits for handles or writes to its own turn is the model's to call. */
const NOT_A_STEP = new Set(['wait', 'note', 'history', 'ask', 'write_stdin']);

/** Steps that one call may make: more is a loop. */
const STEPS_A_CALL = 10_000;

export function stepsOf(core: Core, turnId: TurnId, parent: CallId): Steps {
  let made = 0;
  return {
    call: async (tool, args) => {
      const place = ++made;
      if (place > STEPS_A_CALL)
        return failure('output_limit', `A call makes at most ${String(STEPS_A_CALL)} steps.`);
      if (NOT_A_STEP.has(tool)) return failure('tool_failed', `${tool} cannot be called from inside a call.`);
      const turn = core.ledger.read((tx) => tx.turn(turnId));
      if (turn === undefined) return failure('withdrawn', 'Its turn is gone.');
      const call = CallId.parse(`${parent}.${String(place)}`);
      const prepared = await core.tools.prepare(tool, args, workplace(core, turn, call));
      if (!isPrepared(prepared)) return failure(prepared.error, prepared.detail);
      return new Promise<CallResult>((resolve) => {
        core.steps.set(runKey(turnId, call), resolve);
        record(core, (job) => {
          const now = job.tx.turn(turnId);
          const owner = job.tx.call(turnId, parent);
          if (now === undefined || owner === undefined || !isAlive(job, owner)) {
            core.steps.delete(runKey(turnId, call));
            resolve(failure('withdrawn', 'The call that it was made from has ended: it has not run.'));
            return;
          }
          const row = {
            turn: turnId,
            call,
            session: now.session,
            parent,
            step: owner.step,
            place,
            tool,
            title: prepared.title,
            status: 'planned' as const,
            asks: undefined,
            prepared,
          };
          job.tx.insertCall(row);
          job.tx.emit(
            'calls_planned',
            {
              step: owner.step,
              calls: [{ call_id: call, parent, tool, title: prepared.title, args: prepared.args }],
            },
            where(now),
          );
          announce(core, job, now, {
            ...row,
            failed: false,
            handle: undefined,
            startedAt: undefined,
            deadline: undefined,
          });
          startStep(core, job, now, call);
        });
      });
    },
  };
}

/** Whether the call that makes steps still runs: in its turn, or under its handle. */
function isAlive(
  job: Job,
  owner: { readonly status: string; readonly handle: unknown; readonly turn: TurnId; readonly call: CallId },
): boolean {
  if (owner.status === 'running') return true;
  const row = job.tx.call(owner.turn, owner.call);
  return row?.handle !== undefined && job.tx.handle(row.handle)?.state === 'running';
}

/** Starts a step that nothing holds back; while the cord is pulled it ends, since its call has been ended, too. */
export function startStep(core: Core, job: Job, turn: TurnRecord, id: CallId): void {
  const step = job.tx.call(turn.id, id);
  if (step === undefined || (step.status !== 'planned' && step.status !== 'allowed')) return;
  if (core.cord.pulled) {
    recordResult(
      job,
      turn,
      step,
      failure('host_paused', 'The person paused everything before it started: it has not run.'),
      false,
    );
    return;
  }
  markStarted(job, turn, step);
  job.effects.push({ kind: 'run', turn: turn.id, call: step.call, launch: core.cord.launch() });
}
