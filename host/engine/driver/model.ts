/** One model request: asked through the cord, retried with back-off, its answer recorded with its plan before anything runs. */
import {
  CallId,
  CALLS_PER_ROUND,
  BACKOFF_MOST_MS,
  RETRY_AFTER_MOST_MS,
  addUsage,
  type TurnId,
  say,
} from '../../../protocol';
import { CordPulled, type Launch } from '../../base/launch';
import { keptItems, mustCompact } from '../compaction';
import { emptyConversation, foldConversation, settle, type Conversation } from '../context';
import { historyFrom } from '../history';
import { ModelFailure, type ModelAnswer, type Prepared, type Unsound } from '../ports';
import { systemPrompt } from '../prompt';
import type { TurnRecord } from '../records';
import { hasEnded } from '../turns/turn';
import { announce, isPrepared, where, workplace } from './calls';
import { askOn, compact } from './compact';
import type { Core, Job, LiveRequest } from './core';
import { record } from './facts';
import { lookAtProject } from './projectInstructions';
import { endTurn, pace, pauseTurn, proceed } from './turns';
import { ofTurn } from './unwritten';

/** Conversations of sessions whose turns are at work; dropped when the turn is parked or over. */
export type Conversations = Map<string, Conversation>;

export function askModel(
  core: Core,
  conversations: Conversations,
  id: TurnId,
  attempt: number,
  launch: Launch,
  platform: string,
): void {
  const asked = core.ledger.read((tx) => {
    const turn = tx.turn(id);
    const session = turn === undefined ? undefined : tx.session(turn.session);
    if (turn === undefined || session === undefined || turn.phase !== 'model' || hasEnded(turn.status))
      return undefined;
    const conversation = conversations.get(session.id) ?? emptyConversation(historyFrom(tx, session.id));
    conversations.set(session.id, conversation);
    foldConversation(conversation, tx.sessionEvents(session.id, conversation.seq));
    settle(conversation);
    return { turn, session, conversation, project: tx.projectInstructions(session.id) };
  });
  if (asked === undefined) return;
  const { turn, session, conversation, project } = asked;
  const window = core.models.contextWindow(turn.model);
  const failed = (error: unknown, live: LiveRequest) =>
    record(core, ofTurn(id), (job) => recordFailure(core, job, id, attempt, error, live));
  const goOn = () => askModel(core, conversations, id, attempt, launch, platform);
  if (lookAtProject(core, asked, launch, failed, goOn)) return;
  const system = systemPrompt(session, turn, platform, project);
  if (mustCompact(conversation, window)) {
    compact(core, { turn, session, conversation, system }, launch, failed);
    return;
  }
  const live: LiveRequest = {
    abort: new AbortController(),
    done: Promise.resolve(),
    text: '',
    reasoning: '',
  };
  core.requests.set(id, live);
  const step = turn.rounds + 1;
  const tools = core.tools.specs();
  if (step === 1 && attempt === 1)
    core.log('info', `${id}: ${String(tools.length)} tools are advertised to its agent.`);
  const ask = () =>
    core.models.answer(
      {
        model: turn.model,
        system,
        items: conversation.items,
        tools,
        session: session.id,
      },
      launch,
      live.abort.signal,
      (piece) => {
        if (piece.kind === 'text') live.text += piece.text;
        else live.reasoning += piece.text;
        core.show(
          piece.kind === 'text' ? 'text_delta' : 'reasoning_delta',
          { step, text: piece.text },
          where(turn),
        );
      },
    );
  const ready = core.tools.ready?.(launch, live.abort.signal);
  live.done = (ready === undefined ? ask() : ready.then(ask))
    .then((answer) => prepareAnswer(core, turn, answer))
    .then(
      ({ answer, prepared }) => {
        core.requests.delete(id);
        record(core, ofTurn(id), (job) => recordAnswer(core, job, id, answer, prepared));
      },
      (error: unknown) => {
        core.requests.delete(id);
        if (isTooLong(error) && !conversation.full && keptItems(conversation, window) !== undefined) {
          conversation.full = true;
          record(core, ofTurn(id), (job) => askOn(core, job, id));
        } else failed(error, live);
      },
    );
}

const isTooLong = (error: unknown): boolean =>
  error instanceof ModelFailure && error.code === 'context_limit';

interface PreparedCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: string;
  readonly prepared: Prepared | Unsound;
}

/** Looks at each call's arguments; a call id that this turn has had already gets a name of its own. */
async function prepareAnswer(core: Core, turn: TurnRecord, answer: ModelAnswer) {
  if (answer.calls.length > CALLS_PER_ROUND)
    throw new ModelFailure(
      'model_malformed',
      say('The model planned {count} calls at once.', { count: answer.calls.length }),
      true,
    );
  const used = new Set<string>();
  const calls = answer.calls.map((call) => {
    let callId = call.callId;
    const taken = (candidate: string) =>
      used.has(candidate) ||
      core.ledger.read((tx) => tx.call(turn.id, CallId.parse(candidate))) !== undefined;
    for (let n = turn.rounds; taken(callId); n++) callId = `${call.callId}_${String(n)}`;
    used.add(callId);
    return { ...call, callId };
  });
  const prepared = await Promise.all(
    calls.map(async (call): Promise<PreparedCall> => ({
      ...call,
      prepared: await core.tools.prepare(
        call.tool,
        call.args,
        workplace(core, turn, CallId.parse(call.callId)),
      ),
    })),
  );
  return { answer: { ...answer, calls }, prepared };
}

/** The answer, its cost, its plan and its requests for verdicts: one commit (R1, A1). */
function recordAnswer(
  core: Core,
  job: Job,
  id: TurnId,
  answer: ModelAnswer,
  calls: readonly PreparedCall[],
): void {
  const turn = job.tx.turn(id);
  if (turn === undefined || turn.phase === 'calls' || hasEnded(turn.status)) return;
  const step = turn.rounds + 1;
  const dropped = turn.phase === 'ending';
  job.tx.emit(
    'message_completed',
    { step, text: answer.text, ...(answer.reasoning === '' ? {} : { reasoning: answer.reasoning }) },
    where(turn),
    dropped ? {} : { calls: answer.calls, ...(answer.native === undefined ? {} : { native: answer.native }) },
  );
  job.tx.emit('usage_recorded', { step, model: turn.model, usage: answer.usage }, where(turn));
  const session = job.tx.session(turn.session);
  if (session !== undefined)
    job.tx.changeSession(session.id, { usage: addUsage(session.usage, answer.usage) });
  job.tx.changeTurn(id, {
    rounds: step,
    usage: addUsage(turn.usage, answer.usage),
    ...(dropped ? {} : { phase: 'calls' as const }),
  });
  if (dropped) {
    proceed(core, job, id);
    return;
  }
  plan(core, job, { ...turn, rounds: step, phase: 'calls' }, calls);
  if (answer.stop === 'refusal')
    endTurn(core, job, turn, 'failed', 'model_refused', say('The model refused to answer.'));
  else if (answer.stop === 'length' && calls.length === 0)
    endTurn(
      core,
      job,
      turn,
      'failed',
      'model_output_limit',
      say('The answer was longer than the model may write, and was cut.'),
    );
  else proceed(core, job, id);
}

function plan(core: Core, job: Job, turn: TurnRecord, calls: readonly PreparedCall[]): void {
  if (calls.length === 0) return;
  const rows = calls.map((call, place) => ({
    turn: turn.id,
    call: CallId.parse(call.callId),
    session: turn.session,
    parent: undefined,
    step: turn.rounds,
    place,
    tool: call.tool,
    title: isPrepared(call.prepared) ? call.prepared.title : call.tool,
    status: 'planned' as const,
    asks: undefined,
    prepared: call.prepared,
  }));
  job.tx.emit(
    'calls_planned',
    {
      step: turn.rounds,
      calls: rows.map((row, n) => ({
        call_id: row.call,
        tool: row.tool,
        title: row.title,
        args: isPrepared(row.prepared) ? row.prepared.args : (calls[n]?.args ?? ''),
      })),
    },
    where(turn),
  );
  for (const row of rows) job.tx.insertCall(row);
  for (const row of rows)
    announce(core, job, turn, {
      ...row,
      failed: false,
      handle: undefined,
      startedAt: undefined,
      deadline: undefined,
    });
}

function recordFailure(
  core: Core,
  job: Job,
  id: TurnId,
  attempt: number,
  error: unknown,
  live: LiveRequest,
): void {
  const turn = job.tx.turn(id);
  if (turn === undefined || hasEnded(turn.status) || turn.phase === 'calls') return;
  if (turn.phase === 'ending') {
    keepPartial(job, turn, live, false);
    proceed(core, job, id);
    return;
  }
  if (core.stopping) {
    keepPartial(job, turn, live, false);
    return;
  }
  if (error instanceof CordPulled || live.abort.signal.aborted) {
    keepPartial(job, turn, live, true);
    pauseTurn(job, turn);
    proceed(core, job, id);
    return;
  }
  const failed =
    error instanceof ModelFailure
      ? error
      : new ModelFailure('internal', error instanceof Error ? error.message : String(error), false);
  if (!(error instanceof ModelFailure)) core.log('error', `A model adapter failed: ${String(error)}`);
  const tooLong = failed.retryAfterMs !== undefined && failed.retryAfterMs > RETRY_AFTER_MOST_MS;
  if (!failed.retry || attempt >= attemptsOf(core, failed) || tooLong) {
    endTurn(core, job, turn, 'failed', failed.code, failed.message);
    return;
  }
  retryLater(core, job, turn, attempt, failed);
}

/** What was streamed of an answer that did not come to its end stays on screen, marked (P4). */
function keepPartial(job: Job, turn: TurnRecord, live: LiveRequest, madeAgain: boolean): void {
  if (live.text === '' && live.reasoning === '') return;
  job.tx.emit(
    'message_completed',
    {
      step: turn.rounds + 1,
      text: live.text,
      partial: true,
      ...(live.reasoning === '' ? {} : { reasoning: live.reasoning }),
    },
    where(turn),
    madeAgain ? { skip: true } : {},
  );
}

const attemptsOf = (core: Core, { attemptsMost }: ModelFailure): number =>
  Math.min(core.settings().modelAttempts, attemptsMost ?? Infinity);

/** Pauses of at least this are shown as a state of the turn, ms; shorter ones only as a line. */
const PACED_FROM_MS = 1_000;

function retryLater(core: Core, job: Job, turn: TurnRecord, attempt: number, failed: ModelFailure): void {
  const { backoffMs } = core.settings();
  const backoff = Math.min(BACKOFF_MOST_MS, backoffMs * 2 ** (attempt - 1));
  const delayMs = Math.round(Math.max(failed.retryAfterMs ?? 0, backoff * (0.8 + 0.4 * core.random())));
  job.tx.emit(
    'model_retry',
    { attempt, attempts: attemptsOf(core, failed), code: failed.code, detail: failed.message, delayMs },
    where(turn),
  );
  const at = job.tx.now + delayMs;
  if (delayMs >= PACED_FROM_MS) pace(job, turn, at, failed.code);
  job.effects.push({ kind: 'retry', turn: turn.id, attempt: attempt + 1, at });
}
