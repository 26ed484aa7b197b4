/**
 * What outside agents ask the person in their own protocols: questions like any other, answered once (H2, R5). The
 * answer goes to the process that waits for it, or is told with the next prompt when that is gone (C8). What nobody is
 * asked for stands in the chat and in the audit with what it was answered.
 */
import {
  FORM_TOOL,
  FormQuestion,
  isForm,
  readForm,
  say,
  type CallId,
  type FormContent,
  type SessionId,
  type TurnId,
} from '../../../protocol';
import type { HarnessCall, HarnessEvent, HarnessVerdict } from '../harnessPort';
import type { CallResult, Prepared } from '../ports';
import type { CallRecord, QuestionRecord, TurnRecord } from '../records';
import { answeredText, deniedText } from '../turns/agentPrompt';
import { hasEnded } from '../turns/turn';
import { answer, askedAgain, denied, insert, openTurn, refuse, reply, tellLater } from './agentCalls';
import { isAtWork, type LiveAgent } from './agentLive';
import { failure, isPrepared, recordResult } from './calls';
import type { Core, Job } from './core';
import { answerOwn } from './own';
import { proceed } from './turns';

const formPrepared = (call: HarnessCall, args: unknown): Prepared => ({
  tool: FORM_TOOL,
  class: 'own',
  title: call.title,
  args,
  preview: { kind: 'arguments' },
  subject: { kind: 'none' },
  liftable: false,
  client: { person: true, delivered: false },
});

type Asked = Extract<HarnessEvent, { kind: 'question' }>;
type Unasked = Extract<HarnessEvent, { kind: 'unasked' }>;

/** A question that the agent waits for: written down before anyone sees it, like one of Belay's own. */
export function applyQuestion(
  core: Core,
  agent: LiveAgent,
  id: TurnId,
  known: CallId,
  { request, call: said, asked }: Asked,
): (job: Job) => void {
  return (job) => {
    const turn = openTurn(job, id);
    if (turn === undefined) {
      refuse(core, job, agent, request);
      return;
    }
    const prepared = formPrepared(said, asked);
    const call = askedAgain(job, turn, known, agent, said.id);
    agent.requests.set(call, request);
    const row = shown(job, turn, call, said, prepared);
    answerOwn(core, job, turn, row);
    if (job.tx.call(id, call)?.status === 'done')
      answer(core, job, turn, call, denied(say('A rule denies what the agent asks for.')));
    proceed(core, job, id);
  };
}

/** Its row; one that was told before it was asked is from now on what is asked, in words and arguments. */
function shown(job: Job, turn: TurnRecord, call: CallId, said: HarnessCall, prepared: Prepared): CallRecord {
  const told = job.tx.call(turn.id, call);
  if (told === undefined) return insert(job, turn, call, { id: call, said, prepared });
  const { title } = prepared;
  job.tx.changeCall(turn.id, call, { prepared, title });
  return { ...told, prepared, title };
}

/** What nobody is asked for: a call that has not run, with the sentence that says what it was answered and why. */
export function applyUnasked(
  core: Core,
  agent: LiveAgent,
  id: TurnId,
  known: CallId,
  { request, call: said, detail }: Unasked,
): (job: Job) => void {
  return (job) => {
    if (request !== undefined) reply(core, job, agent, request, denied(detail));
    const turn = openTurn(job, id);
    if (turn === undefined) return;
    const prepared = { ...formPrepared(said, said.args), tool: said.tool };
    const call = askedAgain(job, turn, known, agent, said.id);
    const row = shown(job, turn, call, said, prepared);
    job.tx.openAudit({
      session: turn.session,
      turn: id,
      call,
      tool: row.tool,
      title: row.title,
      why: detail,
      decision: 'deny',
      by: 'Belay',
    });
    recordResult(job, turn, row, failure('approval_denied', detail), false);
    proceed(core, job, id);
  };
}

/** The end of a question, told to the agent that asked it; those of other calls are none of it. */
export function tellAnswered(
  core: Core,
  job: Job,
  turn: TurnRecord,
  call: CallRecord,
  question: QuestionRecord,
  result: CallResult,
): void {
  if (turn.phase !== 'agent' || question.parent !== undefined || hasEnded(turn.status)) return;
  const verdict = verdictOf(question, result);
  if (verdict === undefined) return;
  const agent = core.agents.get(turn.session);
  const waits = isAtWork(core, turn) && agent?.requests.has(call.call) === true && !core.cord.pulled;
  if (waits) answer(core, job, turn, call.call, verdict);
  else tellLater(job, turn, wordsOf(question.title, question.args, verdict));
}

function verdictOf(question: QuestionRecord, { output }: CallResult): HarnessVerdict | undefined {
  if (!isForm(question)) return undefined;
  const text = output['answer'];
  const { detail } = output;
  if (typeof text !== 'string') return denied(typeof detail === 'string' ? detail : '');
  const read = readForm(question.args.form, text);
  return read.ok ? { allow: true, content: read.content } : denied(read.problem);
}

/** An answer that did not reach the process any more: the cord was pulled, or it had gone. */
export function tellUnheard(job: Job, session: SessionId, id: CallId, verdict: HarnessVerdict): void {
  if (!('content' in verdict)) return;
  const turnId = job.tx.session(session)?.turn;
  const turn = turnId === undefined ? undefined : job.tx.turn(turnId);
  const call = turn === undefined ? undefined : job.tx.call(turn.id, id);
  if (turn === undefined || call === undefined || !isPrepared(call.prepared)) return;
  tellLater(job, turn, wordsOf(call.title, call.prepared.args, verdict));
}

/** What the agent is told with its next prompt, in words: by then nobody waits for the fields. */
function wordsOf(title: string, args: unknown, verdict: HarnessVerdict): string {
  if (!verdict.allow) return deniedText(title, verdict.reason);
  const asked = FormQuestion.safeParse(args).data;
  const content = 'content' in verdict ? verdict.content : {};
  const lines = (asked?.form.fields ?? []).flatMap(({ name, title: field }) =>
    content[name] === undefined ? [] : [`${field}: ${wordOf(content[name])}`],
  );
  return answeredText(asked?.question ?? title, lines);
}

const wordOf = (value: FormContent[string]): string =>
  Array.isArray(value) ? value.join(', ') : String(value);

/** The agent's run is over, and its process was told no: nothing waits for these answers any more. */
export function dropAsked(job: Job, agent: LiveAgent, turn: TurnRecord): void {
  for (const id of agent.requests.keys()) {
    const call = job.tx.call(turn.id, id);
    if (call?.status !== 'asking' || call.asks !== 'answer') continue;
    const detail = say('The agent’s turn ended before it was answered.');
    recordResult(job, turn, call, failure('cancelled', detail), false);
  }
}
