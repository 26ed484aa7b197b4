import { request } from '../bridge';
import type { Mode } from '../../protocol/session';
import * as app from '../state/app';
import { act, newSessionChoices } from '../state/sending';
import { said } from '../said';
import { t } from '../strings';
import { Icon } from './icon';
import { Menu } from './menu';

const MODES: readonly Mode[] = ['ask', 'edits', 'full'];

/** How freely the agent works. */
export function ModeMenu() {
  const current = app.session.value?.mode ?? newSessionChoices().mode ?? 'ask';
  return (
    <Menu
      label={t('mode.pick', { name: t(`mode.${current}`) })}
      class="picker"
      disabled={!app.hostReady.value}
      items={MODES.map((mode) => ({
        key: mode,
        label: t(`mode.${mode}`),
        detail: [t(`mode.${mode}.detail`), mode === 'ask' ? '' : agentNote()].join(' ').trim(),
        checked: mode === current,
        pick: () => choose(mode),
      }))}
    >
      <Icon name={current === 'full' ? 'unlock' : 'shield'} />
      <span class="trigger-text">{t(`mode.${current}`)}</span>
      <Icon name="chevron-down" />
    </Menu>
  );
}

/** What an outside agent asks for, and what it does by itself, is its own: it stands beside what a mode frees. */
function agentNote(): string {
  const agent = app.session.value?.agent ?? newSessionChoices().agent;
  if (agent?.kind !== 'harness') return '';
  return said(app.harnesses.value.find((one) => one.id === agent.harness)?.note ?? '');
}

function choose(mode: Mode): void {
  const session = app.session.peek();
  if (session === undefined) app.choices.value = { ...app.choices.peek(), mode };
  else act(request('session/update', { session: session.id, mode }));
}
