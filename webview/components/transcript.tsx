import { useRef } from 'preact/hooks';
import * as app from '../state/app';
import { readOlder } from '../state/wire';
import { t } from '../strings';
import { Icon } from './icon';
import { Turn } from './turn';
import { Unread } from './unread';
import { useScroll } from './scroll';

/** What was said and done in the shown session, oldest first; older turns are read as the person scrolls up. */
export function Transcript() {
  const log = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const transcript = app.transcript.value;
  const session = app.shown.value;
  const here = transcript?.session === session ? transcript : undefined;
  const scroll = useScroll(log, content, { session, turns: here?.turns });
  const turns = here?.turns ?? [];
  const gone = app.gone.value;
  const last = turns.at(-1);
  return (
    <div class="log-frame">
      <main ref={log} class="log" tabIndex={0} aria-label={t('app.conversation')} onScroll={scroll.onScroll}>
        <div ref={content} class="log-content">
          {here?.older !== undefined && (
            <button type="button" class="link older" disabled={app.loadingOlder.value} onClick={readOlder}>
              {t(app.loadingOlder.value ? 'part.loadingOlder' : 'part.older')}
            </button>
          )}
          {turns.map((turn) => (
            <Turn key={turn.turn} view={turn} last={turn === last} />
          ))}
          {gone && <p class="quiet centred">{t('session.gone')}</p>}
          {!gone && here === undefined && app.editor.value?.hostState !== 'failed' && (
            <p class="quiet centred">{t('app.loading')}</p>
          )}
          {here !== undefined && turns.length === 0 && app.unread.value.length === 0 && (
            <p class="quiet centred">{t('welcome.empty')}</p>
          )}
          <Unread />
        </div>
      </main>
      {!scroll.atEnd && (
        <button type="button" class="new-pill" aria-label={t('part.newLabel')} onClick={scroll.toEnd}>
          <Icon name="arrow-down" />
          {scroll.hasNew && <span>{t('part.new')}</span>}
        </button>
      )}
    </div>
  );
}
