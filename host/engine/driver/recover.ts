/** What a host that starts finds, and what it leaves when it stops: every unfinished thing in a named state (T10, R3). */
import { say, type TurnCode } from '../../../protocol';
import { blockingCall } from '../turns/loop';
import type { TurnRecord } from '../records';
import { keepAsked } from './agentTools';
import { failure, recordResult } from './calls';
import type { Core, Job } from './core';
import { endHandle, startLifted } from './lifts';
import { liftUnread, scheduleLapses } from './pause';
import { releaseAll } from './serve';
import { endTurn, park, proceed } from './turns';

/** After a start. What waited still waits; what ran is told as lost; nothing is run again. */
export function recover(core: Core, job: Job): void {
  // Looked up first: the loss of a handle carries on a turn that waited for it, and that one is at work now.
  const atWork = [...job.tx.turnsByStatus('running'), ...job.tx.turnsByStatus('paced')];
  for (const handle of job.tx.handlesByState('running'))
    endHandle(
      core,
      job,
      handle,
      'lost',
      failure('lost', say('The host ended while it ran: what it had done is unknown.')),
    );
  for (const message of job.tx.handedOver()) {
    job.tx.changeMessage(message.id, { handed: undefined });
    job.tx.emit('message_handed', { message: message.id }, { session: message.session });
  }
  const parked = job.tx.turnsByStatus('waiting').filter((turn) => turn.phase === 'agent');
  for (const turn of atWork) settleTurn(core, job, turn.id, 'host_lost');
  for (const turn of parked) {
    settleAgentTurn(core, job, turn, 'host_lost');
    proceed(core, job, turn.id);
  }
  if (core.cord.pulled) tellPull(job);
  else {
    for (const turn of job.tx.turnsByStatus('paused')) settleTurn(core, job, turn.id, 'host_lost');
    for (const handle of job.tx.handlesByState('held')) startLifted(core, job, handle);
    liftUnread(core, job);
  }
  scheduleLapses(job);
  releaseAll(core, job);
  for (const call of job.tx.waitsWithDeadline())
    if (call.deadline !== undefined)
      job.effects.push({ kind: 'wait_deadline', turn: call.turn, call: call.call, at: call.deadline });
}

/** A pull that a crash kept from being published is published now. */
function tellPull(job: Job): void {
  const cord = job.tx.cord();
  if (cord.told) return;
  const { epoch, by, ended, at } = cord;
  job.tx.setCord({ ...cord, told: true });
  job.tx.emit('host_paused', { epoch, by, ended: [...ended], pausedAt: at });
  job.tx.emit('host_quiet', { epoch });
}

/** Parks a turn that waits; ends one that was at work. */
export function settleTurn(core: Core, job: Job, id: Parameters<Job['tx']['turn']>[0], code: TurnCode): void {
  const turn = job.tx.turn(id);
  if (turn === undefined) return;
  if (turn.phase === 'ending') {
    endTurn(core, job, turn, 'interrupted', 'cancelled');
    return;
  }
  if (turn.phase === 'agent') {
    settleAgentTurn(core, job, turn, code);
    return;
  }
  const calls = job.tx.round(id);
  const blocking = blockingCall(calls);
  const running = calls.some((call) => call.status === 'running');
  if (turn.phase === 'calls' && blocking !== undefined && !running) {
    if (turn.status !== 'waiting') park(job, turn, blocking);
    return;
  }
  endTurn(core, job, turn, 'interrupted', code, SENTENCE[code]);
}

/** An outside agent's process is gone with its host. What waits for a verdict goes on waiting (H2, R3). */
function settleAgentTurn(core: Core, job: Job, turn: TurnRecord, code: TurnCode): void {
  keepAsked(core, job, turn);
  const open = job.tx.openCalls(turn.id);
  const asking = open.find((call) => call.status === 'asking');
  if (asking === undefined && turn.status !== 'waiting') {
    endTurn(core, job, turn, 'interrupted', code, SENTENCE[code]);
    return;
  }
  for (const call of open)
    if (call.status === 'running' || call.status === 'planned')
      recordResult(job, turn, call, failure('outcome_unknown', HOST_GONE), call.status === 'running');
  if (asking === undefined || turn.status === 'waiting') return;
  park(job, turn, asking);
}

const HOST_GONE = say(
  'The host ended while the agent ran it. It may have had effects: look before you repeat it.',
);

const SENTENCE: Partial<Record<TurnCode, string>> = {
  host_lost: say('The host ended while this turn was at work. What ran then may have had effects.'),
  host_stopped: say('The host was stopped while this turn was at work.'),
};
