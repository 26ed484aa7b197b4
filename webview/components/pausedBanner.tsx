import { useEffect, useState } from 'preact/hooks';
import type { Ended, HostState } from '../../protocol/host';
import { ask } from '../bridge';
import * as app from '../state/app';
import { resumeAll } from '../state/sending';
import { t } from '../strings';
import { clock } from '../text/words';
import { Icon } from './icon';
import { Shown } from './shown';
import { said } from '../said';

/** Loud, over the full width, with what the pause has ended and the one way on. */
export function PausedBanner({ host }: { readonly host: HostState }) {
  const { starting, windows } = useRelease(app.snapshot.value?.seq ?? 0);
  return (
    <section class="paused-banner" aria-label={t('session.paused')}>
      <Icon name="debug-pause" />
      <div class="paused-body">
        <p class="paused-title">{t('cord.banner')}</p>
        <p class="paused-detail">
          {host.pausedBy !== undefined && host.pausedAt !== undefined && (
            <span>{t('cord.by', { by: said(host.pausedBy), time: clock(host.pausedAt) })} </span>
          )}
          {host.ended.length === 0 && <span>{t('cord.endedNothing')}</span>}
          {!host.quiet && <span>{t('cord.stopping')}</span>}
          {windows > 0 && <span> {t('cord.windows', { count: windows })}</span>}
        </p>
        <Listed summary={t('cord.ended', { count: host.ended.length })} items={host.ended} />
        <Listed summary={t('cord.starting', { count: starting.length })} items={starting} />
      </div>
      <button type="button" class="button" onClick={resumeAll}>
        {t('cord.resume')}
      </button>
    </section>
  );
}

function Listed({ summary, items }: { readonly summary: string; readonly items: readonly Ended[] }) {
  if (items.length === 0) return null;
  return (
    <details class="paused-ended">
      <summary>{summary}</summary>
      <ul>
        {items.map((item) => (
          <li
            key={`${item.kind} ${item.turn ?? ''} ${item.id}`}
            class={item.turn === undefined ? '' : 'paused-within'}
          >
            <Shown text={item.kind === 'model' ? said(item.title) : item.title} />
            {item.by !== undefined && (
              <span class="quiet"> {t('cord.allowedBy', { by: said(item.by) })}</span>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

interface Release {
  readonly starting: readonly Ended[];
  /** Other windows that are paused, which the release is for as well. */
  readonly windows: number;
}

const NOTHING: Release = { starting: [], windows: 0 };

/** What a release would start, asked for again whenever something has happened since. */
function useRelease(seq: number): Release {
  const [release, setRelease] = useState<Release>(NOTHING);
  useEffect(() => {
    ask(
      'host/status',
      {},
      ({ starting, windows }) =>
        setRelease({ starting, windows: windows.filter((window) => window.paused).length }),
      () => setRelease(NOTHING),
    );
  }, [seq]);
  return release;
}
