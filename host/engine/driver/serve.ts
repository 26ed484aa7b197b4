/**
 * Deliveries: calls that a client serves without being asked by hand. The owner of a tool is found at each
 * delivery; one that goes gives the call back, and another owner, or the same one after a reload, gets it (C2).
 */
import { say, type QuestionId } from '../../../protocol';
import type { Launch } from '../../base/launch';
import { nextDelivery } from '../questions/delivery';
import type { ClientToolOutcome } from '../ports';
import type { CallRecord, QuestionRecord, TurnRecord } from '../records';
import { failure, parentOf, refusedNow } from './calls';
import type { Core, Job } from './core';
import { record, type Act } from './facts';
import { attemptsOf, mayHaveRun } from './handedOver';
import { answerQuestion, clientOf, endQuestion, takeQuestion } from './questions';
import { ofNothing, ofQuestion } from './unwritten';

/** How long a client that said it was paused while the host is not is left alone, ms. */
const LEFT_ALONE_MS = 1_000;

/** Decides where an open question goes. Asking twice changes nothing. */
export function consider(core: Core, job: Job, question: QuestionRecord): void {
  const turn = job.tx.turn(question.turn);
  const call = job.tx.call(question.turn, question.call);
  const client = call === undefined ? undefined : clientOf(call.prepared);
  if (turn === undefined || call === undefined || client === undefined) return;
  const next = nextDelivery({
    open: question.state === 'open',
    delivered: client.delivered,
    person: question.person,
    taken: question.owner !== undefined,
    held: core.cord.pulled || !core.trusted(),
    owner: core.clientTools.ownerOf(question.tool),
    goneSince: core.clientTools.goneSince(question.tool),
    graceMs: core.settings().clientGraceMs,
    now: job.tx.now,
  });
  switch (next.kind) {
    case 'wait':
      return;
    case 'grace':
      job.effects.push({ kind: 'look_again', id: question.id, at: next.until });
      return;
    case 'unserved':
      endUnserved(core, job, question);
      return;
    case 'hand_over':
      handOver(core, job, turn, call, question, next.owner);
  }
}

/** Who has had the call may have done what it asks for before it went (R3). */
function endUnserved(core: Core, job: Job, question: QuestionRecord): void {
  const { tool } = question;
  const wasTaken = mayHaveRun(job.tx, question);
  const detail = wasTaken
    ? say('The extension that serves {tool} has gone with the call: whether it has run is unknown.', { tool })
    : say('The extension that serves {tool} has gone: it has not run.', { tool });
  const result = failure('unserved', detail);
  endQuestion(core, job, question, 'unserved', { outcome: 'unserved', result, ran: wasTaken });
}

/** Judged again in the job that hands it over: a deny rule of now wins (A7). */
function handOver(
  core: Core,
  job: Job,
  turn: TurnRecord,
  call: CallRecord,
  question: QuestionRecord,
  owner: string,
): void {
  const refused = refusedNow(core, job, turn, call);
  if (refused !== undefined) {
    endQuestion(core, job, question, 'withdrawn', { outcome: 'denied', result: refused, ran: false });
    return;
  }
  takeQuestion(job, question.id, owner);
  job.tx.audit(turn.id, call.call, { startedAt: job.tx.now });
  job.effects.push({ kind: 'deliver', question: question.id, owner, launch: core.cord.launch() });
}

/** Looks at every question that a client may serve: one has come or gone, the cord was released, trust is back. */
export function considerAll(core: Core, job: Job): void {
  for (const question of job.tx.openQuestions()) {
    const fresh = job.tx.question(question.id);
    if (fresh?.state === 'open') consider(core, job, fresh);
  }
}

/** The same as a job of its own, unless there is nothing to look at. */
export function considerClients(core: Core): void {
  if (core.stopping || core.ledger.read((tx) => tx.openQuestions()).length === 0) return;
  record(core, ofNothing, (job) => considerAll(core, job));
}

/** Whoever had a question before this host started has gone with the earlier one. */
export function releaseAll(core: Core, job: Job): void {
  for (const question of job.tx.openQuestions()) if (question.owner !== undefined) release(job, question);
  considerAll(core, job);
}

function release(job: Job, question: QuestionRecord): QuestionRecord {
  job.tx.changeQuestion(question.id, { owner: undefined });
  job.tx.emit(
    'question_released',
    { id: question.id, call_id: question.call, ...parentOf(question) },
    { session: question.session, turn: question.turn },
  );
  return { ...question, owner: undefined };
}

/** Hands a question to the client that has taken it. */
export function deliver(core: Core, id: QuestionId, owner: string, launch: Launch): void {
  const found = core.ledger.read((tx) => {
    const question = tx.question(id);
    if (question?.state !== 'open' || question.owner !== owner) return undefined;
    const turn = tx.turn(question.turn);
    const call = tx.call(question.turn, question.call);
    const attempt = attemptsOf(tx, question);
    return turn === undefined || call === undefined ? undefined : { question, turn, call, attempt };
  });
  if (found === undefined) return;
  const { question, turn, call, attempt } = found;
  const abort = new AbortController();
  const timeoutMs = clientOf(call.prepared)?.timeoutMs;
  if (!question.person && timeoutMs !== undefined)
    core.schedule.set(`serve:${id}`, core.clock.now() + timeoutMs, () =>
      record(core, ofQuestion(id), (job) => timedOut(core, job, id, timeoutMs)),
    );
  const request = {
    question: id,
    session: question.session,
    turn: question.turn,
    call: question.call,
    tool: question.tool,
    args: question.args,
    folder: turn.folder,
    attempt: Math.max(1, attempt),
    epoch: core.cord.epoch,
  };
  core.deliveries.set(id, { abort, person: question.person, call: question.call, title: question.title });
  const over = (act: Act) => {
    core.deliveries.delete(id);
    core.schedule.clear(`serve:${id}`);
    if (!core.stopping) record(core, ofQuestion(id), act);
  };
  core.clientTools.run(owner, request, launch, abort.signal).then(
    (outcome) => over((job) => delivered(core, job, id, owner, outcome)),
    (error: unknown) =>
      over((job) => delivered(core, job, id, owner, { kind: 'answered', answer: { error: String(error) } })),
  );
}

function delivered(core: Core, job: Job, id: QuestionId, owner: string, outcome: ClientToolOutcome): void {
  const question = job.tx.question(id);
  // What comes after the end is dropped (R9).
  if (question?.state !== 'open') return;
  switch (outcome.kind) {
    case 'answered':
      answerQuestion(core, job, id, outcome.answer, owner);
      return;
    case 'gone':
      if (question.owner === owner) consider(core, job, release(job, question));
      return;
    case 'paused':
      if (question.owner === owner) release(job, question);
      if (!core.cord.pulled) job.effects.push({ kind: 'look_again', id, at: job.tx.now + LEFT_ALONE_MS });
  }
}

function timedOut(core: Core, job: Job, id: QuestionId, timeoutMs: number): void {
  const question = job.tx.question(id);
  if (question?.state !== 'open') return;
  endQuestion(core, job, question, 'withdrawn', {
    outcome: 'expired',
    end: 'timed_out',
    result: failure(
      'timed_out',
      say('{tool} gave no answer within {ms} ms.', { tool: question.tool, ms: timeoutMs }),
    ),
    ran: true,
  });
}

/** What clients are doing by themselves, without a person. */
export const servedAlone = (core: Core): readonly QuestionId[] =>
  [...core.deliveries].filter(([, delivery]) => !delivery.person).map(([id]) => id);

/** A pull ends what a client was doing by itself; what asks a person goes on waiting (P4, P5). */
export function pauseDeliveries(core: Core, job: Job, served: readonly QuestionId[]): void {
  for (const id of served) {
    const question = job.tx.question(id);
    if (question?.state !== 'open') continue;
    endQuestion(core, job, question, 'withdrawn', {
      outcome: 'stopped',
      end: 'host_paused',
      result: failure('host_paused', say('The person paused everything; this call was ended at its client.')),
      ran: true,
    });
  }
}
