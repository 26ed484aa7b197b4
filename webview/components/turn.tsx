import { Component } from 'preact';
import { useState } from 'preact/hooks';
import type { Part, TurnView } from '../../protocol/transcript';
import { t } from '../strings';
import { CallCard } from './callCard';
import { Markdown } from './markdown';
import { MessagePart } from './messagePart';
import { EventPart, Reasoning } from './eventParts';
import { TurnEnd } from './turnEnd';

/** Parts of one turn that are drawn at once: a turn of two hundred rounds must not hold up the page. */
const PARTS_SHOWN = 80;

interface TurnProps {
  readonly view: TurnView;
  readonly last: boolean;
}

/** Drawn again only when the fold changed it: a delta leaves all turns but one as they are. */
export class Turn extends Component<TurnProps> {
  override shouldComponentUpdate(next: TurnProps): boolean {
    return next.view !== this.props.view || next.last !== this.props.last;
  }

  override render({ view, last }: TurnProps) {
    return <Parts view={view} last={last} />;
  }
}

function Parts({ view, last }: TurnProps) {
  const [all, setAll] = useState(false);
  const hidden = all ? 0 : Math.max(0, view.parts.length - PARTS_SHOWN);
  const parts = view.parts.slice(hidden);
  const live = view.endedAt === undefined;
  return (
    <section class="turn" data-turn={view.turn}>
      {hidden > 0 && (
        <button type="button" class="link older" onClick={() => setAll(true)}>
          {t('part.moreSteps', { count: hidden })}
        </button>
      )}
      {view.cause === 'continue' && <p class="quiet event-line">{t('part.continued')}</p>}
      {parts.map((part, index) => (
        <PartView
          key={keyOf(part, hidden + index)}
          part={part}
          turn={view.turn}
          newest={live && hidden + index === view.parts.length - 1}
        />
      ))}
      <TurnEnd view={view} last={last} />
    </section>
  );
}

interface PartProps {
  readonly part: Part;
  readonly turn: string;
  /** The last part of an unfinished turn: the only one that may still be going on. */
  readonly newest: boolean;
}

/** Drawn again only when its part changed: the fold keeps what it does not touch. */
class PartView extends Component<PartProps> {
  override shouldComponentUpdate(next: PartProps): boolean {
    return next.part !== this.props.part || next.newest !== this.props.newest;
  }

  override render({ part, turn, newest }: PartProps) {
    switch (part.kind) {
      case 'message':
        return <MessagePart part={part} />;
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
        return <CallCard call={part} turn={turn} />;
      case 'lift':
      case 'lifted_end':
      case 'note':
      case 'retry':
      case 'compacted':
        return <EventPart part={part} newest={newest} />;
    }
  }
}

function keyOf(part: Part, index: number): string {
  return part.kind === 'call'
    ? part.call_id
    : part.kind === 'message'
      ? part.message
      : `${part.kind}${index}`;
}
