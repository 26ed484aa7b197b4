/** Does what a commit has decided: the only place where the driver touches the outside. */
import { say, type CallId, type HandleId, type TurnId } from '../../../protocol';
import { CordPulled, type Launch } from '../../base/launch';
import type { CallResult } from '../ports';
import { blockingCall } from '../turns/loop';
import { hasEnded } from '../turns/turn';
import { answerAgent, replyAgent, dropAgent, promptAgent, steerAgent } from './agents';
import { callsOf } from './agentLive';
import { failure, isPrepared, parentOf, settleCall, where, workplace } from './calls';
import { describe, runKey, type Core, type Effect, type Job } from './core';
import { record } from './facts';
import { finishRun } from './finish';
import { liftNow } from './messages';
import { askModel, type Conversations } from './model';
import { settleWait } from './own';
import { lapseQuestion } from './questions';
import { consider, deliver } from './serve';
import { enterPlace, leavePlace, refused, stepsOf } from './steps';
import { recordTogether } from './together';
import { beginLook, performLook, typeOnly } from './terminals';
import { park, pauseTurn, proceed, resume } from './turns';
import { instead, ofApproval, ofCall, ofNothing, ofQuestion, ofTurn, type Subject } from './unwritten';
import { lapseApproval } from './verdicts';

export function performer(core: () => Core, conversations: Conversations, platform: string) {
  return (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      try {
        perform(core(), conversations, platform, effect);
      } catch (error) {
        failed(core(), effect, error);
      }
    }
  };
}

/** An effect that could not even begin: its turn says so, and nothing waits for it for ever (R5). */
function failed(core: Core, effect: Effect, error: unknown): void {
  core.log('error', `${effect.kind} could not be done: ${describe(error)}`);
  const of = subjectOf(core, effect);
  record(core, of, (job) => instead(core, of)[0]?.(job));
}

/** Who would wait for ever for an effect that has not begun. */
function subjectOf(core: Core, effect: Effect): Subject {
  switch (effect.kind) {
    case 'ask_model':
    case 'prompt_agent':
    case 'run':
    case 'hold':
    case 'grace':
    case 'retry':
      return ofTurn(effect.turn);
    case 'look':
    case 'step_ready':
    case 'step_done':
    case 'wait_deadline':
    case 'call_answered':
      return ofCall(effect.turn, effect.call);
    case 'stop_handle':
      return ofCall(effect.reply.turn, effect.reply.call);
    case 'deliver':
      return ofQuestion(effect.question);
    case 'answer_agent':
    case 'reply_agent': {
      const turn = core.agents.get(effect.session)?.turn;
      return turn === undefined ? ofNothing : ofTurn(turn);
    }
    case 'steer_agent':
    case 'drop_agent':
    case 'detach':
    case 'stop_run':
    case 'step_waits':
    case 'lapse_approval':
    case 'lapse_question':
    case 'look_again':
    case 'call_off':
    case 'unschedule':
    case 'forget':
      return ofNothing;
  }
}

function perform(core: Core, conversations: Conversations, platform: string, effect: Effect): void {
  const { schedule, clock } = core;
  switch (effect.kind) {
    case 'ask_model':
      askModel(core, conversations, effect.turn, effect.attempt, effect.launch, platform);
      return;
    case 'prompt_agent':
      promptAgent(core, effect.turn, effect.launch);
      return;
    case 'steer_agent':
      steerAgent(core, effect.turn, effect.launch);
      return;
    case 'answer_agent':
      answerAgent(core, effect.session, effect.call, effect.verdict, effect.launch);
      return;
    case 'reply_agent':
      replyAgent(core, effect.session, effect.request, effect.verdict, effect.launch);
      return;
    case 'drop_agent':
      dropAgent(core, effect.session, effect.why);
      return;
    case 'run':
      startRun(core, effect.turn, effect.call, effect.launch);
      return;
    case 'detach':
      core.runs.get(runKey(effect.turn, effect.call))?.run.detach();
      core.looks.get(runKey(effect.turn, effect.call))?.abandon();
      return;
    case 'look':
      performLook(core, effect);
      return;
    case 'stop_run':
      core.runs
        .get(runKey(effect.turn, effect.call))
        ?.run.stop('cancelled')
        .catch((error: unknown) => core.log('error', `A stop failed: ${describe(error)}`));
      return;
    case 'stop_handle':
      stopForCall(core, effect.handle, effect.reply.turn, effect.reply.call);
      return;
    case 'step_ready':
      enterPlace(core, effect.turn, effect.call);
      return;
    case 'step_waits':
      leavePlace(core, effect.turn, effect.call);
      return;
    case 'step_done':
      core.steps.get(runKey(effect.turn, effect.call))?.settle(effect.result);
      return;
    case 'hold':
      schedule.set(`hold:${effect.turn}`, clock.now() + core.settings().holdMs, () =>
        record(core, ofTurn(effect.turn), (job) => {
          const turn = job.tx.turn(effect.turn);
          if (turn?.status !== 'running' || (turn.phase !== 'calls' && turn.phase !== 'agent')) return;
          const calls = callsOf(job.tx, turn);
          const call =
            turn.phase === 'calls' ? blockingCall(calls) : calls.find((one) => one.status === 'asking');
          if (call !== undefined) park(job, turn, call);
        }),
      );
      return;
    case 'grace':
      // One grace for a steer: what comes meanwhile does not begin it anew (L1).
      if (schedule.has(`grace:${effect.turn}`)) return;
      schedule.set(`grace:${effect.turn}`, clock.now() + core.settings().steerGraceMs, () =>
        record(core, ofTurn(effect.turn), (job) => liftNow(core, job, effect.turn)),
      );
      return;
    case 'lapse_approval':
      schedule.set(`approval:${effect.id}`, effect.at, () =>
        record(core, ofApproval(effect.id), (job) => lapseApproval(core, job, effect.id)),
      );
      return;
    case 'lapse_question':
      schedule.set(`question:${effect.id}`, effect.at, () =>
        record(core, ofQuestion(effect.id), (job) => lapseQuestion(core, job, effect.id)),
      );
      return;
    case 'call_answered':
      core.waiting.get(runKey(effect.turn, effect.call))?.(effect.result);
      return;
    case 'look_again':
      schedule.set(`serve:${effect.id}`, effect.at, () =>
        record(core, ofQuestion(effect.id), (job) => {
          const question = job.tx.question(effect.id);
          if (question !== undefined) consider(core, job, question);
        }),
      );
      return;
    case 'deliver':
      deliver(core, effect.question, effect.owner, effect.launch);
      return;
    case 'call_off':
      schedule.clear(`serve:${effect.question}`);
      core.deliveries.get(effect.question)?.abort.abort('cancelled');
      return;
    case 'wait_deadline':
      schedule.set(`wait:${effect.turn}/${effect.call}`, effect.at, () =>
        endWait(core, effect.turn, effect.call),
      );
      return;
    case 'retry':
      schedule.set(`retry:${effect.turn}`, effect.at, () => retry(core, effect.turn, effect.attempt));
      return;
    case 'unschedule':
      schedule.clear(effect.key);
      return;
    case 'forget':
      conversations.delete(effect.session);
      schedule.clear(`hold:${effect.turn}`);
      for (const look of core.settled.get(effect.turn) ?? []) look();
      return;
  }
}

function endWait(core: Core, turnId: TurnId, callId: CallId): void {
  record(core, ofCall(turnId, callId), (job) => {
    const turn = job.tx.turn(turnId);
    const call = job.tx.call(turnId, callId);
    if (turn === undefined || call?.status !== 'asking' || hasEnded(turn.status)) return;
    settleWait(core, job, turn, call, 'deadline');
    proceed(core, job, turnId);
  });
}

function retry(core: Core, id: TurnId, attempt: number): void {
  record(core, ofTurn(id), (job) => {
    const turn = job.tx.turn(id);
    if (core.stopping || turn?.phase !== 'model' || hasEnded(turn.status)) return;
    if (core.cord.pulled) {
      pauseTurn(job, turn);
      return;
    }
    resume(job, turn);
    job.effects.push({ kind: 'ask_model', turn: id, attempt, launch: core.cord.launch() });
  });
}

/** Starts the work of a call that is marked as started, with its turn's folder. */
function startRun(core: Core, turnId: TurnId, callId: CallId, launch: Launch): void {
  const found = core.ledger.read((tx) => ({ turn: tx.turn(turnId), call: tx.call(turnId, callId) }));
  const { turn, call } = found;
  if (turn === undefined || call === undefined || !isPrepared(call.prepared)) return;
  const key = runKey(turnId, callId);
  const of = ofCall(turnId, callId);
  const step = core.steps.get(key);
  const end = (result: CallResult) => {
    core.runs.delete(key);
    const told = result.ran === false && step?.isHalted() === true ? refused(step.tool) : result;
    const finish = (job: Job) => finishRun(core, job, turnId, callId, told);
    if (step === undefined) record(core, of, finish);
    else {
      // Its place is free before its result is written, so that the next one starts in the same commit.
      step.place?.leave();
      recordTogether(core, of, finish);
    }
  };
  if (call.tool === 'write_stdin') {
    end(typeOnly(core, turn.session, call.prepared, launch));
    return;
  }
  const isTerminal = call.prepared.opens !== undefined;
  try {
    step?.began();
    const run = core.tools.run(
      call.prepared,
      workplace(core, turn, callId),
      launch,
      (stream, text) => {
        // Behind its first look a terminal is shown to those who attach to it.
        if (!isTerminal || core.looks.has(key))
          core.show('tool_progress', { call_id: callId, stream, text, ...parentOf(call) }, where(turn));
      },
      stepsOf(core, turnId, callId, launch),
    );
    core.runs.set(key, { run, turn: turnId, call: callId, prepared: call.prepared });
    if (isTerminal && call.status === 'running' && call.handle !== undefined)
      beginLook(core, { turn: turnId, call: callId }, call.prepared, run, call.handle);
    if (call.handle !== undefined) run.detach();
    run.done.then(end, (error: unknown) => end(failure('tool_failed', describe(error))));
  } catch (error) {
    end(
      error instanceof CordPulled
        ? {
            ...failure('host_paused', say('The person paused everything before it started: it has not run.')),
            ran: false,
          }
        : failure('tool_failed', describe(error)),
    );
  }
}

/** `write_stdin … kill` on something that runs: the reply comes when its end has been seen (L11). */
function stopForCall(core: Core, handleId: HandleId, turnId: TurnId, callId: CallId): void {
  const handle = core.ledger.read((tx) => tx.handle(handleId));
  const live = handle === undefined ? undefined : core.runs.get(runKey(handle.turn, handle.call));
  const answer = (stopped: boolean, survivors: readonly number[]) =>
    record(core, ofCall(turnId, callId), (job) => {
      const turn = job.tx.turn(turnId);
      const call = job.tx.call(turnId, callId);
      if (turn === undefined || call === undefined) return;
      settleCall(
        core,
        job,
        turn,
        call,
        {
          output: {
            handle: handleId,
            stopped,
            ran: true,
            ...(survivors.length === 0 ? {} : { survivors: [...survivors] }),
          },
          failed: false,
        },
        true,
      );
      proceed(core, job, turnId);
    });
  if (live === undefined) {
    answer(true, []);
    return;
  }
  live.run.stop('stopped').then(
    async (report) => {
      if (report.stopped) await live.run.done;
      answer(report.stopped, report.survivors);
    },
    (error: unknown) => {
      core.log('error', `A stop failed: ${describe(error)}`);
      answer(false, []);
    },
  );
}
