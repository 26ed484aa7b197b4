import type { CallPart } from '../../protocol/transcript';
import * as app from '../state/app';
import { needOf } from '../state/mirror';
import { bringToFront } from '../state/requestOrder';
import { isRecord, numberOf, textOf } from '../state/values';
import { t } from '../strings';
import { clock, took } from '../text/words';
import { CallBody, editRows } from './callBody';
import { Counts } from './diff';
import { Elapsed } from './elapsed';
import { Icon, IconButton } from './icon';
import { Shown } from './shown';
import { Steps } from './steps';
import { callLook, errorCode, exitCode, type HandleNow, type Look } from './states';
import { countRows } from '../text/diff';

interface CallCardProps {
  readonly call: CallPart;
  readonly turn: string;
  /** Steps that were made from inside it. */
  readonly steps?: readonly CallPart[];
}

/** One call in one line; it opens to what it did, with what, who let it, and how it ended. */
export function CallCard({ call, turn, steps = [] }: CallCardProps) {
  const key = `${turn}/${call.call_id}`;
  const open = app.cards.value[key] === true;
  const handle = handleOf(call);
  const look = isAtWait(call, turn) ? WAITS() : callLook(call, handle);
  const body = `call-${turn}-${call.call_id}`;
  return (
    <article class={`call tone-${look.tone}`}>
      <div class="call-row">
        <button
          type="button"
          class="call-head"
          aria-expanded={open}
          aria-controls={open ? body : undefined}
          onClick={() => toggle(key, !open)}
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
          <span class="call-icon">
            <Icon name={look.icon} spin={look.spin === true && app.hostReady.value} />
          </span>
          <Shown text={call.title} class={call.tool === 'shell' ? 'call-title mono' : 'call-title'} />
          <Detail call={call} steps={steps.length} />
          {call.handle !== undefined && <span class="handle">{call.handle}</span>}
          <span class={isPlain(call) ? 'call-state only-spoken' : 'call-state'}>{look.words}</span>
          <CallTime call={call} turn={turn} handle={handle} />
        </button>
        {call.state === 'asking' && <ShowRequest call={call} turn={turn} />}
      </div>
      {open && (
        <div class="call-body" id={body}>
          <CallBody call={call} handle={handle} why={whyOf(call, turn)} />
        </div>
      )}
      {steps.length > 0 && <Steps steps={steps} turn={turn} open={open} />}
    </article>
  );
}

const WAITS = (): Look => ({ icon: 'clock', words: t('call.waits'), tone: 'quiet' });

/** A wait for handles does not start: it waits as soon as nothing before it in its turn is unfinished. */
function isAtWait(call: CallPart, turn: string): boolean {
  if (call.tool !== 'wait' || call.state !== 'planned') return false;
  const view = app.turnsHere.value?.turns.find((other) => other.turn === turn);
  if (view?.endedAt !== undefined) return false;
  const open = view?.parts.find((part) => part.kind === 'call' && part.parent === undefined && !isOver(part));
  return open?.kind === 'call' && open.call_id === call.call_id;
}

const isOver = ({ state, result }: CallPart): boolean => state === 'lifted' || result !== undefined;

/** An ordinary end needs no word beside its icon. */
function isPlain(call: CallPart): boolean {
  return call.state === 'completed' || call.state === 'running' || exitCode(call) !== undefined;
}

function Detail({ call, steps }: { readonly call: CallPart; readonly steps: number }) {
  if (steps > 0)
    return (
      <span class="call-detail">{t(steps === 1 ? 'script.step' : 'script.steps', { count: steps })}</span>
    );
  const rows = editRows(call);
  if (rows !== undefined && call.tool === 'edit') return <Counts {...countRows(rows)} />;
  const code = exitCode(call);
  if (code !== undefined) return <span class="call-detail">{t('call.exit', { code })}</span>;
  const answer = isRecord(call.result) ? textOf(call.result, 'answer') : undefined;
  if (answer !== undefined) return <Shown text={t('call.answered', { answer })} class="call-detail answer" />;
  const matches = isRecord(call.result) ? numberOf(call.result, 'matches') : undefined;
  if (matches === undefined) return null;
  return (
    <span class="call-detail">{t(matches === 1 ? 'call.match' : 'call.matches', { count: matches })}</span>
  );
}

interface CallTimeProps {
  readonly call: CallPart;
  readonly turn: string;
  readonly handle: HandleNow | undefined;
}

function CallTime({ call, turn, handle }: CallTimeProps) {
  if (call.state === 'asking') {
    const need = needFor(call, turn);
    return need === undefined ? null : <Elapsed since={need.askedAt} class="call-time" />;
  }
  if (call.state === 'running' && call.startedAt !== undefined)
    return <Elapsed since={call.startedAt} class="call-time" />;
  if (call.state === 'lifted') {
    if (handle === undefined) return null;
    const { runningAt, endedAt } = handle;
    if (runningAt === undefined) return null;
    if (handle.state === 'running') return <Elapsed since={runningAt} class="call-time" />;
    return endedAt === undefined ? null : (
      <span class="call-time" title={t('call.ended', { end: clock(endedAt) })}>
        {took(endedAt - runningAt)}
      </span>
    );
  }
  // What went with the host ran for an unknown time.
  if (errorCode(call) === 'outcome_unknown') return null;
  if (call.startedAt === undefined || call.endedAt === undefined) return null;
  return <span class="call-time">{took(call.endedAt - call.startedAt)}</span>;
}

/** Takes the person to the request in the bar: the verdict is given in one place. */
function ShowRequest({ call, turn }: { readonly call: CallPart; readonly turn: string }) {
  const need = needFor(call, turn);
  if (need === undefined || app.needs.value.length < 2) return null;
  return (
    <IconButton
      icon="arrow-down"
      label={t('call.showRequest')}
      onClick={() => {
        app.requestOrder.value = bringToFront(app.requestOrder.peek(), need.id);
        app.takeTo('request');
      }}
    />
  );
}

function needFor(call: CallPart, turn: string) {
  return app.needs.value.map(needOf).find((need) => need.turn === turn && need.call === call.call_id);
}

function whyOf(call: CallPart, turn: string): string | undefined {
  const need = app.needs.value.find(
    (other) => needOf(other).turn === turn && needOf(other).call === call.call_id,
  );
  return need?.kind === 'approval' ? need.approval.why : undefined;
}

/** The lists hold the newest handles only; how an older one ended stands in its call. */
function handleOf(call: CallPart): HandleNow | undefined {
  const { handle: id, handle_end: end } = call;
  if (id === undefined) return undefined;
  const listed = app.snapshot.value?.handles.find((handle) => handle.id === id);
  if (listed !== undefined || end === undefined) return listed;
  return {
    id,
    kind: 'command',
    state: 'ended',
    end: end.end,
    ...(end.exit_code === undefined ? {} : { exitCode: end.exit_code }),
    ...(end.signal === undefined ? {} : { signal: end.signal }),
    ...(end.ran_ms === undefined ? {} : { runningAt: end.at - end.ran_ms }),
    endedAt: end.at,
  };
}

function toggle(key: string, open: boolean): void {
  const { [key]: _old, ...rest } = app.cards.peek();
  app.cards.value = open ? { ...rest, [key]: true } : rest;
}
