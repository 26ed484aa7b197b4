/** How a rule stands in a list: the same before it is written and after. */
import * as vscode from 'vscode';
import type { Rule, Snapshot } from '../../protocol';
import { pickLine } from '../views/line';
import { sessionTitle } from '../views/needsModel';
import { said } from '../said';

export const EFFECT_ICONS = { allow: 'check', ask: 'question', deny: 'circle-slash' } as const;

export type Listed = Pick<Rule, 'effect' | 'scope' | 'session' | 'label'>;

export const ruleLine = (snapshot: Snapshot, rule: Listed) => ({
  label: pickLine(said(rule.label)),
  description: pickLine(scopeWords(snapshot, rule)),
  iconPath: new vscode.ThemeIcon(EFFECT_ICONS[rule.effect]),
});

function scopeWords(snapshot: Snapshot, { scope, session }: Listed): string {
  if (scope === 'user') return vscode.l10n.t('all workspaces');
  return session === undefined ? vscode.l10n.t('this workspace') : sessionTitle(snapshot, session);
}

export function effectWords(effect: Rule['effect']): string {
  switch (effect) {
    case 'allow':
      return vscode.l10n.t('allows');
    case 'ask':
      return vscode.l10n.t('asks');
    case 'deny':
      return vscode.l10n.t('denies');
  }
}
