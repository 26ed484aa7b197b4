import type { ComponentChildren } from 'preact';
import { command } from '../bridge';
import * as app from '../state/app';
import { readAnew } from '../state/wire';
import { t } from '../strings';
import { Icon } from './icon';
import { PausedBanner } from './pausedBanner';
import { said } from '../said';

/** What stands in the way, each with a way on. Nothing here when all is well. */
export function Notices() {
  const state = app.editor.value;
  if (state === undefined) return null;
  const host = app.snapshot.value?.host;
  const failure = app.syncFailure.value;
  return (
    <section class="notices" aria-label={t('app.notices')}>
      {state.hostState === 'failed' && (
        <Notice icon="error" tone="bad">
          <p>
            {state.detail === undefined
              ? t('app.failed')
              : t('app.failedDetail', { detail: said(state.detail) })}
          </p>
          <div class="buttons">
            <button
              type="button"
              class="button"
              onClick={() => command({ command: 'restartHost', args: {} })}
            >
              {t('app.restart')}
            </button>
            <button type="button" class="button secondary" onClick={showLog}>
              {t('app.showLog')}
            </button>
          </div>
        </Notice>
      )}
      {(state.hostState === 'starting' || state.hostState === 'restarting') && (
        <Notice icon="sync" spin tone="quiet">
          <p>{state.hostState === 'starting' ? t('app.starting') : t('app.restarting')}</p>
        </Notice>
      )}
      {!state.trusted && (
        <Notice icon="shield" tone="warns">
          <p>{t('app.restricted')}</p>
          <div class="buttons">
            <button
              type="button"
              class="button"
              onClick={() => command({ command: 'manageTrust', args: {} })}
            >
              {t('app.manageTrust')}
            </button>
          </div>
        </Notice>
      )}
      {failure !== undefined && state.hostState === 'ready' && (
        <Notice icon="error" tone="bad">
          <p>{t('app.syncFailed', { detail: failure.message })}</p>
          <div class="buttons">
            <button type="button" class="button" onClick={readAnew}>
              {t('app.retry')}
            </button>
            <button type="button" class="button secondary" onClick={showLog}>
              {t('app.showLog')}
            </button>
          </div>
        </Notice>
      )}
      {host?.trouble !== undefined ? (
        <Notice icon="warning" tone="warns">
          <p>{t('app.trouble', { detail: said(host.trouble) })}</p>
        </Notice>
      ) : (
        host?.readOnly === true && (
          <Notice icon="lock" tone="warns">
            <p>{t('app.readOnly')}</p>
          </Notice>
        )
      )}
      {host?.paused === true && <PausedBanner host={host} />}
    </section>
  );
}

interface NoticeProps {
  readonly icon: string;
  readonly tone: 'bad' | 'warns' | 'quiet';
  readonly spin?: boolean;
  readonly children: ComponentChildren;
}

export function Notice({ icon, tone, spin = false, children }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`}>
      <Icon name={icon} spin={spin} />
      <div class="notice-body">{children}</div>
    </div>
  );
}

function showLog(): void {
  command({ command: 'showLog', args: {} });
}
