import type { HarnessInfo } from '../../protocol/harness';
import type { ModelInfo } from '../../protocol/host';
import type { Session } from '../../protocol/session';
import { command, request } from '../bridge';
import * as app from '../state/app';
import { act, newSessionChoices } from '../state/sending';
import { t } from '../strings';
import { Icon } from './icon';
import { Menu, type MenuItem } from './menu';
import { Shown } from './shown';
import { said } from '../said';

type Agent = Session['agent'];

/** Who works in the shown session, or in the next new one: a model, or an outside agent. */
export function ModelMenu() {
  const agent = app.session.value?.agent ?? newSessionChoices().agent;
  const name = agentName(agent);
  return (
    <Menu
      label={t('model.pick', { name })}
      class="picker shrinks"
      disabled={!app.hostReady.value}
      items={items(agent)}
    >
      {agent?.kind === 'harness' && <Icon name="robot" />}
      <Shown text={name} class="trigger-text" />
      <Icon name="chevron-down" />
    </Menu>
  );
}

function agentName(agent: Agent | undefined): string {
  if (agent?.kind !== 'harness') return nameOf(agent?.model);
  const name = app.harnesses.value.find((other) => other.id === agent.harness)?.name ?? agent.harness;
  return agent.model === undefined ? name : `${name} · ${agent.model}`;
}

function nameOf(id: string | undefined): string {
  if (id === undefined) return t('model.none');
  const model = app.models.value.find((other) => other.id === id);
  return model?.name ?? id.slice(id.indexOf('/') + 1);
}

function items(agent: Agent | undefined): readonly MenuItem[] {
  const current = agent?.kind === 'model' ? agent.model : undefined;
  const models = app.models.value;
  const choices: MenuItem[] = shortList(models, current).map((model) => ({
    key: model.id,
    label: model.name,
    detail: [model.provider, model.ready ? said(model.note ?? '') : t('model.notReady')]
      .filter(Boolean)
      .join(' · '),
    checked: model.id === current,
    pick: () =>
      model.ready
        ? choose({ kind: 'model', model: model.id })
        : command({ command: 'setKey', args: { provider: model.provider } }),
  }));
  if (choices.length === 0) {
    choices.push({ key: 'none', label: t('model.empty'), disabled: true, pick: () => undefined });
  }
  if (choices.length < models.length) {
    choices.push({
      key: 'all',
      label: t('model.all', { count: models.length }),
      icon: 'ellipsis',
      pick: () => command({ command: 'allModels', args: sessionArgs() }),
    });
  }
  return [
    ...choices,
    ...app.harnesses.value.map((harness, index) => harnessItem(harness, agent, index === 0)),
    {
      key: 'key',
      label: t('model.setKey'),
      icon: 'key',
      separated: true,
      pick: () => command({ command: 'setKey', args: {} }),
    },
  ];
}

/** Models of one provider that a menu shows; the rest are in a list that can be searched. */
const SHOWN_OF_PROVIDER = 10;

/** The first ones of each provider, and the one that is at work. */
function shortList(models: readonly ModelInfo[], current: string | undefined): readonly ModelInfo[] {
  const shown = new Map<string, number>();
  return models.filter(({ id, provider }) => {
    const before = shown.get(provider) ?? 0;
    shown.set(provider, before + 1);
    return before < SHOWN_OF_PROVIDER || id === current;
  });
}

function sessionArgs(): { readonly session?: Session['id'] } {
  const session = app.session.peek();
  return session === undefined ? {} : { session: session.id };
}

/** What was found on this machine can be chosen; of the rest it says how to get it. */
function harnessItem(harness: HarnessInfo, agent: Agent | undefined, separated: boolean): MenuItem {
  const { id, name, found, note, version, install } = harness;
  return {
    key: `harness:${id}`,
    label: name,
    icon: 'robot',
    detail: found
      ? [version, said(note)].filter(Boolean).join(' · ')
      : t('agent.missing', { install: said(install ?? '') }),
    checked: agent?.kind === 'harness' && agent.harness === id,
    disabled: !found,
    separated,
    pick: () => choose({ kind: 'harness', harness: id }),
  };
}

function choose(agent: Agent): void {
  const session = app.session.peek();
  if (session !== undefined) {
    act(request('session/update', { session: session.id, agent }));
    return;
  }
  const { harness: _before, ...rest } = app.choices.peek();
  app.choices.value =
    agent.kind === 'model' ? { ...rest, model: agent.model } : { ...rest, harness: agent.harness };
}
