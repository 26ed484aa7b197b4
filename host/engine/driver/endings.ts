/** What a person or the host ends: a turn, a handle, everything. What runs is told first, so that its end tells what it had done. */
import { say, type HandleId, type SessionId, type TurnId } from '../../../protocol';
import { refuse, RequestError } from '../errors';
import { hasEnded } from '../turns/turn';
import { closeAgents, interruptAgent } from './agents';
import { isAtWork } from './agentLive';
import { failure } from './calls';
import { parkAgentCalls } from './agentTools';
import { describe, request, runKey, type Core } from './core';
import { recordWaiting } from './facts';
import { decideStop, endHandle } from './lifts';
import { settleTurn } from './recover';
import { endTurn } from './turns';

export interface StopOutcome {
  readonly stopped: boolean;
  readonly ran: boolean;
  readonly survivors: readonly number[];
}

/** Ends a turn: what runs is told to end first, so that its result says what it had done. */
export async function interrupt(core: Core, session: SessionId, id: TurnId): Promise<void> {
  const running = await request(core, (job) => {
    const turn = job.tx.turn(id);
    if (turn?.session !== session) throw refuse('turn_unknown', { turn: id });
    if (hasEnded(turn.status))
      throw new RequestError('turn_stale', say('This turn has already ended.'), {
        turn: id,
        status: turn.status,
      });
    const atAgent = isAtWork(core, turn);
    const calls = atAgent ? [] : job.tx.round(id).filter((call) => call.status === 'running');
    const atModel = core.requests.has(id) || atAgent;
    job.tx.changeTurn(id, { phase: 'ending' });
    if (calls.length === 0 && !atModel) endTurn(core, job, turn, 'interrupted', 'cancelled');
    return calls.map((call) => call.call);
  });
  core.requests.get(id)?.abort.abort('cancelled');
  interruptAgent(core, id);
  const stops = running.map((call) => core.runs.get(runKey(id, call))?.run);
  await Promise.all(
    stops.map(async (run) => {
      await run?.stop('cancelled');
      await run?.done;
    }),
  );
  await ended(core, id);
}

/** Waits until the turn's end has been recorded. */
function ended(core: Core, id: TurnId): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      const turn = core.ledger.read((tx) => tx.turn(id));
      const waiters = core.settled.get(id) ?? new Set();
      if (turn === undefined || hasEnded(turn.status)) {
        waiters.delete(look);
        if (waiters.size === 0) core.settled.delete(id);
        resolve();
      } else core.settled.set(id, waiters.add(look));
    };
    look();
  });
}

export async function stopHandle(core: Core, id: HandleId): Promise<StopOutcome> {
  const decision = await request(core, (job) => {
    const handle = job.tx.handle(id);
    if (handle === undefined) throw refuse('handle_unknown', { handle: id });
    return decideStop(core, job, handle);
  });
  if (decision.kind === 'recorded') return { stopped: decision.stopped, ran: decision.ran, survivors: [] };
  const live = core.runs.get(runKey(decision.handle.turn, decision.handle.call));
  if (live === undefined) return { stopped: true, ran: true, survivors: [] };
  const report = await live.run.stop('stopped');
  if (!report.stopped) return { stopped: false, ran: true, survivors: report.survivors };
  await live.run.done;
  // What the store says counts: it may have ended by itself before the stop reached it.
  const recorded = await request(core, (job) => decideStop(core, job, job.tx.handle(id) ?? decision.handle));
  return recorded.kind === 'recorded'
    ? { stopped: recorded.stopped, ran: recorded.ran, survivors: [] }
    : { stopped: true, ran: true, survivors: [] };
}

/** The host stops: nothing starts any more, what runs is ended and told so, what waits stays (T5, T10). */
export async function stop(core: Core, graceMs: number): Promise<void> {
  if (core.stopping) return;
  core.stopping = true;
  core.cord.pull();
  for (const live of [...core.requests.values(), ...core.deliveries.values()])
    live.abort.abort('host_stopped');
  const runs = [...core.runs.values()];
  const gone = Promise.all([
    ...runs.map(async (live) => {
      await live.run.stop('host_stopped');
      await live.run.done;
    }),
    ...closeAgents(core, 'host_stopped'),
  ]);
  await new Promise<void>((resolve) => {
    const timer = core.clock.after(graceMs, resolve);
    const done = () => {
      timer.clear();
      resolve();
    };
    gone.then(done, done);
  });
  // What an earlier host has left is no end of this one: it is for a start that can begin.
  if (core.begun) await recordEnds(core);
  core.schedule.dispose();
}

async function recordEnds(core: Core): Promise<void> {
  recordWaiting(core);
  await request(core, (job) => {
    parkAgentCalls(core, job);
    for (const turn of [...job.tx.turnsByStatus('running'), ...job.tx.turnsByStatus('paced')])
      settleTurn(core, job, turn.id, 'host_stopped');
    for (const handle of job.tx.handlesByState('running'))
      endHandle(core, job, handle, 'lost', failure('lost', say('The host stopped before its end was seen.')));
  }).catch((error: unknown) => core.log('error', `The last facts could not be recorded: ${describe(error)}`));
}
