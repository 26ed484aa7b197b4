import * as vscode from 'vscode';
import type { Belay } from '../belay';

/** Turns of each session that are kept unless the person wants another number. */
const KEEP = 100;

/** Remove old turns…: what waits and what runs keeps all that it needs, and the audit stays whole. */
export async function prune(belay: Belay): Promise<void> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Remove old turns'),
    prompt: vscode.l10n.t('How many turns of each session are kept? The audit stays.'),
    value: String(KEEP),
    validateInput: (text) =>
      /^[1-9]\d{0,4}$/.test(text.trim()) ? undefined : vscode.l10n.t('A number from 1 to 99999.'),
  });
  if (typed === undefined) return;
  const { turns } = await belay.host.request('store/prune', { keepTurns: Number(typed.trim()) });
  const told =
    turns === 1 ? vscode.l10n.t('1 turn was removed.') : vscode.l10n.t('{0} turns were removed.', turns);
  void vscode.window.showInformationMessage(told);
}
