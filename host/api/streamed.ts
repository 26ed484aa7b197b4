/**
 * What answers under way have streamed so far, for who begins to read in the middle of one (R6): a page that was
 * hidden, a window that joins. Stored events hold an answer only once it is whole.
 *
 * Owns: those texts, from an answer's first piece to the stored event that takes its place.
 */
import type { BelayEvent, DataOf, Part, SessionId, TurnId, TurnView } from '../../protocol';
import { isEvent, type Shown, type Streaming } from './hub';

export interface Streamed {
  show<T extends Shown>(
    type: T,
    data: DataOf<T>,
    where: { readonly session?: SessionId; readonly turn?: TurnId },
  ): void;
  publish(events: readonly BelayEvent[]): void;
  of(turn: TurnId): Streaming | undefined;
}

export function createStreamed(): Streamed {
  const answers = new Map<string, Streaming>();
  const add = (event: BelayEvent): void => {
    if (event.turn === undefined || (event.type !== 'text_delta' && event.type !== 'reasoning_delta')) return;
    const { step, text: piece } = event.data;
    const before = answers.get(event.turn);
    const { reasoning, text } = before?.step === step ? before : { reasoning: '', text: '' };
    const next =
      event.type === 'text_delta'
        ? { reasoning, text: text + piece }
        : { reasoning: reasoning + piece, text };
    answers.set(event.turn, { step, ...next });
  };
  return {
    show(type, data, where) {
      const event = { seq: 0, at: 0, type, data, ...where };
      if (isEvent(event)) add(event);
    },
    publish(events) {
      for (const event of events) if (event.turn !== undefined && ends(event)) answers.delete(event.turn);
    },
    of: (turn) => answers.get(turn),
  };
}

/** After it nothing of the answer is shown as streaming, as the fold of a transcript has it. */
function ends({ type }: BelayEvent): boolean {
  return (
    type === 'message_completed' || type === 'model_retry' || type === 'turn_ended' || type === 'compacted'
  );
}

/**
 * The turn with what is streamed of its next answer. One that rows hold already is not shown twice; one that was cut
 * off is made again under the same step.
 */
export function withStreamed(view: TurnView, streaming: Streaming | undefined): TurnView {
  if (streaming === undefined || view.endedAt !== undefined) return view;
  const { step, reasoning, text } = streaming;
  const stored = view.parts.filter(
    (part) => (part.kind === 'text' || part.kind === 'reasoning') && part.step === step,
  );
  const isCutOff = stored.some((part) => part.kind === 'text' && part.partial === true);
  if (stored.length > 0 && !isCutOff) return view;
  const parts = (['reasoning', 'text'] as const).flatMap((kind): Part[] => {
    const told = kind === 'text' ? text : reasoning;
    return told === '' ? [] : [{ kind, step, text: told, streaming: true }];
  });
  return { ...view, parts: [...view.parts, ...parts] };
}
