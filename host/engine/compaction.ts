/** When a conversation is too long for its model, and what then becomes of it (T7). Pure. */
import { COMPACT_AT, type ContextItem } from '../../protocol';
import type { Conversation } from './context';

/** Characters of a token, roughly: for what no model has counted yet. Too high an estimate compacts a little early. */
const CHARS_A_TOKEN = 4;

/** Share of the window that the kept end of a conversation may fill; a longer one is summed up as well. */
const KEPT_SHARE = 0.25;

/** Shown of each result to the model that sums up, characters: what was found matters, not its whole text. */
const RESULT_CHARS = 4_096;

const lengthOf = (item: ContextItem): number =>
  item.kind === 'result'
    ? item.output.length
    : item.text.length +
      (item.kind === 'assistant' ? item.calls.reduce((sum, call) => sum + call.args.length, 0) : 0);

const tokensOf = (items: readonly ContextItem[]): number =>
  Math.ceil(items.reduce((sum, item) => sum + lengthOf(item), 0) / CHARS_A_TOKEN);

/** Tokens that the next request will hold: as counted by the newest answer, and an estimate of what came since. */
export function tokensAhead(conversation: Conversation): number {
  const { tokens, items } = conversation.counted;
  return tokens + tokensOf(conversation.items.slice(items));
}

/**
 * How many of the newest items stay as they are: messages that no answer has read yet, or the newest answer
 * with its results. Everything before them is the older part; undefined when that is not worth a summary.
 */
export function keptItems(conversation: Conversation, window: number | undefined): number | undefined {
  const { items } = conversation;
  let from = items.length;
  while (items[from - 1]?.kind === 'user') from--;
  if (from === items.length) {
    while (items[from - 1]?.kind === 'result') from--;
    if (items[from - 1]?.kind === 'assistant') from--;
    const tooLong = window !== undefined && tokensOf(items.slice(from)) > window * KEPT_SHARE;
    if (tooLong) from = items.length;
  }
  return from < 2 ? undefined : items.length - from;
}

export function mustCompact(conversation: Conversation, window: number | undefined): boolean {
  if (conversation.refused || keptItems(conversation, window) === undefined) return false;
  if (conversation.full) return true;
  return window !== undefined && tokensAhead(conversation) >= window * COMPACT_AT;
}

const SUM_UP =
  'The conversation is about to be cut to make room. Write what must not be forgotten, for yourself: what the ' +
  'person wants, word for word where it matters; what was decided and why; what was done, to which files; what ' +
  'was found; which commands and handles (proc:N) still run or wait; what is left to do next. Answer with that ' +
  'text alone, and call nothing.';

/** What the model is asked: the older part, long results cut, and the request to sum it up. */
export function toSumUp(conversation: Conversation, kept: number): readonly ContextItem[] {
  const older = conversation.items.slice(0, conversation.items.length - kept);
  return [...older.map(shortened), { kind: 'user', text: SUM_UP }];
}

function shortened(item: ContextItem): ContextItem {
  if (item.kind !== 'result' || item.output.length <= RESULT_CHARS) return item;
  const half = RESULT_CHARS / 2;
  const omitted = item.output.length - RESULT_CHARS;
  const output = `${item.output.slice(0, half)}\n… ${String(omitted)} characters left out …\n${item.output.slice(-half)}`;
  return { ...item, output };
}
