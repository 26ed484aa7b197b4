import { Component } from 'preact';
import * as app from '../state/app';
import type { Row } from '../state/rows';
import { t } from '../strings';
import { CallCard } from './callCard';
import { ChangesCard } from './changesCard';
import { EventPart, Reasoning } from './eventParts';
import { Markdown } from './markdown';
import { MessagePart } from './messagePart';
import { TurnEnd } from './turnEnd';

interface RowProps {
  readonly row: Row;
  /** It belongs to the newest turn. */
  readonly last: boolean;
}

/** One row of the conversation. Drawn again only when the fold has changed what it shows. */
export class RowView extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { row, last } = this.props;
    return (
      next.last !== last ||
      next.row.kind !== row.kind ||
      contentOf(next.row) !== contentOf(row) ||
      !sameSteps(next.row, row) ||
      isNewest(next.row) !== isNewest(row)
    );
  }

  override render({ row, last }: RowProps) {
    return (
      <div class={app.found.value === row.key ? 'row found' : 'row'} data-row={row.key}>
        <Content row={row} last={last} />
      </div>
    );
  }
}

function contentOf(row: Row): unknown {
  switch (row.kind) {
    case 'part':
      return row.part;
    case 'end':
      return row.view;
    case 'continued':
      return row.key;
  }
}

function sameSteps(one: Row, other: Row): boolean {
  if (one.kind !== 'part' || other.kind !== 'part') return true;
  return (
    one.steps.length === other.steps.length && one.steps.every((step, index) => step === other.steps[index])
  );
}

function isNewest(row: Row): boolean {
  return row.kind === 'part' && row.newest;
}

function Content({ row, last }: RowProps) {
  switch (row.kind) {
    case 'continued':
      return <p class="quiet event-line">{t('part.continued')}</p>;
    case 'end':
      return (
        <>
          {row.view.endedAt !== undefined && <ChangesCard view={row.view} />}
          <TurnEnd view={row.view} last={last} />
        </>
      );
    case 'part':
      return <PartView row={row} />;
  }
}

function PartView({ row }: { readonly row: Extract<Row, { kind: 'part' }> }) {
  const { part, turn, newest } = row;
  switch (part.kind) {
    case 'message':
      return <MessagePart part={part} turn={turn} />;
    case 'reasoning':
      return <Reasoning text={part.text} streaming={part.streaming} />;
    case 'text':
      return (
        <article class="said" aria-label={t('part.agent')}>
          <Markdown text={part.text} streaming={part.streaming} />
          {part.partial === true && <p class="quiet cut-off">{t('part.partial')}</p>}
        </article>
      );
    case 'call':
      return <CallCard call={part} turn={turn} steps={row.steps} />;
    case 'lift':
    case 'lifted_end':
    case 'note':
    case 'retry':
    case 'killed_work':
    case 'project':
    case 'compaction_asked':
    case 'compacted':
      return <EventPart part={part} newest={newest} />;
  }
}
