import { useState } from 'preact/hooks';
import { t } from '../strings';
import type { DiffRow } from '../text/diff';
import { ShowAll } from './clamp';
import { pieces } from './shown';

interface DiffProps {
  readonly rows: readonly DiffRow[];
  readonly label: string;
  /** Rows that are shown before the person asks for all. */
  readonly most?: number;
  /** The host has sent only the beginning. */
  readonly cut?: boolean;
}

const SIGNS = { add: '+', del: '−', same: ' ', hunk: '⋯' } as const;

/** Lines with a sign each, so that colour is never the only mark. */
export function Diff({ rows, label, most = 12, cut = false }: DiffProps) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, most);
  return (
    <>
      <div class="diff" role="group" aria-label={label} tabIndex={0}>
        <div class="diff-rows">
          {shown.map((row, index) => (
            <div key={index} class={`diff-row diff-${row.kind}`}>
              <span class="diff-number">{row.after ?? row.before ?? ''}</span>
              <span class="diff-sign">{SIGNS[row.kind]}</span>
              <span class="diff-text">{pieces(row.text, 'code')}</span>
            </div>
          ))}
        </div>
      </div>
      {shown.length < rows.length && (
        <ShowAll label={t('call.showAll', { count: rows.length })} show={() => setAll(true)} />
      )}
      {cut && <p class="quiet">{t('request.cut')}</p>}
    </>
  );
}

/** `+3 −1`, with words for a screen reader. */
export function Counts({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span class="counts">
      <span class="count-add">+{added}</span> <span class="count-del">−{removed}</span>
    </span>
  );
}
