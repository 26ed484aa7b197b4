import * as vscode from 'vscode';
import { noticeLine } from '../views/line';

/** The reason of a denial, which the agent reads; empty for none. Undefined: the person thought better of it. */
export async function askReason(title: string): Promise<string | undefined> {
  const reason = await vscode.window.showInputBox({
    title: vscode.l10n.t('Deny: {0}', noticeLine(title)),
    prompt: vscode.l10n.t('The agent reads your reason. Enter denies, Escape keeps the request.'),
    placeHolder: vscode.l10n.t('Reason (optional)'),
    ignoreFocusOut: true,
    validateInput: (text) => (text.length > 4096 ? vscode.l10n.t('At most 4,096 characters.') : undefined),
  });
  return reason?.trim();
}
