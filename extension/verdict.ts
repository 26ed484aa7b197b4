/** Sends a person's verdict or answer to the host. Every surface decides through here. */
import * as vscode from 'vscode';
import type { Answer, Approval, Question, RuleMatch } from '../protocol';
import type { Belay } from './belay';
import { toHostError } from './hostError';
import { systemClock } from './clock';
import type { By } from './ids';
import { TreeClicks } from './treeClicks';
import { noticeLine, noticeText } from './views/line';
import { Node } from './views/treeList';

export interface Decision {
  readonly decision: 'allow' | 'deny';
  readonly by: By;
  readonly reason?: string;
  readonly scope?: 'once' | 'session' | 'workspace';
  /** Which offer of that scope. */
  readonly match?: RuleMatch;
}

/** Requests whose verdict is on its way: a second click on one of them is the same click. */
const sending = new Set<string>();

/** True when the host has recorded this verdict. Otherwise the person has been told what became of the request. */
export async function decide(belay: Belay, approval: Approval, decision: Decision): Promise<boolean> {
  const key = `${approval.id}/${approval.request}`;
  if (sending.has(key)) return false;
  sending.add(key);
  try {
    await belay.host.request('approval/answer', {
      approval: approval.id,
      request: approval.request,
      ...decision,
    });
    return true;
  } catch (error) {
    tellFate(approval.title, error);
    return false;
  } finally {
    sending.delete(key);
  }
}

export async function answerQuestion(
  belay: Belay,
  question: Question,
  answer: Answer,
  by: By,
): Promise<boolean> {
  try {
    await again(() => belay.host.request('question/answer', { question: question.id, answer, by }));
    return true;
  } catch (error) {
    tellFate(question.title, error);
    return false;
  }
}

/** Once more when the host went before it had answered: what it had taken it does not take twice (T1, R9). */
export async function again<R>(ask: () => Promise<R>): Promise<R> {
  try {
    return await ask();
  } catch (error) {
    if (toHostError(error).code !== 'host_failed') throw error;
    return ask();
  }
}

const clicks = new TreeClicks(systemClock);

/** Whether a click on a row's button is meant; a caller that is no row always means it. */
export function isMeant(target: unknown): boolean {
  return !(target instanceof Node) || clicks.counts(target.row.id);
}

/** What became of a request that no longer waits, in the host's own sentence. */
export function tellFate(title: string, error: unknown): void {
  const failure = toHostError(error);
  const text = `${noticeLine(title)}: ${noticeText(failure.message)}`;
  if (/^(approval|question)_/.test(failure.code)) void vscode.window.showInformationMessage(text);
  else void vscode.window.showErrorMessage(text);
}

/** A row that was clicked in the moment in which its request ended. */
export function tellGone(): void {
  void vscode.window.showInformationMessage(vscode.l10n.t('This request no longer waits.'));
}
