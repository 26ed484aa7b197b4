/** How a person answers Belay's own questions in the editor: files are picked, secrets entered, choices taken (C1). */
import * as vscode from 'vscode';
import { SECRET_STORED, toolSecretName, type Answer, type Question } from '../../protocol';
import { isRecord } from '../hostError';
import type { Secrets } from '../secrets';
import { noticeLine, noticeText, pickTexts } from '../views/line';

/** Undefined when the person has let it be: the question stays. */
export async function pickFiles(question: Question): Promise<Answer | undefined> {
  const args = isRecord(question.args) ? question.args : {};
  const folders = args['folders'] === true;
  const chosen = await vscode.window.showOpenDialog({
    title: question.title,
    openLabel: vscode.l10n.t('Choose'),
    canSelectFiles: !folders,
    canSelectFolders: folders,
    canSelectMany: args['many'] === true,
    ...(vscode.workspace.workspaceFolders?.[0] === undefined
      ? {}
      : { defaultUri: vscode.workspace.workspaceFolders[0].uri }),
  });
  return chosen === undefined
    ? undefined
    : { text: JSON.stringify({ files: chosen.map((uri) => uri.fsPath) }) };
}

/**
 * The value goes to the secret storage and nowhere else; what the agent is told is that it is there. Nothing is stored
 * for a question that no longer waits when the value has been entered.
 */
export async function enterSecret(
  question: Question,
  secrets: Secrets,
  waits: () => Promise<boolean>,
): Promise<Answer | undefined> {
  const args = isRecord(question.args) ? question.args : {};
  const { name, why } = args;
  if (typeof name !== 'string') return undefined;
  const value = await vscode.window.showInputBox({
    title: noticeLine(question.title),
    prompt: typeof why === 'string' ? noticeText(why) : '',
    placeHolder: vscode.l10n.t('The agent never sees it. Enter stores, Escape keeps the question.'),
    password: true,
    ignoreFocusOut: true,
  });
  if (value === undefined || value === '' || !(await waits())) return undefined;
  await secrets.set(toolSecretName(name), value);
  return { text: SECRET_STORED };
}

export interface Asked {
  readonly question: string;
  readonly choices: readonly { readonly label: string; readonly description?: string }[];
  readonly multiple: boolean;
}

/** What `ask` asks: one question, or several at once. */
export function askedOf(question: Question): readonly Asked[] {
  const args = isRecord(question.args) ? question.args : {};
  const several = args['questions'];
  const listed = Array.isArray(several) ? several.filter(isRecord) : [args];
  return listed.map((one) => ({
    question: typeof one['question'] === 'string' ? one['question'] : question.title,
    choices: (Array.isArray(one['choices']) ? one['choices'] : []).flatMap(choiceOf),
    multiple: one['multiple'] === true,
  }));
}

function choiceOf(choice: unknown): { label: string; description?: string }[] {
  if (typeof choice === 'string') return [{ label: choice }];
  if (!isRecord(choice) || typeof choice['label'] !== 'string') return [];
  const { label, description } = choice;
  return [{ label, ...(typeof description === 'string' ? { description } : {}) }];
}

/** Asks one after another; Escape keeps the question. */
export async function askInTurn(asked: readonly Asked[]): Promise<Answer | undefined> {
  const answers: string[] = [];
  for (const [n, one] of asked.entries()) {
    const place = asked.length === 1 ? '' : `${n + 1}/${asked.length} `;
    const answer = one.choices.length === 0 ? await write(place, one) : await choose(place, one);
    if (answer === undefined) return undefined;
    answers.push(answer);
  }
  const [only] = answers;
  if (asked.length === 1) return only === undefined ? undefined : { text: only };
  return { text: asked.map((one, n) => `${one.question}\n→ ${answers[n] ?? ''}`).join('\n\n') };
}

function write(place: string, { question }: Asked): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: `${place}${noticeText(question)}`,
    prompt: vscode.l10n.t('Enter answers, Escape keeps the question.'),
    ignoreFocusOut: true,
  });
}

async function choose(place: string, asked: Asked): Promise<string | undefined> {
  const title = `${place}${noticeText(asked.question)}`;
  const items = asked.choices.map(({ label, description }) => ({
    ...pickTexts({ label, ...(description === undefined ? {} : { detail: description }) }),
    own: false,
    answer: label,
  }));
  if (asked.multiple) {
    const taken = await vscode.window.showQuickPick(items, {
      title,
      canPickMany: true,
      ignoreFocusOut: true,
    });
    return taken?.map((item) => item.answer).join(', ');
  }
  const own = {
    label: vscode.l10n.t('Other…'),
    iconPath: new vscode.ThemeIcon('edit'),
    own: true,
    answer: '',
  };
  const choice = await vscode.window.showQuickPick([...items, own], { title, ignoreFocusOut: true });
  if (choice === undefined) return undefined;
  return choice.own ? write(place, asked) : choice.answer;
}
