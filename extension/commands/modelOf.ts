/** A model of one provider: from its own list, or by its id where it has no list. */
import * as vscode from 'vscode';
import type { ModelInfo, ProviderInfo } from '../../protocol';
import type { Belay } from '../belay';
import { isRecord } from '../hostError';
import { providersSet, setProvider } from '../modelProviders';
import { said } from '../said';
import { line } from '../views/line';
import { askKey } from './askKey';
import { pickProvider } from './pickProvider';

/** Picked, it gives the id of a model whose key is there; undefined when the person went away. */
export interface ModelPick extends vscode.QuickPickItem {
  readonly pick: () => Promise<string | undefined>;
}

/** Of a provider that has just been set up: which of its models is meant. */
export async function modelOf(belay: Belay, provider: string): Promise<string | undefined> {
  const asked = belay.host.request('model/list', { look: true });
  const asking = vscode.l10n.t('$(loading~spin) Asking {0} for its models…', provider);
  void vscode.window.setStatusBarMessage(asking, asked);
  const { items, providers } = await asked;
  const own = items.filter((model) => model.provider === provider);
  const note = providers.find(({ name }) => name === provider)?.note;
  if (own.length === 0) return namedById(belay, provider, note);
  const choices: readonly ModelPick[] = [
    ...own.map((model) => ({ ...modelItem(model), pick: () => withKey(belay, model) })),
    byId(belay, provider),
  ];
  const choice = await vscode.window.showQuickPick(choices, {
    title:
      own.length === 1
        ? vscode.l10n.t('{0} has 1 model', provider)
        : vscode.l10n.t('{0} has {1} models: which one?', provider, own.length),
    matchOnDescription: true,
    ...(note === undefined ? {} : { placeHolder: line(said(note)) }),
  });
  return choice?.pick();
}

export async function modelsNow(belay: Belay): Promise<readonly ModelInfo[]> {
  return (await belay.host.request('model/list', {})).items;
}

export const modelItem = (model: ModelInfo): vscode.QuickPickItem => ({
  label: line(model.name),
  description: line(model.id),
  detail: model.ready
    ? said(model.note ?? '')
    : vscode.l10n.t('Its key is missing; choosing it asks for one.'),
  iconPath: new vscode.ThemeIcon(model.ready ? 'circle-filled' : 'key'),
});

/** For a provider of which nothing can be chosen: why that is so. Picked, it asks for an id. */
export function unlistedItem(
  belay: Belay,
  { name, note }: ProviderInfo,
  models: readonly ModelInfo[],
): readonly ModelPick[] {
  if (note === undefined || models.some((model) => model.provider === name)) return [];
  return [
    {
      label: vscode.l10n.t('A model of {0}, by its id…', name),
      detail: line(said(note)),
      iconPath: new vscode.ThemeIcon('warning'),
      pick: () => namedById(belay, name, note),
    },
  ];
}

/** The last way: any model, by the id that its provider has for it. */
export const byId = (belay: Belay, provider?: string): ModelPick => ({
  label: vscode.l10n.t('$(edit) Another model by its id…'),
  detail: vscode.l10n.t('One that is not in this list. Its id is added to the settings of its provider.'),
  alwaysShow: true,
  pick: async () => {
    const name = provider ?? (await pickProvider(vscode.l10n.t('A model of which provider?')));
    return name === undefined ? undefined : namedById(belay, name, undefined);
  },
});

/** Its id, once its key is there. */
export async function withKey(
  belay: Belay,
  { id, provider, ready }: Pick<ModelInfo, 'id' | 'provider' | 'ready'>,
): Promise<string | undefined> {
  return ready || (await askKey(belay, provider)) ? id : undefined;
}

/** Longest id that the settings take, characters. */
const ID_MOST = 256;

async function namedById(
  belay: Belay,
  provider: string,
  note: string | undefined,
): Promise<string | undefined> {
  const how = vscode.l10n.t('As the service itself names the model.');
  const given = await vscode.window.showInputBox({
    title: vscode.l10n.t('Id of a model of {0}', provider),
    prompt: note === undefined ? how : `${line(said(note))} ${how}`,
    placeHolder: 'qwen3-coder:30b',
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === '' || text.trim().length > ID_MOST
        ? vscode.l10n.t('An id has 1 to {0} characters.', ID_MOST)
        : undefined,
  });
  const name = given?.trim();
  if (name === undefined || name === '') return undefined;
  await addToSettings(provider, name);
  await belay.settings.push();
  const id = `${provider}/${name}`;
  const model = (await modelsNow(belay)).find((one) => one.id === id);
  return withKey(belay, model ?? { id, provider, ready: true });
}

async function addToSettings(provider: string, id: string): Promise<void> {
  const set = providersSet()[provider];
  if (!isRecord(set)) return;
  const models: readonly unknown[] = Array.isArray(set['models']) ? set['models'] : [];
  if (models.some((model) => isRecord(model) && model['id'] === id)) return;
  await setProvider(provider, { ...set, models: [...models, { id }] });
}
