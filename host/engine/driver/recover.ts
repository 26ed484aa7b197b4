/** What a host that starts finds, and what it leaves when it stops: every unfinished thing in a named state (T10, R3). */
import type { TurnCode } from '../../../protocol';
import { blockingCall } from '../turns/loop';
import { failure } from './calls';
import type { Core, Job } from './core';
import { endHandle, startLifted } from './lifts';
import { scheduleLapses } from './pause';
import { releaseAll } from './serve';
import { endTurn, park, resume } from './turns';

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
      failure('lost', 'The host ended while it ran: what it had done is unknown.'),
    );
  for (const turn of atWork) settleTurn(core, job, turn.id, 'host_lost');
  if (core.cord.pulled) tellPull(job);
  else {
    for (const turn of job.tx.turnsByStatus('paused')) settleTurn(core, job, turn.id, 'host_lost');
    for (const handle of job.tx.handlesByState('held')) startLifted(core, job, handle);
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
  const calls = job.tx.round(id);
  const blocking = blockingCall(calls);
  const running = calls.some((call) => call.status === 'running');
  if (turn.phase === 'calls' && blocking !== undefined && !running) {
    if (turn.status === 'paused') resume(job, turn);
    if (turn.status !== 'waiting') park(job, job.tx.turn(id) ?? turn, blocking);
    return;
  }
  endTurn(core, job, turn, 'interrupted', code, SENTENCE[code]);
}

const SENTENCE: Partial<Record<TurnCode, string>> = {
  host_lost: 'The host ended while this turn was at work. What ran then may have had effects.',
  host_stopped: 'The host was stopped while this turn was at work.',
};
