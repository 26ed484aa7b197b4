import * as vscode from 'vscode';
import type { ModelInfo } from '../../protocol';
import type { Belay } from '../belay';
import { unnamed } from '../modelProviders';
import { addProvider } from './addProvider';
import { askModels } from './askModels';
import { setModelKey } from './setModelKey';

export interface ModelItem extends vscode.QuickPickItem {
  readonly model: ModelInfo;
}

/** Choose default model: new sessions begin with it. Gives the model that was chosen. */
export async function chooseModel(belay: Belay): Promise<string | undefined> {
  const choice = await vscode.window.showQuickPick([...(await modelItems(belay)), ...moreItems(belay)], {
    title: vscode.l10n.t('Which model do new sessions begin with?'),
    matchOnDescription: true,
  });
  if (choice === undefined) return undefined;
  if (choice.model === undefined) return (await choice.more()) ? chooseModel(belay) : undefined;
  if (!choice.model.ready && !(await setModelKey(belay, choice.model.provider))) return undefined;
  await vscode.workspace
    .getConfiguration('belay')
    .update('models.default', choice.model.id, vscode.ConfigurationTarget.Global);
  return choice.model.id;
}

interface MoreItem extends vscode.QuickPickItem {
  readonly model?: undefined;
  /** True when there is more to choose from now. */
  readonly more: () => Promise<boolean>;
}

/** Ways to models that are not in the list yet. */
const moreItems = (belay: Belay): readonly MoreItem[] => [
  ...unnamed().map(({ name, baseUrl }) => ({
    label: vscode.l10n.t('$(list-selection) Models of {0}…', name),
    detail: baseUrl,
    alwaysShow: true,
    more: () => askModels(belay, name, baseUrl),
  })),
  {
    label: vscode.l10n.t('$(add) Add a provider…'),
    detail: vscode.l10n.t('Anthropic, OpenAI, or any server that speaks like OpenAI.'),
    alwaysShow: true,
    more: async () => (await addProvider(belay)) !== undefined,
  },
];

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
