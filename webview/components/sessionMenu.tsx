import * as app from '../state/app';
import { needOf } from '../state/mirror';
import { t } from '../strings';
import { revealed } from '../text/reveal';
import { clock } from '../text/words';
import { Icon } from './icon';
import { Menu, type MenuItem } from './menu';
import { Shown } from './shown';
import { sessionLook } from './states';

export function SessionMenu() {
  const session = app.session.value;
  const snapshot = app.mirror.value?.snapshot;
  const title = titleOf(session?.title);
  const elsewhere = snapshot?.needs.filter((need) => needOf(need).session !== session?.id) ?? [];
  const look = session === undefined || snapshot === undefined ? undefined : lookOf(session.id);
  return (
    <Menu label={labelOf(title, look?.words, elsewhere.length)} class="session-trigger" items={items()}>
      {look !== undefined && (
        <span class={`icon-frame tone-${look.tone}`}>
          <Icon name={look.icon} spin={look.spin === true} />
        </span>
      )}
      <Shown text={title} class="trigger-text" />
      {elsewhere.length > 0 && (
        <span class="badge" title={t('session.other', { count: elsewhere.length })}>
          <Icon name="bell-dot" /> {elsewhere.length}
        </span>
      )}
      <Icon name="chevron-down" />
    </Menu>
  );
}

function labelOf(title: string, state: string | undefined, elsewhere: number): string {
  const shown = revealed(title);
  const name =
    state === undefined
      ? t('session.pick', { title: shown })
      : t('session.pickState', { title: shown, state });
  return elsewhere === 0 ? name : `${name}. ${t('session.other', { count: elsewhere })}`;
}

/** Before the host has said what there is, nothing is claimed about the session. */
function titleOf(title: string | undefined): string {
  if (title !== undefined) return title || t('session.untitled');
  return app.shown.value !== undefined && app.mirror.value === undefined ? t('app.name') : t('session.none');
}

function items(): readonly MenuItem[] {
  const sessions = (app.mirror.value?.snapshot.sessions ?? []).filter((session) => !session.archived);
  const newestFirst = [...sessions].sort((a, b) => b.updatedAt - a.updatedAt);
  return [
    {
      key: '+',
      label: t('session.new'),
      icon: 'add',
      pick: () => (app.shown.value = undefined),
    },
    ...newestFirst.map((session, index) => {
      const look = lookOf(session.id);
      return {
        key: session.id,
        label: session.title || t('session.untitled'),
        detail: `${look?.words ?? ''} · ${clock(session.updatedAt)}`,
        icon: look?.icon ?? 'comment',
        checked: session.id === app.shown.value,
        separated: index === 0,
        pick: () => (app.shown.value = session.id),
      };
    }),
  ];
}

function lookOf(id: string) {
  const snapshot = app.mirror.value?.snapshot;
  const session = snapshot?.sessions.find((other) => other.id === id);
  if (snapshot === undefined || session === undefined) return undefined;
  return sessionLook(session, snapshot, app.hostReady.value);
}
