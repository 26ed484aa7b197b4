import { useEffect, useRef, useState } from 'preact/hooks';
import type { Approval } from '../../protocol/approval';
import * as app from '../state/app';
import { allow, deny, flightKey } from '../state/answering';
import { t } from '../strings';
import { revealed } from '../../protocol/reveal';
import { PreviewOf } from './approvalCard';
import { Counts } from './diff';
import { Icon, IconButton } from './icon';
import { pieces, Shown } from './shown';

interface RoundListProps {
  readonly approvals: readonly Approval[];
  readonly settled: boolean;
  readonly close: () => void;
}

/**
 * All requests of one round, each with what it would do. All of them can be allowed at once, but only after each
 * one has been on screen.
 */
export function RoundList({ approvals, settled, close }: RoundListProps) {
  const list = useRef<HTMLOListElement>(null);
  const seen = useSeen(list, approvals);
  const all = approvals.every((approval) => seen.has(keyOf(approval)));
  const usable = settled && app.hostReady.value && app.trusted.value;
  return (
    <div class="request round" data-settled={settled ? 'yes' : 'no'}>
      <div class="request-head">
        <Icon name="bell-dot" />
        <span class="request-title">{t('round.title', { count: approvals.length })}</span>
        <span class="grows" />
        <IconButton icon="close" label={t('round.close')} onClick={close} />
      </div>
      <ol
        ref={list}
        class="round-list"
        tabIndex={0}
        aria-label={t('round.title', { count: approvals.length })}
      >
        {approvals.map((approval) => (
          <RoundItem key={keyOf(approval)} approval={approval} usable={usable} />
        ))}
      </ol>
      <div class="request-buttons">
        {!all && <span class="quiet">{t('round.scroll')}</span>}
        <span class="grows" />
        <button
          type="button"
          class="button"
          disabled={!usable || !all}
          onClick={() => {
            for (const approval of approvals) allow(approval, 'once');
          }}
        >
          {t('round.allow', { count: approvals.length })}
        </button>
      </div>
    </div>
  );
}

function RoundItem({ approval, usable }: { readonly approval: Approval; readonly usable: boolean }) {
  const free = usable && !app.inFlight.value.has(keyOf(approval));
  const { preview, title } = approval;
  return (
    <li data-request={keyOf(approval)} aria-label={t('request.approval', { title: revealed(title) })}>
      <div class="request-head">
        <Shown
          text={title.split('\n')[0] ?? ''}
          class={`request-title${preview.kind === 'command' ? ' mono' : ''}`}
        />
        {preview.kind === 'diff' && <Counts added={preview.added} removed={preview.removed} />}
        <span class="grows" />
        <button
          type="button"
          class="button secondary"
          disabled={!free}
          onClick={() => allow(approval, 'once')}
        >
          {t('request.allow')}
        </button>
        <button type="button" class="button secondary" disabled={!free} onClick={() => deny(approval, '')}>
          {t('round.deny')}
        </button>
      </div>
      <p class="request-why">{pieces(approval.why, 'code')}</p>
      <PreviewOf approval={approval} />
    </li>
  );
}

/** The requests that were on screen to their end, at least once. */
function useSeen(
  list: { readonly current: HTMLElement | null },
  approvals: readonly Approval[],
): ReadonlySet<string> {
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const keys = approvals.map(keyOf).join();
  useEffect(() => {
    const frame = list.current;
    if (frame === null) return undefined;
    const look = () => {
      const bottom = frame.getBoundingClientRect().bottom;
      const items = [...frame.querySelectorAll<HTMLElement>('[data-request]')];
      const now = items.filter((item) => item.getBoundingClientRect().bottom <= bottom + 1);
      setSeen((before) => new Set([...before, ...now.map((item) => item.dataset['request'] ?? '')]));
    };
    const observer = new ResizeObserver(look);
    observer.observe(frame);
    frame.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      frame.removeEventListener('scroll', look);
    };
  }, [keys]);
  return seen;
}

function keyOf(approval: Approval): string {
  return flightKey(approval.id, approval.request);
}
