/**
 * What answers and calls under way have shown so far, for who begins to read in the middle of one (R6): a page that was
 * hidden, a window that joins. Stored events hold an answer or a result only once it is whole.
 *
 * Owns: those texts, from the first piece to the stored event that takes their place.
 */
import type { BelayEvent, DataOf, Part, SessionId, TurnId, TurnView } from '../../protocol';
import { LIVE_OUTPUT } from '../../protocol/foldTranscript';
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

interface Growing {
  answer: Streaming['answer'];
  readonly outputs: Map<string, string>;
}

export function createStreamed(): Streamed {
  const turns = new Map<string, Growing>();
  const add = (event: BelayEvent): void => {
    if (event.turn === undefined || !isPiece(event)) return;
    const growing = turns.get(event.turn) ?? { answer: undefined, outputs: new Map<string, string>() };
    turns.set(event.turn, growing);
    if (event.type === 'tool_progress') {
      const { call_id, text } = event.data;
      growing.outputs.set(call_id, `${growing.outputs.get(call_id) ?? ''}${text}`.slice(-LIVE_OUTPUT));
      return;
    }
    const { step, text: piece } = event.data;
    const { reasoning, text } = growing.answer?.step === step ? growing.answer : { reasoning: '', text: '' };
    growing.answer =
      event.type === 'text_delta'
        ? { step, reasoning, text: text + piece }
        : { step, reasoning: reasoning + piece, text };
  };
  return {
    show(type, data, where) {
      const event = { seq: 0, at: 0, type, data, ...where };
      if (isEvent(event)) add(event);
    },
    publish(events) {
      for (const event of events) {
        const growing = event.turn === undefined ? undefined : turns.get(event.turn);
        if (event.turn === undefined || growing === undefined) continue;
        if (event.type === 'tool_completed' || event.type === 'call_lifted')
          growing.outputs.delete(event.data.call_id);
        if (ends(event)) growing.answer = undefined;
        if (event.type === 'turn_ended' || (growing.answer === undefined && growing.outputs.size === 0))
          turns.delete(event.turn);
      }
    },
    of: (turn) => turns.get(turn),
  };
}

type Piece = Extract<BelayEvent, { type: 'text_delta' | 'reasoning_delta' | 'tool_progress' }>;

const isPiece = (event: BelayEvent): event is Piece =>
  event.type === 'text_delta' || event.type === 'reasoning_delta' || event.type === 'tool_progress';

/** After it nothing of the answer is shown as streaming, as the fold of a transcript has it. */
function ends({ type }: BelayEvent): boolean {
  return (
    type === 'message_completed' || type === 'model_retry' || type === 'turn_ended' || type === 'compacted'
  );
}

/** The turn with what was shown of its next answer and of its running calls. */
export function withStreamed(view: TurnView, streaming: Streaming | undefined): TurnView {
  if (streaming === undefined || view.endedAt !== undefined) return view;
  return withAnswer(withOutputs(view, streaming.outputs), streaming.answer);
}

function withOutputs(view: TurnView, outputs: Streaming['outputs']): TurnView {
  if (outputs.size === 0) return view;
  const parts = view.parts.map((part): Part => {
    if (part.kind !== 'call' || part.state !== 'running') return part;
    const output = outputs.get(part.call_id);
    return output === undefined ? part : { ...part, output };
  });
  return { ...view, parts };
}

/** One that rows hold already is not shown twice; one that was cut off is made again under the same step. */
function withAnswer(view: TurnView, answer: Streaming['answer']): TurnView {
  if (answer === undefined) return view;
  const { step, reasoning, text } = answer;
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
