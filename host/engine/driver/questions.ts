/** Calls that a client answers: put once, taken, and ended exactly once by an answer, a lapse or a withdrawal (C1, C2). */
import { z } from 'zod';
import {
  isForm,
  readForm,
  SECRET_STORED,
  type Answer,
  type HandleEnd,
  type HandleId,
  type QuestionId,
  say,
} from '../../../protocol';
import { nextCall } from '../calls/call';
import { refuse, RequestError } from '../errors';
import type { CallResult, ClientAnswered, Prepared, Unsound } from '../ports';
import type { CallRecord, QuestionRecord, TurnRecord } from '../records';
import { questionView } from '../views';
import { tellAnswered } from './agentQuestions';
import { closeQuestion, failure, parentOf, recordResult, settleCall, where } from './calls';
import type { Core, Job } from './core';
import { endLifted, type LiftedOutcome } from './lifts';
import { consider } from './serve';
import { proceed } from './turns';

const BY_PERSON: ClientAnswered = { person: true, delivered: false };

/** How a call's answer comes about; undefined for a call that is run. */
export function clientOf(prepared: Prepared | Unsound): ClientAnswered | undefined {
  if ('error' in prepared) return undefined;
  return prepared.client ?? (prepared.tool === 'ask' ? BY_PERSON : undefined);
}

/** Writes the question before anyone sees it; a client that can serve it gets it with the same commit. */
export function putQuestion(
  core: Core,
  job: Job,
  turn: TurnRecord,
  call: CallRecord,
  handle: HandleId | undefined,
): void {
  const client = clientOf(call.prepared);
  if (client === undefined || 'error' in call.prepared) return;
  const lapseMs = client.person ? core.settings().lapseMs : undefined;
  const question = job.tx.insertQuestion({
    session: turn.session,
    turn: turn.id,
    call: call.call,
    parent: call.parent,
    tool: call.prepared.tool,
    title: call.title,
    args: call.prepared.args,
    handle,
    person: client.person,
    lapsesAt: lapseMs === undefined ? undefined : job.tx.now + lapseMs,
  });
  job.tx.changeCall(turn.id, call.call, { status: nextCall(call.status, 'asked'), asks: 'answer' });
  const { call: callId, session: _session, turn: _turn, ...rest } = questionView(question);
  job.tx.emit('question_asked', { ...rest, call_id: callId }, where(turn));
  if (question.lapsesAt !== undefined)
    job.effects.push({ kind: 'lapse_question', id: question.id, at: question.lapsesAt });
  consider(core, job, question);
}

export function answerQuestion(core: Core, job: Job, id: QuestionId, given: Answer, by: string): void {
  const question = openQuestion(job, id);
  const call = job.tx.call(question.turn, question.call);
  refuseUnfit(question, given);
  const answer = withoutSecret(given, call?.prepared);
  rememberSecret(job, given, call?.prepared);
  job.tx.changeQuestion(id, { state: 'answered', answer, by, answeredAt: job.tx.now });
  job.tx.emit(
    'question_answered',
    { id, call_id: question.call, answer, by, ...parentOf(question) },
    { session: question.session, turn: question.turn },
  );
  job.tx.audit(question.turn, question.call, { by, decidedAt: job.tx.now });
  closeQuestion(job, question);
  const result: CallResult =
    'error' in answer
      ? failure('tool_failed', answer.error)
      : {
          output: { answer: answer.text },
          failed: false,
          ...(answer.images === undefined ? {} : { images: answer.images }),
        };
  settleQuestion(core, job, question, { outcome: 'answered', result, ran: true });
}

/** The answer to a form fits its fields, or is refused so that the person can mend it. */
function refuseUnfit(question: QuestionRecord, given: Answer): void {
  if (!isForm(question) || 'error' in given) return;
  const read = readForm(question.args.form, given.text);
  if (!read.ok) throw new RequestError('invalid_params', read.problem, { question: question.id });
}

/**
 * The value of a secret goes to the client's own storage, and only that client can say so. Whatever else came may be
 * the secret itself: it is not kept, and the agent hears that nothing was stored (C1).
 */
function withoutSecret(answer: Answer, prepared: CallRecord['prepared'] | undefined): Answer {
  const secret = prepared !== undefined && clientOf(prepared)?.secret === true;
  if (!secret || 'error' in answer) return answer;
  return answer.text === SECRET_STORED ? { text: 'The person has stored it.' } : { error: NOT_STORED };
}

/** Names of stored secrets that are remembered, the newest: each is asked of the client by every host that starts. */
const SECRET_NAMES = 256;
const Named = z.object({ name: z.string() });

/** Its value is redacted by the hosts to come as well, which have to know what to ask the client for (X8). */
function rememberSecret(job: Job, given: Answer, prepared: CallRecord['prepared'] | undefined): void {
  if (prepared === undefined || 'error' in prepared || prepared.client?.secret !== true) return;
  const named = Named.safeParse(prepared.args);
  if (!named.success || 'error' in given || given.text !== SECRET_STORED) return;
  const { name } = named.data;
  job.tx.setSecretNames([...job.tx.secretNames().filter((one) => one !== name), name].slice(-SECRET_NAMES));
}

const NOT_STORED = 'The person answered without storing it; what they wrote is not passed on.';

export function lapseQuestion(core: Core, job: Job, id: QuestionId): void {
  const question = job.tx.question(id);
  if (question?.state !== 'open' || question.lapsesAt === undefined || core.cord.pulled) return;
  if (question.lapsesAt > job.tx.now) {
    job.effects.push({ kind: 'lapse_question', id, at: question.lapsesAt });
    return;
  }
  endQuestion(core, job, question, 'lapsed', {
    outcome: 'expired',
    result: failure('approval_lapsed', say('Nobody answered in time.')),
    ran: true,
  });
}

export interface QuestionEnd {
  readonly outcome: LiftedOutcome;
  /** The end of its handle, where it is not the outcome. */
  readonly end?: HandleEnd;
  readonly result: CallResult;
  readonly ran: boolean;
}

/** Ends a question without an answer, and its call or handle with it. */
export function endQuestion(
  core: Core,
  job: Job,
  question: QuestionRecord,
  fate: 'lapsed' | 'withdrawn' | 'unserved',
  end: QuestionEnd,
): void {
  closeQuestion(job, question, fate);
  settleQuestion(core, job, question, end);
}

function settleQuestion(core: Core, job: Job, question: QuestionRecord, end: QuestionEnd): void {
  const turn = job.tx.turn(question.turn);
  const call = job.tx.call(question.turn, question.call);
  if (turn === undefined || call === undefined) return;
  if (question.parent !== undefined) {
    recordResult(job, turn, call, end.result, end.ran);
    return;
  }
  const handle = question.handle === undefined ? undefined : job.tx.handle(question.handle);
  if (handle !== undefined) {
    endLifted(core, job, handle, end.outcome, end.result, end.end);
    return;
  }
  settleCall(core, job, turn, call, end.result, end.ran);
  tellAnswered(core, job, turn, call, question, end.result);
  proceed(core, job, turn.id);
}

export function takeQuestion(job: Job, id: QuestionId, client: string): QuestionRecord {
  const question = openQuestion(job, id);
  if (question.owner !== undefined && question.owner !== client)
    throw new RequestError(
      'question_answered',
      say('{owner} has taken this question already.', { owner: question.owner }),
      {
        question: id,
        by: question.owner,
      },
    );
  job.tx.changeQuestion(id, { owner: client });
  job.tx.emit(
    'question_taken',
    { id, call_id: question.call, owner: client, ...parentOf(question) },
    { session: question.session, turn: question.turn },
  );
  return { ...question, owner: client };
}

/** A question that still waits, or a refusal with its fate. */
function openQuestion(job: Job, id: QuestionId): QuestionRecord {
  const question = job.tx.question(id);
  if (question === undefined) throw refuse('question_unknown', { question: id });
  switch (question.state) {
    case 'open':
      return question;
    case 'answered':
      throw new RequestError(
        'question_answered',
        say('Already answered by {by}.', { by: question.by ?? say('unknown') }),
        {
          question: id,
          by: question.by,
          at: question.answeredAt,
        },
      );
    case 'lapsed':
      throw new RequestError('question_lapsed', say('This question lapsed: nobody answered in time.'), {
        question: id,
      });
    case 'withdrawn':
    case 'unserved':
      throw refuse('question_withdrawn', { question: id });
  }
}
