import { useEffect, useRef } from 'preact/hooks';
import * as app from '../state/app';
import { nextMatch } from '../state/find';
import { readAll } from '../state/wire';
import { t } from '../strings';
import { IconButton } from './icon';
import { useMarks } from './marks';

/** Find in this session: the newest match first, older ones upwards, as in the editor's own find. */
export function FindBar() {
  const open = app.finding.value;
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      if (event.shiftKey || app.shown.peek() === undefined) return;
      event.preventDefault();
      app.finding.value = true;
      app.findAsked.value++;
    };
    document.addEventListener('keydown', keys);
    return () => document.removeEventListener('keydown', keys);
  }, []);
  return open && app.shown.value !== undefined ? <Bar /> : null;
}

function Bar() {
  const field = useRef<HTMLInputElement>(null);
  const query = app.findQuery.value;
  const matches = app.matches.value;
  const current = app.found.value;
  const place = current === undefined ? 0 : matches.indexOf(current) + 1;
  useMarks(query);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [app.findAsked.value]);
  // What was not read yet is searched too.
  useEffect(() => {
    if (query.trim() !== '') readAll();
  }, [query.trim() === '']);

  const go = (step: 1 | -1) => {
    const next = nextMatch(app.matches.peek(), app.found.peek(), step);
    app.found.value = next;
    if (next !== undefined) app.wanted.value = { row: next };
  };
  // The newest match is gone to as soon as there is one, and not again as older ones come in.
  useEffect(() => {
    if (current === undefined && matches.length > 0) go(-1);
  }, [query, current === undefined, matches.length > 0]);

  const close = () => {
    app.finding.value = false;
    app.found.value = undefined;
    document.querySelector<HTMLElement>('.log')?.focus();
  };
  return (
    <div class="find" role="search" aria-label={t('find.label')}>
      <input
        ref={field}
        type="text"
        class="find-text"
        aria-label={t('find.label')}
        placeholder={t('find.label')}
        value={query}
        dir="auto"
        onInput={(event) => {
          app.findQuery.value = event.currentTarget.value;
          app.found.value = undefined;
        }}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') close();
          else if (event.key === 'Enter') go(event.shiftKey ? 1 : -1);
          else return;
          event.preventDefault();
        }}
      />
      <span class="find-count" role="status">
        {query.trim() === '' ? '' : t('find.count', { number: place, count: matches.length })}
      </span>
      <IconButton
        icon="arrow-up"
        label={t('find.older')}
        disabled={matches.length === 0}
        onClick={() => go(-1)}
      />
      <IconButton
        icon="arrow-down"
        label={t('find.newer')}
        disabled={matches.length === 0}
        onClick={() => go(1)}
      />
      <IconButton icon="close" label={t('find.close')} onClick={close} />
    </div>
  );
}
