import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { isRecord } from '../hostError';
import { modelKeyName } from '../secrets';

/** Set model key…: into VS Code's secret storage, never into a settings file. True when one was stored. */
export async function setModelKey(belay: Belay, provider?: string): Promise<boolean> {
  const name = provider ?? (await pickProvider(vscode.l10n.t('Set the key of which provider?')));
  if (name === undefined) return false;
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t('Key for {0}', name),
    prompt: vscode.l10n.t('It is kept in the secret storage of VS Code and sent to {0} only.', name),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('A key is needed.') : undefined),
  });
  if (key === undefined) return false;
  await belay.secrets.set(modelKeyName(name), key.trim());
  await belay.settings.push();
  void vscode.window.setStatusBarMessage(vscode.l10n.t('$(key) The key of {0} is stored.', name), 5_000);
  return true;
}

/** Providers of the settings that take a key. */
export async function pickProvider(title: string): Promise<string | undefined> {
  const providers: unknown = vscode.workspace
    .getConfiguration('belay')
    .inspect('models.providers')?.globalValue;
  const names = isRecord(providers) ? Object.keys(providers) : [];
  if (names.length === 0) {
    const open = vscode.l10n.t('Open settings');
    const text = vscode.l10n.t('No model provider is set up yet.');
    if ((await vscode.window.showInformationMessage(text, open)) === open) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'belay.models.providers');
    }
    return undefined;
  }
  if (names.length === 1) return names[0];
  return vscode.window.showQuickPick(names, { title });
}
