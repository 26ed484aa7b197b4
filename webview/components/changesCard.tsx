import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Reverted } from '../../protocol/change';
import type { TurnView } from '../../protocol/transcript';
import { command, request } from '../bridge';
import { BY } from '../bridgeProtocol';
import * as app from '../state/app';
import { act } from '../state/sending';
import { t } from '../strings';
import { baseName } from '../text/words';
import { Icon, IconButton } from './icon';
import { Shown } from './shown';
import { said } from '../said';

type Changes = NonNullable<TurnView['changes']>;

/** The files that a turn has changed: each with its diff, and the way back for one or for all. */
export function ChangesCard({ view }: { readonly view: TurnView }) {
  const [open, setOpen] = useState(false);
  const [asking, setAsking] = useState<readonly string[] | undefined>(undefined);
  const [outcome, setOutcome] = useState<readonly Reverted[]>([]);
  const changes: Changes = view.changes ?? [];
  const refused = outcome.filter((one) => one.outcome === 'refused');
  if (changes.length === 0 && refused.length === 0) return null;
  const canRevert = app.hostReady.value && app.trusted.value && !app.paused.value;
  const revert = (paths: readonly string[]) => {
    setAsking(undefined);
    const asked = request('change/revert', {
      session: view.session,
      turn: view.turn,
      paths: [...paths],
      by: BY.chat,
    });
    act(asked.then(({ items }) => setOutcome(items)));
  };
  return (
    <div class="changes" role="group" aria-label={title(changes.length)}>
      <div class="changes-head">
        <button
          type="button"
          class="changes-title"
          aria-expanded={open}
          disabled={changes.length === 0}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
          <Icon name="diff-multiple" />
          <span>{title(changes.length)}</span>
        </button>
        {changes.length > 0 && asking === undefined && (
          <span class="changes-buttons">
            <button
              type="button"
              class="button secondary"
              onClick={() =>
                command({ command: 'reviewChanges', args: { session: view.session, turn: view.turn } })
              }
            >
              {t('changes.review')}
            </button>
            <button
              type="button"
              class="button secondary"
              disabled={!canRevert}
              onClick={() => setAsking(changes.map(({ path }) => path))}
            >
              {t('changes.revert')}
            </button>
          </span>
        )}
      </div>
      {open && <Files view={view} changes={changes} canRevert={canRevert} ask={setAsking} />}
      {asking !== undefined && (
        <Confirm
          key={asking.join()}
          paths={asking}
          revert={() => revert(asking)}
          keep={() => setAsking(undefined)}
        />
      )}
      {refused.map((one) => (
        <Refused key={one.path} reverted={one} />
      ))}
    </div>
  );
}

/** A file that stays as it is, and why. */
export function Refused({ reverted: { path, detail } }: { readonly reverted: Reverted }) {
  return (
    <p class="changes-refused">
      <Icon name="info" />
      <span>
        <Shown text={baseName(path)} class="mono" /> {detail === undefined ? '' : said(detail)}
      </span>
    </p>
  );
}

interface FilesProps {
  readonly view: TurnView;
  readonly changes: Changes;
  readonly canRevert: boolean;
  readonly ask: (paths: readonly string[]) => void;
}

function Files({ view, changes, canRevert, ask }: FilesProps) {
  const { session, turn } = view;
  return (
    <ul class="changes-files">
      {changes.map(({ path, kind }) => (
        <li key={path}>
          <button
            type="button"
            class="changes-file"
            title={path}
            onClick={() => command({ command: 'reviewChanges', args: { session, turn, path } })}
          >
            <Icon name={`diff-${kind === 'created' ? 'added' : kind === 'deleted' ? 'removed' : kind}`} />
            <Shown text={within(path)} class="mono" />
            <span class="only-spoken">{t(`changes.${kind}`)}</span>
          </button>
          <IconButton
            icon="discard"
            label={t('changes.revertOne', { name: baseName(path) })}
            disabled={!canRevert}
            onClick={() => ask([path])}
          />
        </li>
      ))}
    </ul>
  );
}

interface ConfirmProps {
  readonly paths: readonly string[];
  readonly revert: () => void;
  readonly keep: () => void;
}

/** Going back is asked for once more, in place. */
function Confirm({ paths, revert, keep }: ConfirmProps) {
  const go = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => go.current?.focus(), []);
  const [first] = paths;
  const question =
    paths.length === 1
      ? t('changes.askOne', { name: baseName(first ?? '') })
      : t('changes.ask', { count: paths.length });
  return (
    <div class="changes-ask" onKeyDown={(event) => event.key === 'Escape' && keep()}>
      <p>
        {question} <span class="quiet">{t('changes.askDetail')}</span>
      </p>
      <div class="buttons">
        <button type="button" class="button" ref={go} onClick={revert}>
          {t('changes.go')}
        </button>
        <button type="button" class="button secondary" onClick={keep}>
          {t('changes.cancel')}
        </button>
      </div>
    </div>
  );
}

function title(count: number): string {
  return count === 1 ? t('changes.one') : t('changes.many', { count });
}

/** A path as a person reads it: from the session's folder on where it lies inside. */
function within(path: string): string {
  const folder = app.session.peek()?.folder;
  return folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}
