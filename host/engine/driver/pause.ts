/** The cord, pulled and released: what runs is ended, what waits goes on waiting, and nothing starts in between (P1–P7). */
import { say, type CallId, type Ended, type TurnId } from '../../../protocol';
import type { Tx } from '../ledger';
import type { CallRecord, HandleRecord, TurnRecord } from '../records';
import { kindOf } from '../handles/handle';
import { callsThatStart } from '../turns/loop';
import { callsOf } from './agentLive';
import { agentTitle, closeAgents } from './agents';
import { parkAgentCalls } from './agentTools';
import { RequestError } from '../errors';
import { describe, request, type Core, type Job, type Pulled } from './core';
import { isDiskTrouble, record, recorded } from './facts';
import { startLifted } from './lifts';
import { liftNow } from './messages';
import { nextStart } from './nextStart';
import { considerAll, pauseDeliveries, servedAlone } from './serve';
import { pace, pauseTurn, proceed, resume, startNext } from './turns';
import { ofCall, ofNothing, ofTurn } from './unwritten';

/** How long the reply to a pull waits for what runs to be gone, ms; what takes longer is told as `stopping`. */
const QUIET_MS = 250;

/** Pulls the cord; a second pull while the first is under way has the first one's answer, and undoes a release between. */
export function pull(core: Core, by: string, reason: string | undefined): Promise<Pulled> {
  core.pulls += 1;
  if (core.pulling !== undefined) return core.pulling;
  if (core.cord.pulled) {
    const cord = core.ledger.read((tx) => tx.cord());
    return Promise.resolve({
      epoch: core.cord.epoch,
      ended: cord.ended,
      stopping: [...underWay(core), ...requests(core)],
    });
  }
  core.pulling = pullNow(core, by, reason).finally(() => {
    core.pulling = undefined;
  });
  return core.pulling;
}

async function pullNow(core: Core, by: string, reason: string | undefined): Promise<Pulled> {
  const epoch = core.cord.pull();
  const ended = [...underWay(core), ...requests(core)];
  const pausedAt = core.clock.now();
  const cord = { pulled: true, epoch, by, at: pausedAt, ended };
  const isStill = () => core.cord.epoch === epoch;
  const served = servedAlone(core);
  const write = (job: Job) => {
    // They have been told to stop, also when the cord has been released before the disk took it.
    pauseDeliveries(core, job, served);
    if (!isStill()) return;
    job.tx.setCord({ ...cord, told: false });
    pausePaced(job);
    parkAgentCalls(core, job);
  };
  let written = Promise.resolve(true);
  try {
    await request(core, write);
  } catch (error) {
    // The disk refused: the cord holds for this host all the same, and is written as soon as it can be.
    core.log('error', `The pause could not be written down yet: ${describe(error)}`);
    for (const id of served) core.deliveries.get(id)?.abort.abort('host_paused');
    written = recorded(core, write);
  }
  const asked = [...core.requests.values()];
  for (const live of asked) live.abort.abort('host_paused');
  const runs = [...core.runs.values()];
  const stops = runs.map((live) => live.run.stop('host_paused'));
  const over = [...asked.map((live) => live.done), ...runs.map((live) => live.run.done)];
  const gone = Promise.allSettled([
    ...over,
    ...stops,
    ...closeAgents(core, 'host_paused'),
    core.tools.gone?.(),
    core.harnesses.gone(),
  ]);
  await inTime(core, gone);
  const stopping = [...underWay(core), ...requests(core)];
  const told = written.then(() =>
    recorded(core, (job) => {
      if (!isStill()) return;
      job.tx.setCord({ ...cord, told: true });
      job.tx.emit('host_paused', { epoch, by, ended, pausedAt, ...(reason === undefined ? {} : { reason }) });
    }),
  );
  void Promise.all([gone, told]).then(() =>
    record(core, ofNothing, (job) => {
      if (isStill()) job.tx.emit('host_quiet', { epoch });
    }),
  );
  // A full disk does not hold up the reply; the event comes once there is room.
  await inTime(core, told);
  return { epoch, ended, stopping };
}

/** Resolves when `work` has ended, or after the time that a reply may wait for it. */
function inTime(core: Core, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = core.clock.after(QUIET_MS, resolve);
    const done = () => {
      timer.clear();
      resolve();
    };
    work.then(done, done);
  });
}

/** What has been started and has not been seen gone. */
export const underWay = (core: Core): readonly Ended[] => [
  ...[...core.runs.values()].map((live) => ({
    kind: kindOf(live.prepared),
    id: live.call,
    title: live.prepared.title,
  })),
  ...[...core.deliveries.values()]
    .filter((delivery) => !delivery.person)
    .map(({ call, title }) => ({ kind: 'call', id: call, title })),
  ...[...core.agents.values()]
    .filter((live) => live.session.isAlive() || live.turn !== undefined || live.closing !== undefined)
    .map((live) => ({ kind: 'agent', id: live.id, title: agentTitle(core, live) })),
  ...(core.tools.underWay?.() ?? []),
  ...core.harnesses.underWay(),
];

const requests = (core: Core): readonly Ended[] =>
  [...core.requests.keys()].map((turn) => ({ kind: 'model', id: turn, title: say('Model answer') }));

/** Turns that wait for a provider's time wait for the cord from now on, and for what is left of that time after it. */
function pausePaced(job: Job): void {
  for (const turn of job.tx.turnsByStatus('paced')) pauseTurn(job, turn);
}

/** What a release would start, in the order in which it would. */
export function wouldStart(core: Core): readonly Ended[] {
  return core.ledger.read((tx) => [
    ...tx.handlesByState('held').map((handle) => ({
      kind: 'call',
      id: handle.id,
      title: handle.title,
      ...allowedBy(tx, handle),
    })),
    ...tx.turnsByStatus('paused').flatMap((turn) => [
      { kind: 'turn', id: turn.id, title: tx.session(turn.session)?.title ?? turn.id },
      ...startingOf(tx, turn).map((call) => ({
        kind: 'call',
        id: call.call,
        title: call.title,
        turn: turn.id,
        ...allowedBy(tx, call),
      })),
    ]),
    ...idleThatStart(core, tx).map((id) => ({ kind: 'message', id, title: tx.session(id)?.title ?? id })),
  ]);
}

/** Of a turn whose rows cannot be read nothing starts: its release ends it. */
function startingOf(tx: Tx, turn: TurnRecord): readonly CallRecord[] {
  try {
    return callsThatStart(callsOf(tx, turn));
  } catch {
    return [];
  }
}

function allowedBy(tx: Tx, { turn, call }: { readonly turn: TurnId; readonly call: CallId }) {
  const by = tx.approvalOf(turn, call)?.by;
  return by === undefined ? {} : { by };
}

/** Without trust nothing starts with a release. */
const idleThatStart = (core: Core, tx: Tx) =>
  core.trusted() ? tx.idleWithWork().filter((id) => nextStart(core, tx, id) !== undefined) : [];

export async function release(
  core: Core,
  by: string,
): Promise<{ readonly epoch: number; readonly starting: readonly Ended[] }> {
  // A pull that is under way answers first: what it tells to stop must be nothing that a release has started.
  const { pulls } = core;
  await core.pulling?.catch(() => undefined);
  // Who has pulled since was told that nothing starts: the last word is theirs (P1).
  if (core.pulls !== pulls) throw new RequestError('host_paused', say('It was paused again meanwhile.'));
  if (!core.cord.pulled) return { epoch: core.cord.epoch, starting: [] };
  const starting = wouldStart(core);
  const epoch = core.cord.release();
  const write = (job: Job) => {
    const cord = job.tx.cord();
    job.tx.setCord({ pulled: false, epoch, by, at: job.tx.now, ended: [], told: true });
    job.tx.shiftLapses(cord.at);
    job.tx.emit('host_resumed', { epoch, by, pausedAt: cord.at });
  };
  try {
    await writeRelease(core, write);
  } catch (error) {
    core.cord.pull();
    throw error;
  }
  return { epoch, starting };
}

/** In one commit with all that it starts; what cannot be started keeps nothing else back. */
async function writeRelease(core: Core, write: (job: Job) => void): Promise<void> {
  try {
    await request(core, (job) => {
      write(job);
      scheduleLapses(job);
      startHeld(core, job);
    });
  } catch (error) {
    if (isDiskTrouble(error)) throw error;
    core.log('error', `What was held is started one by one: ${describe(error)}`);
    await request(core, write);
    startApart(core);
  }
}

/** Each by itself: one that cannot go on ends its turn, and the others go on (P7, R5). */
function startApart(core: Core): void {
  record(core, ofNothing, scheduleLapses);
  const { handles, turns, idle } = core.ledger.read((tx) => ({
    handles: tx.handlesByState('held'),
    turns: tx.turnsByStatus('paused'),
    idle: tx.idleWithWork(),
  }));
  for (const handle of handles)
    record(core, ofCall(handle.turn, handle.call), (job) => startLifted(core, job, handle));
  for (const turn of turns) record(core, ofTurn(turn.id), (job) => goOn(core, job, turn));
  record(core, ofNothing, (job) => liftUnread(core, job));
  record(core, ofNothing, (job) => considerAll(core, job));
  for (const session of idle) record(core, ofNothing, (job) => startNext(core, job, session));
}

function goOn(core: Core, job: Job, turn: TurnRecord): void {
  if (!paceOn(core, job, turn)) proceed(core, job, turn.id);
}

/** Puts the time of every request that has one on the schedule. */
export function scheduleLapses(job: Job): void {
  for (const approval of job.tx.openApprovals())
    if (approval.lapsesAt !== undefined)
      job.effects.push({ kind: 'lapse_approval', id: approval.id, at: approval.lapsesAt });
  for (const question of job.tx.openQuestions())
    if (question.lapsesAt !== undefined)
      job.effects.push({ kind: 'lapse_question', id: question.id, at: question.lapsesAt });
}

function startHeld(core: Core, job: Job): void {
  const held: readonly HandleRecord[] = job.tx.handlesByState('held');
  for (const handle of held) startLifted(core, job, handle);
  for (const turn of job.tx.turnsByStatus('paused')) goOn(core, job, turn);
  liftUnread(core, job);
  considerAll(core, job);
  for (const session of job.tx.idleWithWork()) startNext(core, job, session);
}

/** A provider's time that has not come yet is waited for as before (T6). False when there is none. */
function paceOn(core: Core, job: Job, turn: TurnRecord): boolean {
  const at = core.schedule.due(`retry:${turn.id}`);
  if (at === undefined || at <= job.tx.now) return false;
  resume(job, turn);
  const resumed = job.tx.turn(turn.id);
  if (resumed !== undefined) pace(job, resumed, at);
  return true;
}

/** Lifts what still waits although a message for its session has not been read, at once: its grace is over (L1). */
export function liftUnread(core: Core, job: Job): void {
  for (const status of ['running', 'waiting'] as const)
    for (const turn of job.tx.turnsByStatus(status))
      if (job.tx.hasUnreadSteer(turn.session)) liftNow(core, job, turn.id);
}
