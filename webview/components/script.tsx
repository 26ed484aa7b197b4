import { useState } from 'preact/hooks';
import type { CallPart } from '../../protocol/transcript';
import { isRecord, numberOf, textOf } from '../state/values';
import { t } from '../strings';
import { highlight, linesOf } from '../text/highlight';
import { CopyButton, spans } from './code';
import { Fields } from './fields';
import { Output } from './output';
import { pieces } from './shown';
import { said } from '../said';

/** Lines of a script that are drawn until all are asked for. */
const LINES = 12;

/** The script of a call, in colours; the line in which it failed is marked, and always drawn. */
export function Script({ call }: { readonly call: CallPart }) {
  const [all, setAll] = useState(false);
  const code = isRecord(call.args) ? (textOf(call.args, 'code') ?? '') : '';
  const lines = linesOf(highlight(code.replace(/\n+$/, ''), 'javascript'));
  const failed = isRecord(call.result) ? numberOf(call.result, 'line') : undefined;
  const first = all || failed === undefined || failed <= LINES ? 0 : Math.max(0, failed - LINES / 2);
  const shown = all ? lines : lines.slice(first, first + LINES);
  return (
    <div class="block script">
      <div class="block-head">
        <span class="block-label">{t('script.label')}</span>
        <CopyButton text={code} />
      </div>
      <pre class="code" tabIndex={0} aria-label={t('script.label')}>
        {shown.map((line, index) => {
          const number = first + index + 1;
          const isMarked = number === failed;
          return (
            <div
              key={number}
              id={lineId(call, number)}
              class={isMarked ? 'script-line failed' : 'script-line'}
            >
              <span class="script-number" aria-hidden="true">
                {number}
              </span>
              <code>{spans(line)}</code>
            </div>
          );
        })}
      </pre>
      {lines.length > shown.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {t('script.all', { count: lines.length })}
        </button>
      )}
    </div>
  );
}

/** What a script returned, printed and logged, or how it failed and where. */
export function ScriptOutcome({ call }: { readonly call: CallPart }) {
  if (call.output !== undefined) return <Output label={t('script.log')} text={call.output} />;
  const { result } = call;
  if (!isRecord(result) || call.state === 'lifted') return null;
  const text = textOf(result, 'text');
  const log = textOf(result, 'log');
  const line = numberOf(result, 'line');
  const message = textOf(result, 'message') ?? textOf(result, 'detail');
  return (
    <>
      {textOf(result, 'error') !== undefined && (
        <div class="failure">
          <p>{pieces(said(message ?? ''), 'code')}</p>
          {line !== undefined && (
            <button type="button" class="link" onClick={() => goTo(call, line)}>
              {t('script.line', { line, column: numberOf(result, 'column') ?? 1 })}
            </button>
          )}
        </div>
      )}
      {result['value'] !== undefined && (
        <div class="block" role="group" aria-label={t('script.value')}>
          <Fields
            value={isRecord(result['value']) ? result['value'] : { [t('script.value')]: result['value'] }}
          />
        </div>
      )}
      {text !== undefined && <Output label={t('call.output')} text={text} />}
      {log !== undefined && <Output label={t('script.log')} text={log} />}
    </>
  );
}

const lineId = (call: CallPart, line: number): string => `line-${call.call_id}-${line}`;

function goTo(call: CallPart, line: number): void {
  const there = document.getElementById(lineId(call, line));
  there?.scrollIntoView({ block: 'center' });
  there?.closest('pre')?.focus({ preventScroll: true });
}
