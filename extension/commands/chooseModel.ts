import * as vscode from 'vscode';
import type { SessionId } from '../../protocol';
import type { Belay } from '../belay';
import { setDefaultModel } from '../modelProviders';
import { addProvider } from './addProvider';
import { byId, modelItem, modelOf, modelsNow, unlistedItem, withKey, type ModelPick } from './modelOf';

/** Choose default model: new sessions begin with it. Gives the model that was chosen. */
export async function chooseModel(belay: Belay): Promise<string | undefined> {
  const model = await pickModel(belay, vscode.l10n.t('Which model do new sessions begin with?'));
  if (model !== undefined) await setDefaultModel(model);
  return model;
}

/** The model that goes on in a session. */
export async function changeModel(belay: Belay, session: SessionId): Promise<void> {
  const model = await pickModel(belay, vscode.l10n.t('Which model goes on in this session?'));
  if (model === undefined) return;
  await belay.host.request('session/update', { session, agent: { kind: 'model', model } });
}

async function pickModel(belay: Belay, title: string): Promise<string | undefined> {
  const choice = await vscode.window.showQuickPick(choices(belay), { title, matchOnDescription: true });
  return choice?.pick();
}

/** Providers are asked for what they have while the list is open: it shows that it is being filled. */
async function choices(belay: Belay): Promise<readonly ModelPick[]> {
  const { items, providers } = await belay.host.request('model/list', { look: true });
  return [
    ...items.map((model) => ({ ...modelItem(model), pick: () => withKey(belay, model) })),
    ...providers.flatMap((provider) => unlistedItem(belay, provider, items)),
    ...(providers.length === 0 ? [] : [byId(belay)]),
    {
      label: vscode.l10n.t('$(add) Add a provider…'),
      detail: vscode.l10n.t('Anthropic, OpenAI, or any server that speaks like OpenAI.'),
      alwaysShow: true,
      pick: async () => {
        const name = await addProvider(belay);
        return name === undefined ? undefined : modelOf(belay, name);
      },
    },
  ];
}

/** The model that new sessions begin with, or the only one that can be used. */
export async function usualModel(belay: Belay): Promise<string | undefined> {
  const chosen = belay.settings.defaultModel();
  if (chosen !== undefined) return chosen;
  const ready = (await modelsNow(belay)).filter((model) => model.ready);
  return ready.length === 1 ? ready[0]?.id : undefined;
}
