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
  type TurnId,
} from '../../../protocol';
import type { HarnessCall, HarnessEvent, HarnessVerdict } from '../harnessPort';
import type { CallResult, Prepared } from '../ports';
import type { CallRecord, QuestionRecord, TurnRecord } from '../records';
import { answeredText, deniedText } from '../turns/agentPrompt';
import { hasEnded } from '../turns/turn';
import { answer, askedAgain, denied, insert, openTurn, refuse, reply, tellLater } from './agentCalls';
import { isAtWork, type LiveAgent, type ToldAnswer } from './agentLive';
import { failure, recordResult } from './calls';
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

/**
 * The end of a question, told to the agent that asked it; those of other calls are none of it. It stands among what the
 * next prompt tells in the same commit, and until the agent shows that it has heard: a host or a process that ends in
 * between loses no answer (C8, R6).
 */
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
  const words = wordsOf(question.title, question.args, verdict);
  tellLater(job, turn, words);
  if (!waits) return;
  const request = agent.requests.get(call.call) ?? '';
  agent.told.set(call.call, { request, words, wasSent: false });
  answer(core, job, turn, call.call, verdict);
}

/** Which answers the agent shows to have heard with an event: it goes on behind what it had stopped for. */
function heardWith(agent: LiveAgent, event: HarnessEvent): readonly ToldAnswer[] {
  const sent = [...agent.told].filter(([, one]) => one.wasSent);
  switch (event.kind) {
    case 'result':
      return sent.flatMap(([call, one]) => (agent.calls.get(event.id) === call ? [one] : []));
    case 'permission_gone':
      return sent.flatMap(([, one]) => (one.request === event.request ? [one] : []));
    case 'message':
      return sent.map(([, one]) => one);
    case 'ended':
      return event.outcome.kind === 'completed' ? sent.map(([, one]) => one) : [];
    default:
      return [];
  }
}

/** What it has heard is not told again. */
export function heard(agent: LiveAgent, event: HarnessEvent): (job: Job) => void {
  const answers = agent.told.size === 0 ? [] : heardWith(agent, event);
  for (const [call, one] of agent.told) if (answers.includes(one)) agent.told.delete(call);
  return (job) => {
    const kept = answers.length === 0 ? undefined : job.tx.harness(agent.id);
    if (kept === undefined) return;
    const notes = [...kept.notes];
    for (const { words } of answers) {
      const at = notes.indexOf(words);
      if (at !== -1) notes.splice(at, 1);
    }
    job.tx.setHarness(agent.id, { ...kept, notes });
  };
}

function verdictOf(question: QuestionRecord, { output }: CallResult): HarnessVerdict | undefined {
  if (!isForm(question)) return undefined;
  const text = output['answer'];
  const { detail } = output;
  if (typeof text !== 'string') return denied(typeof detail === 'string' ? detail : '');
  const read = readForm(question.args.form, text);
  return read.ok ? { allow: true, content: read.content } : denied(read.problem);
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
