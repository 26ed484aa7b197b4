import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isRecord } from '../state/values';
import { t } from '../strings';
import { Clamp, ShowAll } from './clamp';
import { pieces, Shown } from './shown';

/** Deeper values are shown as JSON. */
const DEEP = 3;
/** Items of a list that are drawn before the person asks for all. */
const LISTED = 100;

/** Arguments and results as fields that a person can read, not as raw JSON. */
export function Fields({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }) {
  if (!isRecord(value)) return <>{drawn(value, depth)}</>;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return (
    <dl class="fields">
      {entries.map(([name, field]) => (
        <div key={name} class={isLong(field) ? 'field field-long' : 'field'}>
          <dt>
            <Shown text={name} />
          </dt>
          <dd>{drawn(field, depth + 1)}</dd>
        </div>
      ))}
    </dl>
  );
}

function drawn(value: unknown, depth: number): ComponentChildren {
  if (typeof value === 'string') {
    if (value === '') return <span class="quiet">""</span>;
    return isLong(value) ? (
      <Clamp text={value}>
        {(shown) => (
          <pre class="plain-text" tabIndex={0}>
            {pieces(shown, 'code')}
          </pre>
        )}
      </Clamp>
    ) : (
      <Shown text={value} class="mono" />
    );
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) {
    return <span class="mono">{String(value)}</span>;
  }
  if (depth >= DEEP) return <Shown text={JSON.stringify(value)} class="mono" />;
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="quiet">[]</span>;
    if (value.every((item) => isScalar(item) && !isLong(item))) {
      return <Listed items={value}>{(shown) => <Shown text={shown.join(', ')} class="mono" />}</Listed>;
    }
    return (
      <Listed items={value}>
        {(shown) => (
          <ul class="values">
            {shown.map((item, index) => (
              <li key={index}>
                {isRecord(item) ? <Fields value={item} depth={depth} /> : drawn(item, depth + 1)}
              </li>
            ))}
          </ul>
        )}
      </Listed>
    );
  }
  return isRecord(value) ? <Fields value={value} depth={depth} /> : null;
}

interface ListedProps {
  readonly items: readonly unknown[];
  readonly children: (shown: readonly unknown[]) => ComponentChildren;
}

/** The beginning of a long list, and a button for all of it. */
function Listed({ items, children }: ListedProps) {
  const [open, setOpen] = useState(false);
  if (open || items.length <= LISTED) return <>{children(items)}</>;
  return (
    <>
      {children([...items.slice(0, LISTED), '…'])}{' '}
      <ShowAll label={t('call.showAllItems', { count: items.length })} show={() => setOpen(true)} />
    </>
  );
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isLong(value: unknown): boolean {
  if (Array.isArray(value)) return !value.every((item) => isScalar(item) && !isLong(item));
  return typeof value === 'string'
    ? value.includes('\n') || value.length > 80
    : typeof value === 'object' && value !== null;
}
