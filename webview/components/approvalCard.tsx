import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Approval } from '../../protocol/approval';
import { meetsUnsaved } from '../../protocol/unsavedFiles';
import { command } from '../bridge';
import * as app from '../state/app';
import { allow, flightKey, setOpen } from '../state/answering';
import { useNow } from '../state/clock';
import { said } from '../said';
import { t } from '../strings';
import { parseDiff } from '../text/diff';
import { revealed } from '../../protocol/reveal';
import { took } from '../text/words';
import { AllowButtons } from './allowButtons';
import { DenyField } from './denyField';
import { Counts, Diff } from './diff';
import { EditField } from './editField';
import { Elapsed } from './elapsed';
import { Fields } from './fields';
import { Icon } from './icon';
import { pieces, Shown, Worded } from './shown';

/** Characters of a command that the head shows whole, in two or three lines at most. */
const TITLE_LENGTH = 72;

interface ApprovalCardProps {
  readonly approval: Approval;
  readonly settled: boolean;
  readonly pager: ComponentChildren;
}

/** Enough to decide without opening anything: what, where, why it asks, since when. */
export function ApprovalCard({ approval, settled, pager }: ApprovalCardProps) {
  const { preview } = approval;
  const sending = app.inFlight.value.has(flightKey(approval.id, approval.request));
  const usable = settled && !sending && app.hostReady.value;
  const open = app.openFields.value.get(approval.id);
  const buttons = { reason: useRef<HTMLButtonElement>(null), command: useRef<HTMLButtonElement>(null) };
  /** The field that the person has left, whose focus goes back to where it came from. */
  const left = useRef<app.RequestField | undefined>(undefined);
  useLayoutEffect(() => {
    if (left.current !== undefined && open === undefined) buttons[left.current].current?.focus();
    left.current = undefined;
  }, [open]);
  const back = () => {
    left.current = open;
    setOpen(approval.id, undefined);
  };
  return (
    <div
      class="request"
      data-settled={settled ? 'yes' : 'no'}
      role="group"
      aria-label={t('request.approval', { title: revealed(approval.title) })}
    >
      <RequestHead
        icon="bell-dot"
        title={approval.title}
        since={approval.askedAt}
        mono={preview.kind === 'command'}
        whole={saysAlone(approval)}
        sending={sending}
        pager={pager}
      >
        {preview.kind === 'diff' && <Counts added={preview.added} removed={preview.removed} />}
        {preview.kind === 'diff' && preview.created && <span class="badge">{t('request.created')}</span>}
        {approval.handle !== undefined && <span class="handle">{approval.handle}</span>}
      </RequestHead>
      <p class="request-why">
        {open !== 'command' && <Worded text={said(approval.why)} />} <Where approval={approval} />
        {approval.lapsesAt !== undefined && <Lapse at={approval.lapsesAt} />}
      </p>
      <UnsavedNote approval={approval} />
      {approval.edited !== undefined && (
        <p class="quiet">{pieces(t('edit.was', { command: approval.edited.from }), 'code')}</p>
      )}
      {open !== 'command' && (
        <div class="request-preview">
          <PreviewOf approval={approval} />
        </div>
      )}
      {app.paused.value && <p class="quiet">{t('request.afterResume')}</p>}
      {!app.trusted.value && <p class="quiet">{t('request.untrusted')}</p>}
      {open === 'reason' ? (
        <DenyField approval={approval} usable={usable} back={back} />
      ) : open === 'command' ? (
        <EditField approval={approval} usable={usable} back={back} />
      ) : (
        <div class="request-buttons">
          {preview.kind === 'diff' && (
            <button
              type="button"
              class="button secondary"
              title={t('request.openDiff')}
              onClick={() => command({ command: 'openDiff', args: { approval: approval.id } })}
            >
              <Icon name="diff" />
              <span class="wide-only">{t('request.openDiff')}</span>
            </button>
          )}
          {approval.editable === true && (
            <button
              ref={buttons.command}
              type="button"
              class="button secondary"
              title={t('edit.open')}
              disabled={!usable}
              onClick={() => setOpen(approval.id, 'command')}
            >
              <Icon name="edit" />
              <span class="wide-only">{t('request.edit')}</span>
            </button>
          )}
          <span class="grows" />
          <AllowButtons
            offers={approval.offers}
            usable={usable && app.trusted.value}
            allow={(scope, match) => allow(approval, scope, undefined, match)}
          />
          <button
            ref={buttons.reason}
            type="button"
            class="button secondary"
            disabled={!usable}
            onClick={() => setOpen(approval.id, 'reason')}
          >
            {t('request.deny')}
          </button>
        </div>
      )}
    </div>
  );
}

interface RequestHeadProps {
  readonly icon: string;
  readonly title: string;
  readonly since: number;
  readonly mono?: boolean;
  /** The title is all there is to see: it is never cut. */
  readonly whole?: boolean;
  readonly sending: boolean;
  readonly pager: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function RequestHead(props: RequestHeadProps) {
  const { icon, title, since, mono = false, whole = false, sending, pager, children } = props;
  return (
    <div class="request-head">
      <Icon name={icon} />
      <Shown
        text={title.split('\n')[0] ?? ''}
        class={`request-title${mono ? ' mono' : ''}${whole ? ' whole' : ''}`}
      />
      {children}
      <span class="grows" />
      {pager}
      {sending ? <span class="quiet">{t('request.sending')}</span> : <Elapsed since={since} />}
    </div>
  );
}

/** The change would be refused: the person should know it before they allow it. */
export function UnsavedNote({ approval }: { readonly approval: Approval }) {
  if (!meetsUnsaved(approval, app.snapshot.value?.host)) return null;
  return (
    <p class="request-unsaved">
      <Icon name="warning" /> {t('request.unsaved')}
    </p>
  );
}

function Where({ approval }: { readonly approval: Approval }) {
  const folders = app.editor.value?.folders ?? [];
  const folder = folders.find((other) => other.path === approval.folder)?.name ?? approval.folder;
  return (
    <>
      {folders.length === 1 && folders[0]?.path === approval.folder ? null : (
        <span>· {t('request.folder', { folder: revealed(folder) })} </span>
      )}
      {approval.parent !== undefined && <span>· {stepWords(approval)} </span>}
    </>
  );
}

/** Characters of a script's title beside the reason; the whole stands in the conversation. */
const PARENT_LENGTH = 60;

/**
 * What this step is one of: the title of its script, as the conversation or the handle that it has become shows it.
 * A turn that was not read yet has no title here, and the id of a call tells nobody anything.
 */
function stepWords(approval: Approval): string {
  const turn = app.turnsHere.value?.turns.find((view) => view.turn === approval.turn);
  const call = turn?.parts.find((part) => part.kind === 'call' && part.call_id === approval.parent);
  const handle = app.snapshot.value?.handles.find((other) => other.id === approval.handle);
  const title = revealed((call?.kind === 'call' ? call.title : handle?.title) ?? '');
  if (title === '') return t('request.stepOfScript');
  const parent = title.length > PARENT_LENGTH ? `${title.slice(0, PARENT_LENGTH)}…` : title;
  return t('request.step', { parent });
}

export function Lapse({ at }: { readonly at: number }) {
  const now = useNow(true);
  return <span>· {t('request.lapses', { time: took(Math.max(1000, at - now)) })}</span>;
}

/**
 * A short command is its own title, and is not said twice. One that hides something, or that has more lines than the
 * one of a title, is always shown in full.
 */
function isWhole({ preview, title }: Approval): boolean {
  return (
    preview.kind === 'command' &&
    preview.command === title &&
    title.length <= TITLE_LENGTH &&
    !title.includes('\n') &&
    revealed(title) === title
  );
}

/** Nothing below the title says it again: a short command, or the file that a change is of. Cut, it would be unseen. */
export function saysAlone(approval: Approval): boolean {
  return approval.preview.kind === 'diff' || isWhole(approval);
}

export function PreviewOf({ approval }: { readonly approval: Approval }) {
  const { preview } = approval;
  switch (preview.kind) {
    case 'command':
      return isWhole(approval) ? null : (
        <pre class="command" tabIndex={0} aria-label={t('call.command')}>
          {pieces(preview.command, 'code')}
        </pre>
      );
    case 'diff':
      return <Diff rows={parseDiff(preview.diff)} label={t('call.change')} cut={preview.cut} />;
    case 'text':
      return <Fields value={preview.text} />;
    case 'arguments':
      return <Fields value={approval.args} />;
  }
}
