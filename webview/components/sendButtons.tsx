import * as app from '../state/app';
import type { Choice } from '../state/delivery';
import { stopTurn } from '../state/sending';
import { t } from '../strings';
import { Icon } from './icon';
import { Menu } from './menu';

interface SendButtonsProps {
  readonly enabled: boolean;
  readonly send: (choice: Choice) => void;
}

const CHOICES: readonly Choice[] = ['steer', 'queue'];

/** The button says what it will do: *Send* to an idle session, *Steer* or *Queue* to a busy one. */
export function SendButtons({ enabled, send }: SendButtonsProps) {
  const choice = app.delivery.value;
  const turn = app.session.value?.turn;
  if (!app.busy.value) {
    return (
      <button type="button" class="button send" disabled={!enabled} onClick={() => send('steer')}>
        <Icon name="send" />
        <span>{t('composer.send')}</span>
      </button>
    );
  }
  const stopping = turn !== undefined && app.stopping.value === turn;
  return (
    <>
      <span class="split">
        <button type="button" class="button send" disabled={!enabled} onClick={() => send(choice)}>
          <Icon name={choice === 'steer' ? 'send' : 'clock'} />
          <span>{t(`composer.${choice}`)}</span>
        </button>
        <Menu
          label={t('composer.delivery', { name: t(`composer.${choice}`) })}
          class="button split-more"
          items={CHOICES.map((other) => ({
            key: other,
            label: t(`composer.${other}`),
            detail: t(`composer.${other}.detail`),
            checked: other === choice,
            pick: () => (app.delivery.value = other),
          }))}
        >
          <Icon name="chevron-down" />
        </Menu>
      </span>
      <button
        type="button"
        class="button secondary icon-only"
        title={t(stopping ? 'composer.stopping' : 'composer.stop')}
        aria-label={t(stopping ? 'composer.stopping' : 'composer.stop')}
        disabled={turn === undefined || stopping || !app.hostReady.value}
        onClick={stopTurn}
      >
        <Icon name="stop-circle" />
      </button>
    </>
  );
}
