import type { TurnView } from '../../protocol/transcript';
import { command } from '../bridge';
import * as app from '../state/app';
import { codeText } from '../state/announce';
import { needOf } from '../state/mirror';
import { continueTurn } from '../state/sending';
import { t } from '../strings';
import { dollars, took, tokens } from '../text/words';
import { CopyButton } from './code';
import { Elapsed } from './elapsed';
import { Icon } from './icon';
import { pieces } from './shown';
import { said } from '../said';

/** What a turn is doing, or how it ended and how to go on. */
export function TurnEnd({ view, last }: { readonly view: TurnView; readonly last: boolean }) {
  switch (view.status) {
    case 'completed':
      return <Completed view={view} />;
    case 'failed':
      return <Failed view={view} last={last} />;
    case 'interrupted':
      return <Interrupted view={view} last={last} />;
    case 'queued':
    case 'running':
    case 'waiting':
    case 'paced':
    case 'paused':
      return last ? <Going view={view} /> : null;
  }
}

function Completed({ view }: { readonly view: TurnView }) {
  const usage = view.usage;
  const figures = [
    view.endedAt === undefined ? '' : timesOf(view.endedAt - view.startedAt, view.waitedMs ?? 0),
    usage === undefined || usage.inputTokens + usage.outputTokens === 0
      ? ''
      : t('usage.tokens', { count: tokens(usage.inputTokens + usage.outputTokens) }),
    usage?.costUsd === undefined ? '' : dollars(usage.costUsd),
  ];
  const answer = view.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n');
  return (
    <p class="turn-end quiet">
      <Icon name="check" /> {figures.filter(Boolean).join(' · ')}
      {answer !== '' && <CopyButton text={answer} label={t('turn.copy')} />}
    </p>
  );
}

/** What a person was waited for is no work of the agent's. */
function timesOf(all: number, waited: number): string {
  return waited < WAITED_MS
    ? t('turn.completed', { took: took(all) })
    : t('turn.worked', { took: took(Math.max(0, all - waited)), waited: took(waited) });
}

/** A wait that is worth a word, ms. */
const WAITED_MS = 1_000;

function Failed({ view, last }: { readonly view: TurnView; readonly last: boolean }) {
  return (
    <div class="turn-end turn-failed">
      <p>
        <Icon name="error" /> {codeText(view.code ?? 'internal')}
      </p>
      {view.detail !== undefined && view.detail !== '' && (
        <p class="quiet">{pieces(said(view.detail), 'code')}</p>
      )}
      {last && !app.busy.value && (
        <div class="buttons">
          {view.code === 'model_key_missing' && (
            <button type="button" class="button" onClick={() => setKey(view.model)}>
              {t('turn.setKey')}
            </button>
          )}
          <WayOn label={t('turn.retry')} secondary={view.code === 'model_key_missing'} />
          <button
            type="button"
            class="button secondary"
            onClick={() => command({ command: 'showLog', args: {} })}
          >
            {t('app.openLog')}
          </button>
        </div>
      )}
    </div>
  );
}

function Interrupted({ view, last }: { readonly view: TurnView; readonly last: boolean }) {
  const byPerson = view.code === 'cancelled';
  return (
    <div class="turn-end turn-interrupted">
      <p>
        <Icon name={byPerson ? 'stop-circle' : 'debug-disconnect'} /> {codeText(view.code)}
      </p>
      {(!byPerson || view.stoppedBy !== undefined) && view.detail !== undefined && view.detail !== '' && (
        <p class="quiet">{pieces(said(view.detail), 'code')}</p>
      )}
      {last && !app.busy.value && (
        <div class="buttons">
          <WayOn label={t('turn.continue')} secondary={byPerson} />
        </div>
      )}
    </div>
  );
}

function WayOn({ label, secondary }: { readonly label: string; readonly secondary: boolean }) {
  return (
    <button
      type="button"
      class={secondary ? 'button secondary' : 'button'}
      disabled={!app.hostReady.value || !app.trusted.value}
      onClick={continueTurn}
    >
      {label}
    </button>
  );
}

/** A spinner only while somebody works: the host is there, the cord is not pulled, and nothing is waited for. */
function Going({ view }: { readonly view: TurnView }) {
  if (!app.hostReady.value) return null;
  if (app.paused.value || view.status === 'paused')
    return <State icon="debug-pause" text={t('turn.paused')} />;
  // The row of the attempts says why, and when the next one is.
  if (view.parts.at(-1)?.kind === 'retry') return null;
  if (view.status === 'paced') return <State icon="clock" text={t('turn.paced')} />;
  // What waits for the person says so itself, in the conversation and in the bar.
  const asks = app.needs.value.some(
    (need) => needOf(need).turn === view.turn && needOf(need).handle === undefined,
  );
  if (asks) return null;
  if (view.status === 'waiting') return <State icon="server-process" text={t('turn.waitingHandles')} />;
  return (
    <p class="turn-end going quiet">
      <Icon name="sync" spin /> {t('turn.working')} <Elapsed since={view.startedAt} />
    </p>
  );
}

function State({ icon, text }: { readonly icon: string; readonly text: string }) {
  return (
    <p class="turn-end going quiet">
      <Icon name={icon} /> {text}
    </p>
  );
}

function setKey(model: string): void {
  const provider = model.split('/')[0];
  command({ command: 'setKey', args: provider === undefined ? {} : { provider } });
}
