import { command, request } from '../bridge';
import * as app from '../state/app';
import { act, newSessionChoices } from '../state/sending';
import { t } from '../strings';
import { Icon } from './icon';
import { Menu, type MenuItem } from './menu';
import { Shown } from './shown';

/** The model of the shown session, or of the next new one. An outside agent is named and not chosen here. */
export function ModelMenu() {
  const agent = app.session.value?.agent;
  if (agent?.kind === 'harness') {
    const name = agent.model === undefined ? agent.harness : `${agent.harness} · ${agent.model}`;
    return (
      <span class="picker plain" title={name}>
        <Icon name="robot" /> <Shown text={name} class="trigger-text" />
      </span>
    );
  }
  const current = agent?.model ?? newSessionChoices().model;
  const name = nameOf(current);
  return (
    <Menu
      label={t('model.pick', { name })}
      class="picker shrinks"
      disabled={!app.hostReady.value}
      items={items(current)}
    >
      <Shown text={name} class="trigger-text" />
      <Icon name="chevron-down" />
    </Menu>
  );
}

function nameOf(id: string | undefined): string {
  if (id === undefined) return t('model.none');
  const model = app.models.value.find((other) => other.id === id);
  return model?.name ?? id.slice(id.indexOf('/') + 1);
}

function items(current: string | undefined): readonly MenuItem[] {
  const models = app.models.value;
  const choices: MenuItem[] = models.map((model) => ({
    key: model.id,
    label: model.name,
    detail: [model.provider, model.ready ? model.note : t('model.notReady')].filter(Boolean).join(' · '),
    checked: model.id === current,
    pick: () =>
      model.ready ? choose(model.id) : command({ command: 'setKey', args: { provider: model.provider } }),
  }));
  if (choices.length === 0) {
    choices.push({ key: 'none', label: t('model.empty'), disabled: true, pick: () => undefined });
  }
  return [
    ...choices,
    {
      key: 'key',
      label: t('model.setKey'),
      icon: 'key',
      separated: true,
      pick: () => command({ command: 'setKey', args: {} }),
    },
  ];
}

function choose(model: string): void {
  const session = app.session.peek();
  if (session === undefined) app.choices.value = { ...app.choices.peek(), model };
  else act(request('session/update', { session: session.id, agent: { kind: 'model', model } }));
}
