/**
 * Steps: calls made from inside a running call (A8). Each is a row of its own, judged, asked for and run like a
 * call; its result goes back into the call that made it, and it ends with that call at the latest.
 *
 * S1 A step leaves only while its call has not been halted: looked at when it is made, and again in the tick in
 *    which it leaves, behind its verdict and its place (S2, P3).
 * S2 A step waits for its place in memory alone, before it is marked as started.
 */
import { CallId, FORM_TOOL, QUESTIONS_A_CALL, STEPS_A_CALL, type TurnId, say } from '../../../protocol';
import { CordPulled, type Launch } from '../../base/launch';
import type { CallResult, Prepared, Steps, StopReason } from '../ports';
import type { CallRecord } from '../records';
import {
  announce,
  failure,
  isPrepared,
  letBy,
  markStarted,
  recordResult,
  refusedNow,
  where,
  workplace,
} from './calls';
import { runKey, type Core, type Job } from './core';
import { wantsBackground } from './lifts';
import type { Entered } from './places';
import { clientOf, putQuestion } from './questions';
import { recordTogether } from './together';
import { ofCall } from './unwritten';

/** Calls that a step may not be: what waits for handles, writes to its own turn or makes steps is the model's to call. */
const NOT_A_STEP = new Set(['exec', 'wait', 'note', 'history', 'terminal', 'write_stdin']);

/** A step that has no result yet. */
export interface OpenStep {
  readonly tool: string;
  /** The server that it goes to, for its place. */
  readonly server: string | undefined;
  /** The gate of the call that made it, shut by a halt as well. */
  readonly launch: Launch;
  readonly isHalted: () => boolean;
  readonly began: () => void;
  /** Its place, or its turn in the line for one. */
  place: Entered | undefined;
  readonly settle: (result: CallResult) => void;
}

export const refused = (tool: string): CallResult => ({
  ...failure('stopped', say('tools.{tool} refused: its turn ended', { tool })),
  ran: false,
});

export function stepsOf(core: Core, turnId: TurnId, parent: CallId, launch: Launch): Steps {
  const open = new Map<CallId, { readonly step: OpenStep; readonly settled: Promise<CallResult> }>();
  let made = 0;
  /** Questions that are open. */
  let asked = 0;
  let halted: StopReason | undefined;
  const isHalted = () => halted !== undefined || core.cord.pulled;
  const gate: Launch = (effect) => {
    if (isHalted()) throw new CordPulled();
    return launch(effect);
  };

  const begin = (tool: string, call: CallId, prepared: Prepared, began: () => void): Promise<CallResult> => {
    let resolve: (result: CallResult) => void = () => {};
    const settled = new Promise<CallResult>((done) => (resolve = done));
    const step: OpenStep = {
      tool,
      server: prepared.server,
      launch: gate,
      isHalted,
      began,
      place: core.places.tryEnter(prepared.server),
      settle: (result) => {
        step.place?.leave();
        core.steps.delete(runKey(turnId, call));
        open.delete(call);
        resolve(result);
      },
    };
    core.steps.set(runKey(turnId, call), step);
    open.set(call, { step, settled });
    recordTogether(core, ofCall(turnId, call), (job) => plan(core, job, turnId, parent, call, prepared));
    return settled;
  };

  return {
    tools: () => core.tools.specs().filter(({ name }) => !NOT_A_STEP.has(name)),
    call: async (tool, args, began = () => {}) => {
      if (isHalted()) return refused(tool);
      const place = ++made;
      if (place > STEPS_A_CALL)
        return failure('output_limit', say('A call makes at most {most} steps.', { most: STEPS_A_CALL }));
      if (NOT_A_STEP.has(tool))
        return failure('tool_failed', say('{tool} cannot be called from inside a call.', { tool }));
      const turn = core.ledger.read((tx) => tx.turn(turnId));
      if (turn === undefined) return failure('withdrawn', say('Its turn is gone.'));
      const call = CallId.parse(`${parent}.${String(place)}`);
      const prepared = await core.tools.prepare(tool, args, workplace(core, turn, call));
      if (isHalted()) return refused(tool);
      if (!isPrepared(prepared)) return failure(prepared.error, prepared.detail);
      if (wantsBackground(prepared))
        return failure(
          'tool_arguments_invalid',
          say('A step ends with its script: leave out background, and await it later.'),
        );
      return begin(tool, call, prepared, began);
    },
    ask: async (title, args, signal) => {
      if (isHalted() || signal.aborted) return refused(FORM_TOOL);
      if (made >= STEPS_A_CALL)
        return failure('output_limit', say('A call makes at most {most} steps.', { most: STEPS_A_CALL }));
      if (asked >= QUESTIONS_A_CALL)
        return failure(
          'output_limit',
          say('A call asks at most {most} questions at a time.', { most: QUESTIONS_A_CALL }),
        );
      asked += 1;
      const call = CallId.parse(`${parent}.${String(++made)}`);
      const withdraw = () =>
        recordTogether(core, ofCall(turnId, call), (job) => withdrawStep(job, turnId, call));
      signal.addEventListener('abort', withdraw, { once: true });
      const result = await begin(FORM_TOOL, call, questionStep(title, args), () => {});
      signal.removeEventListener('abort', withdraw);
      asked -= 1;
      return result;
    },
    halt: async (reason) => {
      halted ??= reason;
      const waits = [...open].map(async ([call, { step, settled }]) => {
        const live = core.runs.get(runKey(turnId, call));
        if (live === undefined) step.settle(refused(step.tool));
        else await live.run.stop(reason);
        await settled;
      });
      await Promise.all(waits);
    },
  };
}

const questionStep = (title: string, args: unknown): Prepared => ({
  tool: FORM_TOOL,
  class: 'own',
  title,
  args,
  preview: { kind: 'arguments' },
  subject: { kind: 'none' },
  liftable: false,
  client: { person: true, delivered: false },
});

/** Nobody waits for this step any more. */
function withdrawStep(job: Job, turnId: TurnId, call: CallId): void {
  const turn = job.tx.turn(turnId);
  const step = job.tx.call(turnId, call);
  if (turn !== undefined && step !== undefined)
    recordResult(job, turn, step, failure('withdrawn', say('The server no longer asks.')), false);
}

/** Writes a step down, and judges it. One that nothing holds back goes for its place. */
function plan(core: Core, job: Job, turnId: TurnId, parent: CallId, call: CallId, prepared: Prepared): void {
  const step = core.steps.get(runKey(turnId, call));
  if (step === undefined) return;
  const turn = job.tx.turn(turnId);
  const owner = job.tx.call(turnId, parent);
  if (step.isHalted() || turn === undefined || owner === undefined || !isAlive(job, owner)) {
    job.effects.push({ kind: 'step_done', turn: turnId, call, result: refused(step.tool) });
    return;
  }
  const { tool, title, args } = prepared;
  const row = {
    turn: turnId,
    call,
    session: turn.session,
    parent,
    step: owner.step,
    place: Number(call.slice(parent.length + 1)),
    tool,
    title,
    status: 'planned' as const,
    asks: undefined,
    prepared,
  };
  job.tx.insertCall(row);
  job.tx.emit(
    'calls_planned',
    { step: owner.step, calls: [{ call_id: call, parent, tool, title, args }] },
    where(turn),
  );
  announce(core, job, turn, {
    ...row,
    failed: false,
    handle: undefined,
    startedAt: undefined,
    deadline: undefined,
  });
  if (step.place === undefined) stepReady(job, turnId, call);
  else if (job.tx.call(turnId, call)?.status === 'planned') startStep(core, job, turnId, call);
  else job.effects.push({ kind: 'step_waits', turn: turnId, call });
}

/** Whether the call that makes steps still runs: in its turn, or under its handle. */
function isAlive(job: Job, owner: CallRecord): boolean {
  if (owner.status === 'running') return true;
  return owner.handle !== undefined && job.tx.handle(owner.handle)?.state === 'running';
}

/** A step that may start goes for its place once that is on disk. */
export function stepReady(job: Job, turn: TurnId, call: CallId): void {
  const step = job.tx.call(turn, call);
  if (step?.status === 'planned' || step?.status === 'allowed')
    job.effects.push({ kind: 'step_ready', turn, call });
}

/** Waits for a place, and starts the step once it has one. */
export function enterPlace(core: Core, turn: TurnId, call: CallId): void {
  const step = core.steps.get(runKey(turn, call));
  if (step === undefined || step.isHalted()) return;
  step.place = core.places.enter(step.server, () =>
    recordTogether(core, ofCall(turn, call), (job) => startStep(core, job, turn, call)),
  );
}

/** A step that waits for a person holds no place meanwhile. */
export function leavePlace(core: Core, turn: TurnId, call: CallId): void {
  const step = core.steps.get(runKey(turn, call));
  step?.place?.leave();
  if (step !== undefined) step.place = undefined;
}

/** Starts a step that has its place; judged again, since a rule may have changed while it waited (A7, P3). */
function startStep(core: Core, job: Job, turnId: TurnId, id: CallId): void {
  const open = core.steps.get(runKey(turnId, id));
  const turn = job.tx.turn(turnId);
  const step = job.tx.call(turnId, id);
  if (open === undefined || turn === undefined || step === undefined) return;
  if (step.status !== 'planned' && step.status !== 'allowed') return;
  const refusal = open.isHalted() ? refused(open.tool) : refusedNow(core, job, turn, step);
  if (refusal !== undefined) {
    recordResult(job, turn, step, refusal, false);
    return;
  }
  if (clientOf(step.prepared) !== undefined) {
    const handle = job.tx.call(turn.id, step.parent ?? id)?.handle;
    putQuestion(core, job, turn, step, handle);
    job.effects.push({ kind: 'step_waits', turn: turnId, call: id });
    return;
  }
  markStarted(job, turn, step, letBy(core, job, turn, step));
  job.effects.push({ kind: 'run', turn: turnId, call: id, launch: open.launch });
}
