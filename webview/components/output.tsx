import { useState } from 'preact/hooks';
import { command } from '../bridge';
import { t } from '../strings';
import { parseAnsi, stripAnsi, type AnsiSpan } from '../text/ansi';
import { CopyButton } from './code';
import { pieces } from './shown';

/** Lines of output that a card shows, from the end: the end says how it went. */
const LINES = 30;
/** Characters that are drawn even when all is asked for; the whole opens in the editor. */
const MOST = 200_000;

interface OutputProps {
  readonly label: string;
  readonly text: string;
  readonly tone?: 'error';
}

/** What a command wrote, in the theme's colours. */
export function Output({ label, text, tone }: OutputProps) {
  const [all, setAll] = useState(false);
  const lines = text.replace(/\n+$/, '').split('\n');
  const tooMany = lines.length > LINES || text.length > MOST / 10;
  const shown =
    all || !tooMany
      ? text.slice(-MOST)
      : lines
          .slice(-LINES)
          .join('\n')
          .slice(-MOST / 10);
  return (
    <div class={tone === 'error' ? 'block block-error' : 'block'}>
      <div class="block-head">
        <span class="block-label">{label}</span>
        <CopyButton text={stripAnsi(text)} />
      </div>
      <pre class="output" tabIndex={0} aria-label={label}>
        {parseAnsi(shown.replace(/\n+$/, '')).map((span, index) => (
          <span key={index} class={classOf(span)}>
            {pieces(span.text, 'code')}
          </span>
        ))}
      </pre>
      {tooMany && !all && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {t('call.showAll', { count: lines.length })}
        </button>
      )}
      {text.length > MOST && (
        <button
          type="button"
          class="link"
          onClick={() => command({ command: 'openText', args: { text: stripAnsi(text) } })}
        >
          {t('call.openText')}
        </button>
      )}
    </div>
  );
}

function classOf(span: AnsiSpan): string {
  return [
    span.color === undefined ? '' : `ansi-${span.color}`,
    span.bold === true ? 'ansi-bold' : '',
    span.dim === true ? 'ansi-dim' : '',
    span.italic === true ? 'ansi-italic' : '',
    span.underline === true ? 'ansi-underline' : '',
  ]
    .filter(Boolean)
    .join(' ');
}
