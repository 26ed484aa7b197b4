/** How full the window of the session's model is. Pure. */
import type { ModelInfo } from '../../protocol/host';
import type { TurnView } from '../../protocol/transcript';

export interface WindowFill {
  /** What the next request begins with, and what the model can read, tokens. */
  readonly tokens: number;
  readonly of: number;
}

/**
 * By the newest answer, for the model that is at work now: another one may have another window. Undefined where nobody
 * has counted since the conversation was summed up, or where the window is not known.
 */
export function windowFill(
  turns: readonly TurnView[],
  model: string | undefined,
  models: readonly ModelInfo[],
): WindowFill | undefined {
  const of = models.find(({ id }) => id === model)?.contextWindow;
  const newest = turns.findLast(({ context, parts }) => context !== undefined || parts.some(isCompacted));
  return of === undefined || newest?.context === undefined
    ? undefined
    : { tokens: newest.context.tokens, of };
}

const isCompacted = ({ kind }: TurnView['parts'][number]): boolean => kind === 'compacted';
