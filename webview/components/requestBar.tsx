import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { needKey } from '../../protocol/needKey';
import { tellDrawn } from '../bridge';
import * as app from '../state/app';
import { dismissFate, flightKey, page } from '../state/answering';
import { later } from '../state/clock';
import { needId } from '../state/mirror';
import { roundOf } from '../state/round';
import { t } from '../strings';
import { ApprovalCard } from './approvalCard';
import { Icon, IconButton } from './icon';
import { QuestionCard } from './questionCard';
import { RoundList } from './roundList';
import { Worded } from './shown';

/**
 * A card that has just come, or a list that has just changed, takes no click for this long, ms: the click was meant
 * for what was there before. Windows takes two clicks within this time for a double click.
 */
const SETTLE_MS = 500;

/** What waits for the person in this session, above the composer. It never takes the focus by itself. */
export function RequestBar() {
  const { ids, front } = app.requestOrder.value;
  const need = app.needs.value.find((other) => needId(other) === front);
  const frame = useRef<HTMLElement>(null);
  const asked = app.focusAsked.value;
  /** The turn whose round is shown as a list. */
  const [listed, setListed] = useState<string | undefined>(undefined);
  const looked = useRef(new Set<string>());
  if (front !== undefined) looked.current.add(front);

  useEffect(() => {
    if (asked.target === 'request') frame.current?.focus();
  }, [asked.number]);

  // In the frame that draws it: a page that draws no more does not say so.
  const drawn = need === undefined ? '' : app.needs.value.map(needKey).join(' ');
  useEffect(() => {
    const frame = requestAnimationFrame(() => tellDrawn(drawn === '' ? [] : drawn.split(' ')));
    return () => cancelAnimationFrame(frame);
  }, [drawn]);

  useKeptFocus(frame, front);

  const round =
    need?.kind === 'approval'
      ? roundOf(need.approval, app.needs.value, app.turnsHere.value?.turns ?? [])
      : [];
  const isList = round.length > 1 && listed === round[0]?.turn;
  if (isList) for (const one of round) looked.current.add(one.id);
  const hasNew = ids.some((id) => !looked.current.has(id));
  // When one of a list is answered, the others move under the pointer.
  const shown = isList ? round : need?.kind === 'approval' ? [need.approval] : [];
  const settled = useSettled(
    shown.length === 0 ? front : shown.map((one) => flightKey(one.id, one.request)).join(),
  );

  if (need === undefined && app.fates.value.length === 0) return null;
  const list = round.length < 2 ? undefined : { count: round.length, open: () => setListed(round[0]?.turn) };
  const place = front === undefined ? 0 : ids.indexOf(front) + 1;
  return (
    <section ref={frame} class="request-bar" aria-label={t('request.bar')} tabIndex={-1}>
      {app.fates.value.map((fate) => (
        <p key={fate.id} class="fate">
          <Icon name={fate.good ? 'check' : 'info'} />
          <span class="grows">
            <Worded text={fate.text} />
          </span>
          <IconButton icon="close" label={t('app.dismiss')} onClick={() => dismissFate(fate.id)} />
        </p>
      ))}
      {isList && <RoundList approvals={round} settled={settled} close={() => setListed(undefined)} />}
      {need?.kind === 'approval' && !isList && (
        <ApprovalCard
          key={needId(need)}
          approval={need.approval}
          settled={settled}
          pager={pager(place, ids.length, hasNew, list)}
        />
      )}
      {need?.kind === 'question' && (
        <QuestionCard
          key={needId(need)}
          question={need.question}
          settled={settled}
          pager={pager(place, ids.length, hasNew)}
        />
      )}
    </section>
  );
}

/** What was answered leaves with the focus that it had: the next request gets it, or else the conversation. */
function useKeptFocus(frame: { readonly current: HTMLElement | null }, front: string | undefined): void {
  const had = useRef(false);
  useLayoutEffect(() => {
    if (had.current && document.activeElement === document.body) {
      // Not the composer: an Enter too many, meant for what was answered, would send what is written there.
      if (front === undefined) document.querySelector<HTMLElement>('.log')?.focus();
      else frame.current?.focus();
    }
    had.current = frame.current?.contains(document.activeElement) === true;
  });
  useEffect(() => {
    const note = () => (had.current = frame.current?.contains(document.activeElement) === true);
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
}

interface List {
  readonly count: number;
  readonly open: () => void;
}

function pager(place: number, count: number, hasNew: boolean, list?: List) {
  if (count < 2) return null;
  return (
    <span class="pager">
      {list !== undefined && (
        <IconButton icon="checklist" label={t('round.open', { count: list.count })} onClick={list.open} />
      )}
      <IconButton icon="chevron-left" label={t('request.previous')} onClick={() => page(-1)} />
      <span class="pager-place">{t('request.place', { number: place, count })}</span>
      {hasNew && <span class="badge">{t('request.new')}</span>}
      <IconButton icon="chevron-right" label={t('request.next')} onClick={() => page(1)} />
    </span>
  );
}

function useSettled(key: string | undefined): boolean {
  const [settledFor, settle] = useState<string | undefined>(undefined);
  useEffect(() => (key === undefined ? undefined : later(SETTLE_MS, () => settle(key))), [key]);
  return settledFor === key;
}
