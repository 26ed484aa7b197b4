/** Sums up the older part of a conversation before its next request, when that would not fit (T7). */
import { addUsage, say, type SessionId, type TurnId } from '../../../protocol';
import type { Launch } from '../../base/launch';
import { keptItems, toSumUp } from '../compaction';
import { emptyConversation, foldConversation, settle, type Conversation } from '../context';
import { refuse, RequestError } from '../errors';
import { historyFrom } from '../history';
import { ModelFailure, type ModelAnswer } from '../ports';
import type { SessionRecord, TurnRecord } from '../records';
import { hasEnded } from '../turns/turn';
import { where } from './calls';
import { request, type Core, type Job, type LiveRequest } from './core';
import { record } from './facts';
import { pauseTurn, proceed } from './turns';
import { ofTurn } from './unwritten';

/**
 * Asks the turn's own model, then asks again for the answer itself. What fails is the caller's to retry; a model
 * that cannot sum up is asked as things are, and says itself what it cannot read.
 */
export function compact(
  core: Core,
  asked: {
    readonly turn: TurnRecord;
    readonly session: SessionRecord;
    readonly conversation: Conversation;
    readonly system: string;
  },
  launch: Launch,
  failed: (error: unknown, live: LiveRequest) => void,
): void {
  const { turn, session, conversation, system } = asked;
  const kept = keptItems(conversation, core.models.contextWindow(turn.model)) ?? 0;
  const live: LiveRequest = {
    abort: new AbortController(),
    done: Promise.resolve(),
    text: '',
    reasoning: '',
  };
  core.requests.set(turn.id, live);
  live.done = core.models
    .answer(
      {
        model: turn.model,
        system,
        items: toSumUp(conversation, kept),
        tools: core.tools.specs(),
        session: session.id,
      },
      launch,
      live.abort.signal,
      () => undefined,
    )
    .then(
      (answer) => {
        core.requests.delete(turn.id);
        if (answer.text.trim() === '') conversation.refused = true;
        record(core, ofTurn(turn.id), (job) => recordSummary(core, job, turn.id, answer, kept));
      },
      (error: unknown) => {
        core.requests.delete(turn.id);
        if (error instanceof ModelFailure && !error.retry) {
          core.log('warn', `A conversation could not be summed up: ${error.message}`);
          conversation.refused = true;
          record(core, ofTurn(turn.id), (job) => askOn(core, job, turn.id));
        } else failed(error, live);
      },
    );
}

function recordSummary(core: Core, job: Job, id: TurnId, answer: ModelAnswer, kept: number): void {
  const turn = job.tx.turn(id);
  if (turn === undefined || hasEnded(turn.status)) return;
  const session = job.tx.session(turn.session);
  const step = turn.rounds + 1;
  job.tx.emit('usage_recorded', { step, model: turn.model, usage: answer.usage }, where(turn));
  if (session !== undefined)
    job.tx.changeSession(session.id, { usage: addUsage(session.usage, answer.usage) });
  job.tx.changeTurn(id, { usage: addUsage(turn.usage, answer.usage) });
  if (answer.text.trim() !== '') {
    const summary = [answer.text.trim(), ...openHandles(job, turn)].join('\n');
    job.tx.emit('compacted', { summary, step, kept }, where(turn));
  }
  askOn(core, job, id);
}

/** A person's wish: kept with the newest turn, and done before the next model request. */
export async function askSummary(core: Core, id: SessionId, by: string): Promise<void> {
  if (!core.trusted()) throw refuse('untrusted_workspace');
  const conversation = core.ledger.read((tx) => {
    const session = tx.session(id);
    if (session === undefined) throw refuse('session_unknown', { session: id });
    if (session.agent.kind === 'harness')
      throw new RequestError('invalid_params', say('An outside agent sums up its conversation by itself.'));
    const read = emptyConversation(historyFrom(tx, id));
    foldConversation(read, tx.sessionEvents(id, read.seq));
    settle(read);
    if (keptItems(read, core.models.contextWindow(session.agent.model)) === undefined)
      throw new RequestError('invalid_params', say('There is nothing to sum up yet.'));
    return read;
  });
  if (conversation.full) return;
  await request(core, (job) => {
    const last = job.tx.lastTurn(id);
    if (last !== undefined) job.tx.emit('compaction_asked', { by }, where(last));
  });
}

/** What still runs or waits is told from the rows: no summary may lose it. */
function openHandles(job: Job, turn: TurnRecord): readonly string[] {
  const states = ['waiting', 'held', 'running'] as const;
  return states
    .flatMap((state) => job.tx.handlesByState(state))
    .filter((handle) => handle.session === turn.session)
    .map(({ id, title, state, waitsFor }) => {
      const doing = state === 'running' ? 'runs' : `waits for ${waitsFor ?? 'its start'}`;
      return `Still open: ${id} (${title}) ${doing}.`;
    });
}

/** Asks for the answer, as before; an interrupt or a pull that came meanwhile is seen there. */
export function askOn(core: Core, job: Job, id: TurnId): void {
  const turn = job.tx.turn(id);
  if (turn === undefined || hasEnded(turn.status) || core.stopping) return;
  if (core.cord.pulled) pauseTurn(job, turn);
  else if (turn.phase === 'ending') proceed(core, job, id);
  else job.effects.push({ kind: 'ask_model', turn: id, attempt: 1, launch: core.cord.launch() });
}
