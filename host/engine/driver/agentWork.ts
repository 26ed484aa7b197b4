/**
 * Work of an outside agent that goes on in its process behind the run that has started it: a handle, to be read and,
 * where the agent can be asked, stopped.
 *
 * Owns: the output of such work, and who waits for its end. Does not own: the work, which is the agent's and ends with
 * its process; nor facts, which are the handle's row. The agent knows of the end by itself, so no note is made of it.
 */
import { HARNESS_STEP_MS, SHOWN_BYTES, type CallId, type TurnId, say } from '../../../protocol';
import { Capture } from '../../base/capture';
import type { Clock } from '../../base/clock';
import { kindOf } from '../handles/handle';
import type { OwnWork } from '../harnessPort';
import type { CallResult, Run, StopReason, StopReport } from '../ports';
import type { TurnRecord } from '../records';
import { handleView } from '../views';
import type { LiveAgent } from './agentLive';
import { failure, isPrepared, where } from './calls';
import { runKey, type Core, type Job } from './core';
import { finishRun } from './finish';
import { completeInBackground } from './lifts';

export interface LiveWork {
  readonly turn: TurnId;
  readonly call: CallId;
  readonly run: OwnRun;
}

class OwnRun implements Run {
  readonly done: Promise<CallResult>;
  /** A person or the agent has asked for its end. */
  isStopped = false;
  private settle: (result: CallResult) => void = () => undefined;

  constructor(
    readonly output: Capture,
    private readonly clock: Clock,
    /** False when the agent cannot be asked. */
    private readonly ask: () => boolean,
  ) {
    this.done = new Promise((resolve) => (this.settle = resolve));
  }

  async stop(reason: StopReason): Promise<StopReport> {
    // Whoever ends more than this ends the agent's process, sees it gone, and this work with it.
    if (reason !== 'stopped') this.over({ output: {}, failed: true });
    else if (!this.ask()) return { stopped: false, survivors: [] };
    else {
      this.isStopped = true;
      await new Promise<void>((go) => {
        const timer = this.clock.after(HARNESS_STEP_MS, go);
        void this.done.then(() => {
          timer.clear();
          go();
        });
      });
      this.isStopped = this.isOver;
    }
    return { stopped: this.isOver, survivors: [] };
  }

  detach(): void {
    // It has no limit of time here.
  }

  read(offset: number, limit: number) {
    return this.output.read(offset, limit);
  }

  over(result: CallResult): void {
    this.isOver = true;
    this.settle(result);
  }

  private isOver = false;
}

/** The work that a run leaves behind it gets its handles. */
export function keepWork(
  core: Core,
  job: Job,
  agent: LiveAgent,
  turn: TurnRecord,
  work: readonly OwnWork[],
): void {
  for (const { id, call: ownCall } of work) {
    const call = agent.calls.get(ownCall);
    const row = call === undefined ? undefined : job.tx.call(turn.id, call);
    if (row === undefined || row.handle !== undefined || !isPrepared(row.prepared)) continue;
    if (row.status !== 'running' && row.status !== 'done') continue;
    const handle = job.tx.insertHandle({
      session: turn.session,
      turn: turn.id,
      call: row.call,
      kind: kindOf(row.prepared),
      title: row.title,
      folder: turn.folder,
      lifted: false,
      state: 'running',
      waitsFor: undefined,
      ran: true,
    });
    job.tx.changeCall(turn.id, row.call, { handle: handle.id });
    job.tx.audit(turn.id, row.call, { handle: handle.id });
    job.tx.emit('handle_started', { handle: handle.id, content: handleView(handle) }, where(turn));
    if (row.status === 'running') completeInBackground(job, turn, row, handle);
    const output = agent.outputs.get(row.call) ?? new Capture(SHOWN_BYTES);
    const run = new OwnRun(output, core.clock, () => agent.session.stopWork(id));
    agent.works.set(id, { turn: turn.id, call: row.call, run });
    core.runs.set(runKey(turn.id, row.call), { run, turn: turn.id, call: row.call, prepared: row.prepared });
  }
}

/** The work that an agent's own id stands for, unless the run under way has a call of that name. */
export function workOf(agent: LiveAgent, id: string): LiveWork | undefined {
  return agent.turn !== undefined && agent.calls.has(id) ? undefined : agent.works.get(id);
}

/** Such work is over, with its late result or by the agent's word alone. */
export function endWork(
  core: Core,
  agent: LiveAgent,
  id: string,
  how: CallResult | 'completed' | 'failed' | 'stopped',
): (job: Job) => void {
  const work = agent.works.get(id);
  if (work === undefined) return () => undefined;
  return (job) => {
    agent.works.delete(id);
    core.runs.delete(runKey(work.turn, work.call));
    const result = endOf(work.run, how);
    finishRun(core, job, work.turn, work.call, result, true);
    work.run.over(result);
  };
}

/** The process is gone, and all of its work with it. */
export function loseWork(core: Core, agent: LiveAgent): (job: Job) => void {
  const ends = [...agent.works.keys()].map((id) => endWork(core, agent, id, lostWith(core, agent)));
  return (job) => {
    for (const end of ends) end(job);
  };
}

function lostWith(core: Core, agent: LiveAgent): CallResult {
  if (core.stopping)
    return {
      ...failure('stopped', say('Belay was shutting down and ended the agent.')),
      end: { end: 'stopped' },
    };
  if (core.cord.pulled)
    return failure('host_paused', say('The person paused everything; the agent was ended with it.'));
  const detail = 'It ended with the agent’s own process.';
  const end = agent.closing === undefined ? 'lost' : 'stopped';
  return { ...failure(end, detail), end: { end } };
}

function endOf(run: OwnRun, how: CallResult | 'completed' | 'failed' | 'stopped'): CallResult {
  const { text } = run.output.shown(SHOWN_BYTES);
  const result: CallResult =
    typeof how === 'string'
      ? { output: text === '' ? {} : { stdout: text }, failed: how !== 'completed', end: { end: how } }
      : how;
  if (run.isStopped) return { ...result, end: { end: 'stopped' } };
  const exitCode = result.output['exit_code'];
  return result.end === undefined && typeof exitCode === 'number'
    ? { ...result, end: { end: 'exited', exitCode } }
    : result;
}
