import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { providersSet } from '../modelProviders';
import { addProvider } from './addProvider';
import { askKey } from './askKey';

/** Set model key…: of a provider that is set up, or of one that is added now. True when it has what it needs. */
export async function setModelKey(belay: Belay, provider?: string): Promise<boolean> {
  const name = provider ?? (await pickProvider(vscode.l10n.t('Set the key of which provider?'), true));
  if (name === undefined) return false;
  // It asks for the key of what it has added.
  if (name === NEW) return (await addProvider(belay)) !== undefined;
  return askKey(belay, name);
}

/** What stands for a provider that is yet to be added: no name of one can begin so. */
const NEW = '+';

/** A provider of the settings; where `canAdd`, `NEW` for one that is not there yet. */
export async function pickProvider(title: string, canAdd = false): Promise<string | undefined> {
  const names = Object.keys(providersSet());
  if (names.length === 0) {
    if (!canAdd) void vscode.window.showInformationMessage(vscode.l10n.t('No model provider is set up yet.'));
    return canAdd ? NEW : undefined;
  }
  if (names.length === 1) return names[0];
  const items: readonly (vscode.QuickPickItem & { readonly name: string })[] = [
    ...names.map((name) => ({ label: name, name })),
    ...(canAdd ? [{ label: vscode.l10n.t('$(add) Add a provider…'), name: NEW }] : []),
  ];
  return (await vscode.window.showQuickPick(items, { title }))?.name;
}
