import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { targetSession } from './pickSession';
import { said } from '../said';

/** Explain a command…: what would become of it in a session now, and which rule decides. */
export async function explain(belay: Belay): Promise<void> {
  const session = await targetSession(belay, undefined, vscode.l10n.t('In which session?'), () => true);
  if (session === undefined) return;
  const command = await vscode.window.showInputBox({
    title: vscode.l10n.t('Explain a command'),
    prompt: vscode.l10n.t('It is only judged, never run.'),
    placeHolder: 'npm test',
  });
  if (command === undefined || command.trim() === '') return;
  const { decision, why, offers } = await belay.host.request('rule/explain', {
    session: session.id,
    tool: 'shell',
    args: { command },
  });
  const words = {
    allow: vscode.l10n.t('It would run without asking.'),
    ask: vscode.l10n.t('It would wait for you.'),
    deny: vscode.l10n.t('It would be denied.'),
  };
  const offered =
    offers.length === 0
      ? []
      : ['', vscode.l10n.t('An allow could cover:'), ...[...new Set(offers)].map((one) => `• ${said(one)}`)];
  await vscode.window.showInformationMessage(command, {
    modal: true,
    detail: [words[decision], said(why), ...offered].join('\n'),
  });
}
