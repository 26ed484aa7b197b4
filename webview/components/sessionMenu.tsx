import * as app from '../state/app';
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
  const title = session === undefined ? t('session.none') : session.title || t('session.untitled');
  const look = session === undefined || snapshot === undefined ? undefined : lookOf(session.id);
  return (
    <Menu
      label={t('session.pick', { title: revealed(title), state: look?.words ?? '' }).replace(/, $/, '')}
      class="session-trigger"
      items={items()}
    >
      {look !== undefined && (
        <span class={`tone-${look.tone}`}>
          <Icon name={look.icon} spin={look.spin === true} />
        </span>
      )}
      <Shown text={title} class="trigger-text" />
      <Icon name="chevron-down" />
    </Menu>
  );
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
