/** Where a conversation begins for its model: at the newest compaction, with what that left as it was (T7). Pure. */
import type { SessionId } from '../../protocol';
import { itemsOf } from './context';
import { BEFORE_ALL, type Reader } from './ledger';

/** Events that are read at a time on the way back: what a compaction keeps is a few items, mostly. */
const PIECE = 32;

/**
 * The number of the event behind which a session's conversation is folded: `BEFORE_ALL` when it was never summed up. What is
 * folded from there on has the same items as a fold of the whole.
 */
export function historyFrom(events: Reader, session: SessionId): number {
  const newest = events.newestCompaction(session)?.event;
  if (newest?.type !== 'compacted') return BEFORE_ALL;
  let from = newest.seq;
  let missing = newest.data.kept;
  while (missing > 0) {
    const piece = events.sessionEventsBefore(session, from, PIECE);
    for (const stored of piece) {
      from = stored.event.seq;
      missing -= itemsOf(stored);
      if (missing <= 0) break;
    }
    if (piece.length < PIECE) break;
  }
  return from - 1;
}
