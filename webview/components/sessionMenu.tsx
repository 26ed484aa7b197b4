import type { Session } from '../../protocol/session';
import * as app from '../state/app';
import { t } from '../strings';
import { revealed } from '../../protocol/reveal';
import { clock } from '../text/words';
import { Icon } from './icon';
import { Menu, type MenuItem } from './menu';
import { Shown } from './shown';
import { sessionLook } from './states';

export function SessionMenu() {
  const session = app.session.value;
  const title = titleOf(session?.title);
  const elsewhere = app.needsElsewhere.value.length;
  const look = session === undefined ? undefined : lookOf(session);
  return (
    <Menu label={labelOf(title, look?.words, elsewhere)} class="session-trigger" items={items()}>
      {look !== undefined && (
        <span class={`icon-frame tone-${look.tone}`}>
          <Icon name={look.icon} spin={look.spin === true} />
        </span>
      )}
      <Shown text={title} class="trigger-text" />
      {elsewhere > 0 && (
        <span class="badge" title={t('session.other', { count: elsewhere })}>
          <Icon name="bell-dot" /> {elsewhere}
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
  if (title !== undefined) return title || t('session.new');
  return app.shown.value !== undefined && app.snapshot.value === undefined
    ? t('app.name')
    : t('session.none');
}

function items(): readonly MenuItem[] {
  const sessions = (app.snapshot.value?.sessions ?? []).filter((session) => !session.archived);
  const newestFirst = [...sessions].sort((a, b) => b.updatedAt - a.updatedAt);
  return [
    {
      key: '+',
      label: t('session.new'),
      icon: 'add',
      pick: () => (app.shown.value = undefined),
    },
    ...newestFirst.map((session, index) => {
      const look = lookOf(session);
      return {
        key: session.id,
        label: session.title || t('session.new'),
        detail: `${look?.words ?? ''} · ${clock(session.updatedAt)}`,
        icon: look?.icon ?? 'comment',
        checked: session.id === app.shown.value,
        separated: index === 0,
        pick: () => (app.shown.value = session.id),
      };
    }),
  ];
}

function lookOf(session: Session) {
  const snapshot = app.snapshot.value;
  return snapshot === undefined ? undefined : sessionLook(session, snapshot, app.hostReady.value);
}
