import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { modelKeyName } from '../secrets';

/**
 * Asks for a provider's key, and puts it into VS Code's secret storage, never into a settings file. True when there is
 * one, or when none is needed (`isOptional`) and none was given.
 */
export async function askKey(belay: Belay, name: string, isOptional = false): Promise<boolean> {
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t('Key for {0}', name),
    prompt: vscode.l10n.t('It is kept in the secret storage of VS Code and sent to {0} only.', name),
    placeHolder: isOptional ? vscode.l10n.t('Leave it empty if it needs none.') : '',
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === '' && !isOptional ? vscode.l10n.t('A key is needed.') : undefined,
  });
  if (key === undefined) return false;
  if (key.trim() === '') return true;
  await belay.secrets.set(modelKeyName(name), key.trim());
  await belay.settings.push();
  void vscode.window.setStatusBarMessage(vscode.l10n.t('$(key) The key of {0} is stored.', name), 5_000);
  return true;
}
