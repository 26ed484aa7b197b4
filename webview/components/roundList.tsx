import { useEffect, useRef, useState } from 'preact/hooks';
import type { Approval } from '../../protocol/approval';
import * as app from '../state/app';
import { allow, deny, flightKey, isChanged } from '../state/answering';
import { later } from '../state/clock';
import { said } from '../said';
import { t } from '../strings';
import { revealed } from '../../protocol/reveal';
import { PreviewOf, saysAlone, UnsavedNote } from './approvalCard';
import { Counts } from './diff';
import { Icon, IconButton } from './icon';
import { Shown, Worded } from './shown';

interface RoundListProps {
  readonly approvals: readonly Approval[];
  readonly settled: boolean;
  readonly close: () => void;
}

/**
 * All requests of one round, each with what it would do. All of them can be allowed at once, but only after each
 * one has been on screen to its end.
 */
export function RoundList({ approvals, settled, close }: RoundListProps) {
  const list = useRef<HTMLOListElement>(null);
  const seen = useSeen(list, approvals);
  const unseen = approvals.filter((approval) => !seen.has(keyOf(approval))).length;
  const usable = settled && app.hostReady.value && app.trusted.value;
  // All of them would be allowed as they were asked for, and not as the person has begun to write one.
  const changed = approvals.find(isChanged);
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
        {changed !== undefined ? (
          <span class="quiet">
            {t('round.changed', { title: revealed(changed.title.split('\n')[0] ?? '') })}
          </span>
        ) : (
          unseen > 0 && <span class="quiet">{t('round.scroll', { count: unseen })}</span>
        )}
        <span class="grows" />
        <button
          type="button"
          class="button"
          disabled={!usable || unseen > 0 || changed !== undefined}
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
          class={`request-title${preview.kind === 'command' ? ' mono' : ''}${saysAlone(approval) ? ' whole' : ''}`}
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
      <p class="request-why">
        <Worded text={said(approval.why)} />
      </p>
      <UnsavedNote approval={approval} />
      <PreviewOf approval={approval} />
    </li>
  );
}

/** What flies past on a jump to the end is not seen, ms. */
const SEEN_MS = 300;
/** Of the end of a request about a line has to be on screen, pixels. */
const LAST_LINE_PX = 16;

/** The requests whose end was on screen, at least once and for a moment; of one that is folded it never is. */
function useSeen(
  list: { readonly current: HTMLElement | null },
  approvals: readonly Approval[],
): ReadonlySet<string> {
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const keys = approvals.map(keyOf).join();
  useEffect(() => {
    const frame = list.current;
    if (frame === null) return undefined;
    /** What is on screen, each with the way to call off that it will have been seen. */
    const staying = new Map<string, () => void>();
    const look = () => {
      const { top, bottom } = frame.getBoundingClientRect();
      for (const item of frame.querySelectorAll<HTMLElement>('[data-request]')) {
        const key = item.dataset['request'] ?? '';
        const end = item.getBoundingClientRect().bottom;
        const folded = item.querySelector('.folded') !== null;
        if (folded || end < top + LAST_LINE_PX || end > bottom + 1) {
          staying.get(key)?.();
          staying.delete(key);
        } else if (!staying.has(key)) {
          staying.set(
            key,
            later(SEEN_MS, () => setSeen((before) => new Set([...before, key]))),
          );
        }
      }
    };
    const observer = new ResizeObserver(look);
    observer.observe(frame);
    // An item grows when the person unfolds it.
    for (const item of frame.children) observer.observe(item);
    frame.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      frame.removeEventListener('scroll', look);
      for (const callOff of staying.values()) callOff();
    };
  }, [keys]);
  return seen;
}

function keyOf(approval: Approval): string {
  return flightKey(approval.id, approval.request);
}
