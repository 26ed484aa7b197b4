import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import * as app from '../state/app';
import { dismissFate, page } from '../state/answering';
import { later } from '../state/clock';
import { needId } from '../state/mirror';
import { roundOf } from '../state/round';
import { t } from '../strings';
import { ApprovalCard } from './approvalCard';
import { Icon, IconButton } from './icon';
import { QuestionCard } from './questionCard';
import { RoundList } from './roundList';
import { Worded } from './shown';

/** A card that has just come takes no click for this long, ms: the click was meant for what was there before. */
const SETTLE_MS = 400;

/** What waits for the person in this session, above the composer. It never takes the focus by itself. */
export function RequestBar() {
  const { ids, front } = app.requestOrder.value;
  const need = app.needs.value.find((other) => needId(other) === front);
  const frame = useRef<HTMLElement>(null);
  const settled = useSettled(front);
  const asked = app.focusAsked.value;
  const [listed, setListed] = useState(false);

  useEffect(() => {
    if (asked.target === 'request') frame.current?.focus();
  }, [asked.number]);

  useKeptFocus(frame, front);

  if (need === undefined && app.fates.value.length === 0) return null;
  const round =
    need?.kind === 'approval'
      ? roundOf(need.approval, app.needs.value, app.turnsHere.value?.turns ?? [])
      : [];
  const list = round.length < 2 ? undefined : { count: round.length, open: () => setListed(true) };
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
      {listed && round.length > 1 && (
        <RoundList approvals={round} settled={settled} close={() => setListed(false)} />
      )}
      {need?.kind === 'approval' && !(listed && round.length > 1) && (
        <ApprovalCard
          key={needId(need)}
          approval={need.approval}
          settled={settled}
          pager={pager(place, ids.length, list)}
        />
      )}
      {need?.kind === 'question' && (
        <QuestionCard
          key={needId(need)}
          question={need.question}
          settled={settled}
          pager={pager(place, ids.length)}
        />
      )}
    </section>
  );
}

/** What was answered leaves with the focus that it had: the next request gets it, or else the composer. */
function useKeptFocus(frame: { readonly current: HTMLElement | null }, front: string | undefined): void {
  const had = useRef(false);
  useLayoutEffect(() => {
    if (had.current && document.activeElement === document.body) {
      if (front === undefined) app.takeTo('composer');
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

function pager(place: number, count: number, list?: List) {
  if (count < 2) return null;
  return (
    <span class="pager">
      {list !== undefined && (
        <IconButton icon="checklist" label={t('round.open', { count: list.count })} onClick={list.open} />
      )}
      <IconButton icon="chevron-left" label={t('request.previous')} onClick={() => page(-1)} />
      <span class="pager-place">{t('request.place', { number: place, count })}</span>
      <IconButton icon="chevron-right" label={t('request.next')} onClick={() => page(1)} />
    </span>
  );
}

function useSettled(front: string | undefined): boolean {
  const [settledFor, settle] = useState<string | undefined>(undefined);
  useEffect(() => (front === undefined ? undefined : later(SETTLE_MS, () => settle(front))), [front]);
  return settledFor === front;
}
