/** What the person does with requests: verdicts, answers, and what became of one that came too late. */
import { request } from '../bridge';
import { BY } from '../bridgeProtocol';
import type { Approval, RuleMatch } from '../../protocol/approval';
import type { Question } from '../../protocol/question';
import { t } from '../strings';
import * as app from './app';
import { fateText, type Fate } from './fates';
import { pageRequests } from './requestOrder';
import { RequestRefused } from './values';
import { said } from '../said';

export type Scope = 'once' | 'session' | 'workspace';

/** A request as it was announced: announced again it is another one, with buttons of its own. */
export function flightKey(id: string, request = 0): string {
  return `${id}#${request}`;
}

/** `command`: as the person has changed it. `match`: which offer of the scope. */
export function allow(approval: Approval, scope: Scope, command?: string, match?: RuleMatch): void {
  const { id, request: number } = approval;
  void answer(flightKey(id, number), approval, async () => {
    const done = await request('approval/answer', {
      approval: id,
      request: number,
      decision: 'allow',
      scope,
      ...(match && { match }),
      by: BY.chat,
      ...(command === undefined || command === commandOf(approval) ? {} : { command }),
    });
    if (done.rule !== undefined)
      tell({ id, text: t('fate.rule', { label: said(done.rule.label) }), good: true });
  });
}

export function deny(approval: Approval, reason: string): void {
  const { id, request: number } = approval;
  void answer(flightKey(id, number), approval, () =>
    request('approval/answer', {
      approval: id,
      request: number,
      decision: 'deny',
      by: BY.chat,
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    }),
  );
}

export function answerQuestion(question: Question, text: string): void {
  void answer(flightKey(question.id), question, () =>
    request('question/answer', { question: question.id, answer: { text }, by: BY.chat }),
  );
}

/** The person does not answer; whoever asked is told so. */
export function declineQuestion(question: Question): void {
  void answer(flightKey(question.id), question, () =>
    request('question/answer', { question: question.id, answer: { error: 'Declined.' }, by: BY.chat }),
  );
}

export function setReply(id: string, text: string): void {
  const { [id]: _old, ...rest } = app.replies.peek();
  app.replies.value = text === '' ? rest : { ...rest, [id]: text };
}

/** What the person makes of the command before allowing it; it is kept with the replies. */
export const changedCommand = (approval: Approval): string =>
  app.replies.value[changedKey(approval)] ?? commandOf(approval);

export function setChanged(approval: Approval, text: string): void {
  setReply(changedKey(approval), text === commandOf(approval) ? '' : text);
}

/** Whether the person has made something else of the command, and has not decided yet. */
export const isChanged = (approval: Approval): boolean => changedKey(approval) in app.replies.value;

/** With the command itself: a store that was set aside begins its numbers again. */
const changedKey = (approval: Approval): string => `command ${approval.id} ${commandOf(approval)}`;

const commandOf = ({ preview }: Approval): string => (preview.kind === 'command' ? preview.command : '');

/** What is written for a request is kept under these. */
export const replyKeys = (asked: Approval | Question): readonly string[] =>
  'preview' in asked ? [asked.id, changedKey(asked)] : [asked.id];

/** Opens the field for a reason or for a change in the card of a request, or neither. */
export function setOpen(id: string, field: app.RequestField | undefined): void {
  const next = new Map(app.openFields.peek());
  if (field === undefined) next.delete(id);
  else next.set(id, field);
  app.openFields.value = next;
}

export function page(step: 1 | -1): void {
  app.requestOrder.value = pageRequests(app.requestOrder.peek(), step);
}

export function dismissFate(id: string): void {
  app.fates.value = app.fates.peek().filter((fate) => fate.id !== id);
}

async function answer(key: string, asked: Approval | Question, send: () => Promise<unknown>): Promise<void> {
  if (app.inFlight.peek().has(key)) return;
  app.inFlight.value = new Set(app.inFlight.peek()).add(key);
  app.fates.value = [];
  try {
    await send();
    for (const kept of replyKeys(asked)) setReply(kept, '');
    setOpen(asked.id, undefined);
  } catch (error) {
    const refused = error instanceof RequestRefused ? error : new RequestRefused({ message: String(error) });
    tell({ id: asked.id, text: fateText(asked.title, refused), good: false });
  } finally {
    const next = new Set(app.inFlight.peek());
    next.delete(key);
    app.inFlight.value = next;
  }
}

function tell(fate: Fate): void {
  app.fates.value = [...app.fates.peek().filter((other) => other.id !== fate.id), fate];
  app.say(fate.text);
}
