import type { Part } from '../../protocol/transcript';
import * as app from '../state/app';
import { codeText } from '../state/announce';
import { useNow } from '../state/clock';
import { stopTurn } from '../state/sending';
import { isStringKey, t } from '../strings';
import { Icon } from './icon';
import { Markdown, openFile } from './markdown';
import { pieces } from './shown';
import { said } from '../said';
import { counted } from '../text/words';

/** What the model thought, folded: it is there for who wants it. */
export function Reasoning({ text, streaming }: { readonly text: string; readonly streaming: boolean }) {
  return (
    <details class="reasoning">
      <summary>{t(streaming ? 'part.thinking' : 'part.thought')}</summary>
      <Markdown text={text} streaming={streaming} />
    </details>
  );
}

type EventPartView = Extract<
  Part,
  {
    kind:
      'lift' | 'lifted_end' | 'note' | 'retry' | 'killed_work' | 'project' | 'compaction_asked' | 'compacted';
  }
>;

/** What happened beside the talk, in one line each. */
export function EventPart({ part, newest }: { readonly part: EventPartView; readonly newest: boolean }) {
  switch (part.kind) {
    case 'lift':
      return (
        <Line
          icon="info"
          text={t(`lift.${part.waits_for ?? 'running'}`, { title: part.title, handle: part.handle })}
        />
      );
    case 'lifted_end': {
      const key = `lifted.${part.outcome}`;
      const by = part.by === undefined ? '' : t('lifted.by', { by: said(part.by) });
      const values = { title: part.title, handle: part.handle, by };
      return <Line icon={iconOf(part.outcome)} text={isStringKey(key) ? t(key, values) : part.outcome} />;
    }
    case 'note':
      return <Folded summary={t('part.note', { handle: part.handle })} text={part.text} />;
    case 'killed_work':
      return (
        <Line
          icon={part.resumed ? 'debug-restart' : 'debug-disconnect'}
          text={t(part.resumed ? 'killed.resumed' : 'killed.left', { work: part.killed.join('; ') })}
        />
      );
    case 'project':
      return <Project part={part} />;
    case 'compaction_asked':
      return <Line icon="fold" text={t('part.compactionAsked')} />;
    case 'compacted':
      return <Folded summary={t('part.compacted')} text={part.summary} />;
    case 'retry':
      return <Retry part={part} newest={newest} />;
  }
}

function Line({ icon, text }: { readonly icon: string; readonly text: string }) {
  return (
    <p class="event-line">
      <Icon name={icon} />
      <span>{pieces(text, 'code')}</span>
    </p>
  );
}

/** Which instructions of its folder the model has from here on, to be opened. */
function Project({ part }: { readonly part: Extract<Part, { kind: 'project' }> }) {
  const { path, bytes, of, why } = part;
  const key = why !== undefined ? 'project.not' : of !== undefined ? 'project.cut' : 'project.told';
  const values = { bytes: counted(bytes), of: counted(of ?? 0), why: said(why ?? '') };
  return (
    <p class="event-line">
      <Icon name="book" />
      <span>
        <button type="button" class="link" onClick={() => openFile(path)}>
          {path}
        </button>{' '}
        {pieces(t(key, values), 'code')}
      </span>
    </p>
  );
}

function Folded({ summary, text }: { readonly summary: string; readonly text: string }) {
  return (
    <details class="reasoning">
      <summary>{summary}</summary>
      <pre class="plain-text">{pieces(text, 'code')}</pre>
    </details>
  );
}

/** One row for all attempts of a request: counts down to the next one, and later only says how many there were. */
function Retry({
  part,
  newest,
}: {
  readonly part: Extract<Part, { kind: 'retry' }>;
  readonly newest: boolean;
}) {
  const waits = newest && app.hostReady.value && !app.paused.value;
  const now = useNow(waits);
  const seconds = Math.ceil((part.at + part.delayMs - now) / 1000);
  const values = { attempt: part.attempt, attempts: part.attempts, seconds, why: codeText(part.code) };
  const key = !newest ? 'turn.retried' : seconds > 0 ? 'turn.retryIn' : 'turn.retryNow';
  return (
    <div class="retry">
      <details class="reasoning">
        <summary>
          <Icon name="history" /> {t(key, values)}
        </summary>
        <pre class="plain-text">{pieces(said(part.detail), 'code')}</pre>
      </details>
      {newest && app.session.value?.turn !== undefined && (
        <button
          type="button"
          class="button secondary"
          disabled={app.stopping.value === app.session.value.turn || !app.hostReady.value}
          onClick={stopTurn}
        >
          {t('turn.stopTrying')}
        </button>
      )}
    </div>
  );
}

function iconOf(outcome: string): string {
  switch (outcome) {
    case 'allowed':
    case 'answered':
      return 'check';
    case 'stopped':
      return 'stop-circle';
    case 'expired':
      return 'clock';
    default:
      return 'circle-slash';
  }
}
