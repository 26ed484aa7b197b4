import * as vscode from 'vscode';
import type { Rule } from '../../protocol';
import { known, type Belay } from '../belay';
import { by } from '../ids';
import { dateTime } from '../views/ages';
import { sessionTitle } from '../views/needsModel';
import { line, pickLine } from '../views/line';
import { said } from '../said';

/** Manage rules…: every rule, in the words in which it was given; choosing one offers to remove it. */
export async function manageRules(belay: Belay): Promise<void> {
  const snapshot = await known(belay);
  const rules = await allRules(belay);
  const items = rules.map((rule) => ({
    label: pickLine(said(rule.label)),
    description:
      rule.session === undefined ? vscode.l10n.t('this workspace') : sessionTitle(snapshot, rule.session),
    detail: vscode.l10n.t(
      '{0} · by {1} · {2}',
      effectWords(rule.effect),
      said(rule.by),
      dateTime(rule.createdAt),
    ),
    iconPath: new vscode.ThemeIcon(icons[rule.effect]),
    rule,
  }));
  const choice = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Rules: choose one to remove it'),
    placeHolder: items.length === 0 ? vscode.l10n.t('There is no rule. An allow can leave one behind.') : '',
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (choice === undefined) return;
  const remove = vscode.l10n.t('Remove');
  const text = vscode.l10n.t('Remove the rule "{0}"?', line(said(choice.rule.label)));
  const detail = vscode.l10n.t('Requests that wait are judged again at once.');
  if ((await vscode.window.showWarningMessage(text, { modal: true, detail }, remove)) !== remove) return;
  await belay.host.request('rule/remove', { rule: choice.rule.id, by: by.palette });
}

function effectWords(effect: Rule['effect']): string {
  switch (effect) {
    case 'allow':
      return vscode.l10n.t('allows');
    case 'ask':
      return vscode.l10n.t('asks');
    case 'deny':
      return vscode.l10n.t('denies');
  }
}

const icons = { allow: 'check', ask: 'question', deny: 'circle-slash' } as const;

async function allRules(belay: Belay): Promise<readonly Rule[]> {
  const rules: Rule[] = [];
  let cursor: string | undefined;
  do {
    const page = await belay.host.request('rule/list', cursor === undefined ? {} : { cursor });
    rules.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return rules;
}
