import * as vscode from 'vscode';
import { providersSet } from '../modelProviders';

/** What stands for a provider that is yet to be added: no name of one can begin so. */
export const NEW_PROVIDER = '+';

/** A provider of the settings; where `canAdd`, `NEW_PROVIDER` for one that is not there yet. */
export async function pickProvider(title: string, canAdd = false): Promise<string | undefined> {
  const names = Object.keys(providersSet());
  if (names.length === 0) {
    if (!canAdd) void vscode.window.showInformationMessage(vscode.l10n.t('No model provider is set up yet.'));
    return canAdd ? NEW_PROVIDER : undefined;
  }
  if (names.length === 1) return names[0];
  const items: readonly (vscode.QuickPickItem & { readonly name: string })[] = [
    ...names.map((name) => ({ label: name, name })),
    ...(canAdd ? [{ label: vscode.l10n.t('$(add) Add a provider…'), name: NEW_PROVIDER }] : []),
  ];
  return (await vscode.window.showQuickPick(items, { title }))?.name;
}
