/** Pruning: old turns go in small pieces, with what nothing open needs (D7, L15). The audit is kept. */
import type { SessionId } from '../../../protocol';
import { request, type Core } from './core';

/** Turns of one commit: a piece is short, so that pruning never holds up a turn at work. */
const PIECE = 4;

/** Drops the turns of each session behind its newest `keep`. Returns how many went. */
export async function prune(core: Core, keep: number, only: SessionId | undefined): Promise<number> {
  const sessions = only === undefined ? core.ledger.read((tx) => tx.sessionIds()) : [only];
  let gone = 0;
  for (const session of sessions) {
    for (;;) {
      const turns = await request(core, (job) => {
        const piece = job.tx.prunable(session, keep, PIECE);
        if (piece.length === 0) return piece;
        for (const turn of piece) job.tx.dropTurn(session, turn);
        job.tx.emit('turns_pruned', { turns: [...piece] }, { session });
        return piece;
      });
      gone += turns.length;
      if (turns.length < PIECE || core.stopping) break;
    }
  }
  return gone;
}
