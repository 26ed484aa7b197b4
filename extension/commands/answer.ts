import * as vscode from 'vscode';
import type { Question } from '../../protocol';
import { known, type Belay } from '../belay';
import { isRecord } from '../hostError';
import { by, type By } from '../ids';
import { questionOf } from '../subjects';
import { answerQuestion, tellGone } from '../verdict';
import { isForm } from '../../protocol/form';
import { askForm } from './answerForm';
import { pickQuestion } from './pickNeed';

/** Lets the person answer: one of the choices, or words of their own. Escape keeps the question. */
export async function answer(belay: Belay, question: Question, who: By): Promise<void> {
  const { text, choices } = askOf(question);
  if (isForm(question.args)) {
    const filled = await askForm(question.args);
    if (filled !== undefined) await answerQuestion(belay, question, filled, who);
    return;
  }
  const reply = choices.length > 0 ? await choose(text, choices) : await write(text);
  if (reply !== undefined) await answerQuestion(belay, question, reply, who);
}

async function choose(text: string, choices: readonly string[]): Promise<string | undefined> {
  const own = { label: vscode.l10n.t('Other…'), iconPath: new vscode.ThemeIcon('edit'), own: true };
  const items = choices.map((label) => ({ label, own: false }));
  const choice = await vscode.window.showQuickPick([...items, own], { title: text, ignoreFocusOut: true });
  if (choice === undefined) return undefined;
  return choice.own ? write(text) : choice.label;
}

async function write(text: string): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: text,
    prompt: vscode.l10n.t('Enter answers, Escape keeps the question.'),
    ignoreFocusOut: true,
  });
}

/** What the question says, whatever its tool has called it. */
export function askOf(question: Question): { text: string; choices: readonly string[] } {
  const args: unknown = question.args;
  if (!isRecord(args)) return { text: question.title, choices: [] };
  const text = typeof args['question'] === 'string' ? args['question'] : question.title;
  const listed: unknown = args['choices'];
  const choices = Array.isArray(listed) ? listed.filter((one) => typeof one === 'string') : [];
  return { text, choices };
}

/** Answer…: from the palette or on a row. */
export async function answerCommand(belay: Belay, target: unknown): Promise<void> {
  if (target !== undefined) {
    const question = questionOf(await known(belay), target);
    if (question === undefined) tellGone();
    else await answer(belay, question, by.tree);
    return;
  }
  const question = await pickQuestion(belay);
  if (question !== undefined) await answer(belay, question, by.palette);
}
