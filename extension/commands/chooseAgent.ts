/** Who works in a new session: the model that such begin with, or an outside agent that was found on this machine. */
import * as vscode from 'vscode';
import type { HarnessInfo, Session } from '../../protocol';
import type { Belay } from '../belay';
import { withModel } from './agentModel';
import { chooseModel, usualModel } from './chooseModel';

type Agent = Session['agent'];

interface AgentItem extends vscode.QuickPickItem {
  readonly agent: () => Promise<Agent | undefined>;
}

/** Asked only where there is a choice: with no outside agent here, the session begins with a model at once. */
export async function chooseAgent(belay: Belay): Promise<Agent | undefined> {
  const { items } = await belay.host.request('harness/list', {});
  const found = items.filter((one) => one.found);
  const model = await usualModel(belay);
  if (found.length === 0) return modelAgent(model ?? (await chooseModel(belay)));
  const choice = await vscode.window.showQuickPick(
    [modelItem(belay, model), ...found.map((one) => agentItem(belay, one))],
    {
      title: vscode.l10n.t('Who shall work in the new session?'),
      matchOnDescription: true,
    },
  );
  return choice?.agent();
}

function modelItem(belay: Belay, model: string | undefined): AgentItem {
  return {
    label: model ?? vscode.l10n.t('A model…'),
    iconPath: new vscode.ThemeIcon('sparkle'),
    agent: async () => modelAgent(model ?? (await chooseModel(belay))),
  };
}

function agentItem(belay: Belay, info: HarnessInfo): AgentItem {
  const { name, version, note } = info;
  return {
    label: name,
    ...(version === undefined ? {} : { description: version }),
    detail: note,
    iconPath: new vscode.ThemeIcon('robot'),
    agent: () => withModel(belay, info),
  };
}

const modelAgent = (model: string | undefined): Agent | undefined =>
  model === undefined ? undefined : { kind: 'model', model };
