import * as vscode from 'vscode';
import type { Rule, Snapshot } from '../../protocol';
import { known, type Belay } from '../belay';
import { by } from '../ids';
import { dateTime } from '../views/ages';
import { line, noticeLine } from '../views/line';
import { said } from '../said';
import { addRule } from './addRule';
import { effectWords, ruleLine } from './ruleLine';

/**
 * Manage rules…: every rule, in the words in which it was given, the newest first. The first entry adds one, after
 * which the list comes again with it; choosing a rule offers to remove it.
 */
export async function manageRules(belay: Belay): Promise<void> {
  let added: Rule | undefined;
  for (;;) {
    const choice = await chooseRule(await known(belay), await allRules(belay), added);
    if (choice === undefined) return;
    if (choice !== 'add') return removeRule(belay, choice);
    added = await addRule(belay);
    if (added === undefined) return;
  }
}

async function chooseRule(
  snapshot: Snapshot,
  rules: readonly Rule[],
  added: Rule | undefined,
): Promise<Rule | 'add' | undefined> {
  const items = rules.map((rule) => ({
    ...ruleLine(snapshot, rule),
    detail: vscode.l10n.t(
      '{0} · by {1} · {2}',
      effectWords(rule.effect),
      said(rule.by),
      dateTime(rule.createdAt),
    ),
    chosen: rule,
  }));
  const add = {
    label: vscode.l10n.t('Add a rule…'),
    iconPath: new vscode.ThemeIcon('add'),
    alwaysShow: true,
    chosen: 'add' as const,
  };
  const choice = await vscode.window.showQuickPick([add, ...items.reverse()], {
    title: vscode.l10n.t('Rules: choose one to remove it'),
    placeHolder:
      added === undefined
        ? items.length === 0
          ? vscode.l10n.t('There is no rule yet. An allow can leave one behind as well.')
          : ''
        : vscode.l10n.t('Added: {0}', noticeLine(said(added.label))),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return choice?.chosen;
}

async function removeRule(belay: Belay, rule: Rule): Promise<void> {
  const remove = vscode.l10n.t('Remove');
  const text = vscode.l10n.t('Remove the rule "{0}"?', line(said(rule.label)));
  const detail = vscode.l10n.t('Requests that wait are judged again at once.');
  if ((await vscode.window.showWarningMessage(text, { modal: true, detail }, remove)) !== remove) return;
  await belay.host.request('rule/remove', { rule: rule.id, by: by.palette });
}

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
