/** The model of an outside agent: as the agent is set, one that it lists, or any other by its id. */
import * as vscode from 'vscode';
import type { HarnessInfo, Session } from '../../protocol';
import type { Belay } from '../belay';
import { said } from '../said';
import { pickLine } from '../views/line';
import { targetSession } from './pickSession';

type Agent = Session['agent'];

interface ModelItem extends vscode.QuickPickItem {
  /** The agent with that model; undefined when the person goes back. */
  readonly pick: () => Promise<Agent | undefined>;
}

/** The agent is asked for its models while the list is open: it shows that it is being filled. */
export async function withModel(
  belay: Belay,
  { id, name }: Pick<HarnessInfo, 'id' | 'name'>,
): Promise<Agent | undefined> {
  const choice = await vscode.window.showQuickPick(choices(belay, id, name), {
    title: vscode.l10n.t('Which model shall {0} work with?', pickLine(name)),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return choice?.pick();
}

async function choices(belay: Belay, harness: string, name: string): Promise<readonly ModelItem[]> {
  const { items, note } = await belay.host.request('harness/models', { harness });
  return [
    {
      label: vscode.l10n.t('As {0} is set', pickLine(name)),
      pick: () => Promise.resolve({ kind: 'harness', harness }),
    },
    ...items.map((model) => ({
      label: pickLine(model.name),
      description: [
        ...(model.id === model.name ? [] : [pickLine(model.id)]),
        ...(model.usual === true ? [vscode.l10n.t('what it takes by itself')] : []),
      ].join(' · '),
      ...(model.detail === undefined ? {} : { detail: pickLine(model.detail) }),
      pick: () => Promise.resolve<Agent>({ kind: 'harness', harness, model: model.id }),
    })),
    {
      label: vscode.l10n.t('$(edit) Another model…'),
      ...(note === undefined ? {} : { detail: said(note) }),
      alwaysShow: true,
      pick: () => byId(harness, name),
    },
  ];
}

async function byId(harness: string, name: string): Promise<Agent | undefined> {
  const model = await vscode.window.showInputBox({
    title: vscode.l10n.t('The model by the name that {0} has for it', pickLine(name)),
    validateInput: (text) =>
      text.trim() === '' || text.length > MODEL_CHARACTERS
        ? vscode.l10n.t('Between 1 and {0} characters.', String(MODEL_CHARACTERS))
        : undefined,
  });
  return model === undefined ? undefined : { kind: 'harness', harness, model: model.trim() };
}

/** As the protocol takes it. */
const MODEL_CHARACTERS = 256;

/** Choose the agent's model…: from the next turn on; the conversation goes on in a new process. */
export async function changeAgentModel(belay: Belay, target: unknown): Promise<void> {
  const title = vscode.l10n.t('The model of which session?');
  const session = await targetSession(belay, target, title, ({ agent }) => agent.kind === 'harness');
  if (session?.agent.kind !== 'harness') return;
  const { harness } = session.agent;
  const { items } = await belay.host.request('harness/list', {});
  const name = items.find((one) => one.id === harness)?.name ?? harness;
  const agent = await withModel(belay, { id: harness, name });
  if (agent !== undefined) await belay.host.request('session/update', { session: session.id, agent });
}
