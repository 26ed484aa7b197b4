import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../strings';

interface ClampProps {
  readonly text: string;
  readonly lines?: number;
  readonly children: (shown: string) => ComponentChildren;
}

/** A line of more than this counts as several. */
const LINE = 400;

/** The beginning of a long text, and a button for all of it. */
export function Clamp({ text, lines = 16, children }: ClampProps) {
  const [open, setOpen] = useState(false);
  const all = text.split('\n');
  const short = cut(all, lines);
  if (open || short.length >= text.length) return <>{children(text)}</>;
  return (
    <>
      {children(`${short}…`)}
      <ShowAll label={t('call.showAll', { count: all.length })} show={() => setOpen(true)} />
    </>
  );
}

/** Marks what stands before it as folded: whoever has not pressed it has not seen the whole. */
export function ShowAll({ label, show }: { readonly label: string; readonly show: () => void }) {
  return (
    <button type="button" class="link folded" onClick={show}>
      {label}
    </button>
  );
}

function cut(all: readonly string[], lines: number): string {
  return all
    .slice(0, lines)
    .join('\n')
    .slice(0, lines * LINE);
}
