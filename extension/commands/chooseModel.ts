import * as vscode from 'vscode';
import type { ModelInfo } from '../../protocol';
import type { Belay } from '../belay';
import { setModelKey } from './setModelKey';

export interface ModelItem extends vscode.QuickPickItem {
  readonly model: ModelInfo;
}

/** Choose default model: new sessions begin with it. Gives the model that was chosen. */
export async function chooseModel(belay: Belay): Promise<string | undefined> {
  const items = await modelItems(belay);
  const choice = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Which model do new sessions begin with?'),
    placeHolder:
      items.length === 0 ? vscode.l10n.t('No model is known. Add a provider in the settings.') : '',
    matchOnDescription: true,
  });
  if (choice === undefined) return undefined;
  if (!choice.model.ready && !(await setModelKey(belay, choice.model.provider))) return undefined;
  await vscode.workspace
    .getConfiguration('belay')
    .update('models.default', choice.model.id, vscode.ConfigurationTarget.Global);
  return choice.model.id;
}

export async function modelItems(belay: Belay): Promise<readonly ModelItem[]> {
  const { items } = await belay.host.request('model/list', {});
  return items.map((model) => ({
    label: model.name,
    description: model.id,
    detail: model.ready ? (model.note ?? '') : vscode.l10n.t('Its key is missing; choosing it asks for one.'),
    iconPath: new vscode.ThemeIcon(model.ready ? 'circle-filled' : 'key'),
    model,
  }));
}
