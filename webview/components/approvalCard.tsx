import type { ComponentChildren } from 'preact';
import type { Approval } from '../../protocol/approval';
import { command } from '../bridge';
import * as app from '../state/app';
import { allow, flightKey, setDenying } from '../state/answering';
import { useNow } from '../state/clock';
import { t } from '../strings';
import { parseDiff } from '../text/diff';
import { revealed } from '../text/reveal';
import { took } from '../text/words';
import { AllowButtons } from './allowButtons';
import { DenyField } from './denyField';
import { Counts, Diff } from './diff';
import { Elapsed } from './elapsed';
import { Fields } from './fields';
import { Icon } from './icon';
import { pieces, Shown } from './shown';

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
  const denying = app.denying.value.has(approval.id);
  return (
    <div class="request" role="group" aria-label={t('request.approval', { title: revealed(approval.title) })}>
      <RequestHead icon="bell-dot" title={approval.title} since={approval.askedAt} mono={preview.kind === 'command'}>
        {preview.kind === 'diff' && <Counts added={preview.added} removed={preview.removed} />}
        {preview.kind === 'diff' && preview.created && <span class="badge">{t('request.created')}</span>}
        {approval.handle !== undefined && <span class="handle">{approval.handle}</span>}
      </RequestHead>
      <p class="request-why">
        {pieces(approval.why, 'code')} <Where approval={approval} />
        {approval.lapsesAt !== undefined && <Lapse at={approval.lapsesAt} />}
      </p>
      <div class="request-preview">
        <PreviewOf approval={approval} />
      </div>
      {app.paused.value && <p class="quiet">{t('request.afterResume')}</p>}
      {!app.trusted.value && <p class="quiet">{t('request.untrusted')}</p>}
      {denying ? (
        <DenyField approval={approval} usable={usable} />
      ) : (
        <div class="request-buttons">
          {preview.kind === 'diff' && (
            <button
              type="button"
              class="button secondary"
              onClick={() => command({ command: 'openDiff', args: { approval: approval.id } })}
            >
              {t('request.openDiff')}
            </button>
          )}
          <span class="grows" />
          {pager}
          <AllowButtons
            approval={approval}
            usable={usable && app.trusted.value}
            allow={(scope) => allow(approval, scope)}
          />
          <button
            type="button"
            class="button secondary"
            disabled={!usable}
            onClick={() => setDenying(approval.id, true)}
          >
            {t(sending ? 'request.sending' : 'request.deny')}
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
  readonly children?: ComponentChildren;
}

export function RequestHead({ icon, title, since, mono = false, children }: RequestHeadProps) {
  return (
    <div class="request-head">
      <Icon name={icon} />
      <Shown text={title.split('\n')[0] ?? ''} class={mono ? 'request-title mono' : 'request-title'} />
      {children}
      <span class="grows" />
      <Elapsed since={since} />
    </div>
  );
}

function Where({ approval }: { readonly approval: Approval }) {
  const folders = app.editor.value?.folders ?? [];
  const folder = folders.find((other) => other.path === approval.folder)?.name ?? approval.folder;
  return (
    <>
      {folders.length === 1 && folders[0]?.path === approval.folder ? null : (
        <span>
          · {t('request.folder', { folder: revealed(folder) })}{' '}
        </span>
      )}
      {approval.parent !== undefined && <span>· {t('request.step', { parent: parentTitle(approval) })} </span>}
    </>
  );
}

/** The title of the call that this step was made from, as the conversation shows it. */
function parentTitle(approval: Approval): string {
  const turn = app.mirror.value?.transcript?.turns.find((view) => view.turn === approval.turn);
  const parent = turn?.parts.find((part) => part.kind === 'call' && part.call_id === approval.parent);
  return parent?.kind === 'call' ? revealed(parent.title) : String(approval.parent);
}

export function Lapse({ at }: { readonly at: number }) {
  const now = useNow(true);
  return <span>· {t('request.lapses', { time: took(Math.max(1000, at - now)) })}</span>;
}

function PreviewOf({ approval }: { readonly approval: Approval }) {
  const { preview } = approval;
  switch (preview.kind) {
    case 'command':
      // The title of a short command is the command: it is not said twice.
      return preview.command === approval.title ? null : (
        <pre class="command" tabIndex={0} aria-label={t('call.command')}>
          {pieces(preview.command, 'code')}
        </pre>
      );
    case 'diff':
      return <Diff rows={parseDiff(preview.diff)} label={t('call.change')} cut={preview.cut} />;
    case 'arguments':
      return <Fields value={approval.args} />;
  }
}
