import type { HostState } from '../../protocol/host';
import { resumeAll } from '../state/sending';
import { t } from '../strings';
import { clock } from '../text/words';
import { Icon } from './icon';
import { Shown } from './shown';

/** Loud, over the full width, with what the pause has ended and the one way on. */
export function PausedBanner({ host }: { readonly host: HostState }) {
  return (
    <section class="paused-banner" aria-label={t('session.paused')}>
      <Icon name="debug-pause" />
      <div class="paused-body">
        <p class="paused-title">{t('cord.banner')}</p>
        <p class="paused-detail">
          {host.pausedBy !== undefined && host.pausedAt !== undefined && (
            <span>{t('cord.by', { by: host.pausedBy, time: clock(host.pausedAt) })} </span>
          )}
          {host.ended.length === 0 && <span>{t('cord.endedNothing')}</span>}
          {!host.quiet && <span>{t('cord.stopping')}</span>}
        </p>
        {host.ended.length > 0 && (
          <details class="paused-ended">
            <summary>{t('cord.ended', { count: host.ended.length })}</summary>
            <ul>
              {host.ended.map((ended) => (
                <li key={ended.id}>
                  <Shown text={ended.title} />
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      <button type="button" class="button" onClick={resumeAll}>
        {t('cord.resume')}
      </button>
    </section>
  );
}
