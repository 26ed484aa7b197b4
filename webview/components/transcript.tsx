import { useRef } from 'preact/hooks';
import * as app from '../state/app';
import type { Row } from '../state/rows';
import { readOlder } from '../state/wire';
import { t } from '../strings';
import { Icon } from './icon';
import { RowView } from './row';
import { useScroll } from './scroll';
import { Unread } from './unread';
import { WelcomeBody } from './welcome';

/**
 * What was said and done in the shown session, oldest first. Older turns are read as the person scrolls up, and
 * only the rows near to what is seen are drawn: a session of any length costs the page the same.
 */
export function Transcript() {
  const log = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const here = app.turnsHere.value;
  const rows = app.rows.value;
  const scroll = useScroll(
    { frame: log, content, list },
    { session: app.shown.value, turns: here?.turns, rows },
  );
  const gone = app.gone.value;
  const last = here?.turns.at(-1)?.turn;
  const isEmpty = !gone && here !== undefined && rows.length === 0 && app.unread.value.length === 0;
  return (
    <div class="log-frame">
      <main
        ref={log}
        class="log"
        tabIndex={0}
        aria-label={t('app.conversation')}
        onScroll={scroll.onScroll}
        onClickCapture={scroll.onOpen}
      >
        <div ref={content} class={isEmpty ? 'log-content welcome' : 'log-content'}>
          {here?.older !== undefined && (
            <button type="button" class="link older" disabled={app.loadingOlder.value} onClick={readOlder}>
              {t(app.loadingOlder.value ? 'part.loadingOlder' : 'part.older')}
            </button>
          )}
          <div ref={list} class="rows">
            <div class="left-out" style={{ height: `${scroll.above}px` }} />
            {byTurn(rows.slice(scroll.range.from, scroll.range.to)).map(({ turn, rows: own }) => (
              <section key={turn} class="turn" data-turn={turn}>
                {own.map((row) => (
                  <RowView key={row.key} row={row} last={row.turn === last} />
                ))}
              </section>
            ))}
            <div class="left-out" style={{ height: `${scroll.below}px` }} />
          </div>
          {gone && <p class="quiet centred">{t('session.gone')}</p>}
          {!gone && here === undefined && app.editor.value?.hostState !== 'failed' && (
            <p class="quiet centred">{t('app.loading')}</p>
          )}
          {isEmpty && <WelcomeBody />}
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

function byTurn(rows: readonly Row[]): readonly { readonly turn: string; readonly rows: readonly Row[] }[] {
  const groups: { turn: string; rows: Row[] }[] = [];
  for (const row of rows) {
    const group = groups.at(-1);
    if (group?.turn === row.turn) group.rows.push(row);
    else groups.push({ turn: row.turn, rows: [row] });
  }
  return groups;
}
