/** Finds sessions by their titles and by what was said in them, newest first. */
import { FOUND_EXCERPT, type SessionFound } from '../../protocol';
import { breath } from '../base/clock';
import { sessionView } from '../engine/views';
import type { Tables } from '../store/ledger';
import type { Handlers } from './handler';
import type { Host } from './host';

/** Events that are looked through at a time: between two pieces, others have their turn. */
const PIECE = 2_000;

/** Events that are looked through at most: the newest ones, of several thousand turns. */
const EVENTS_MOST = 400_000;

export const searchHandlers: Handlers = {
  'session/search': async (params, host) => {
    const found = new Map<string, SessionFound>();
    await host.look((tables) => byTitle(tables, params.text, params.limit, found));
    await byWords(host, params.text, params.limit, found);
    return { items: [...found.values()] };
  },
};

function byTitle(tables: Tables, text: string, limit: number, found: Map<string, SessionFound>): void {
  const lower = text.toLowerCase();
  for (const row of tables.sessions(undefined, undefined, EVENTS_MOST)) {
    if (found.size >= limit) return;
    if (row.title.toLowerCase().includes(lower))
      found.set(row.id, { session: sessionView(row, tables.lastTurn(row.id)) });
  }
}

async function byWords(
  host: Host,
  text: string,
  limit: number,
  found: Map<string, SessionFound>,
): Promise<void> {
  let to = await host.look((tables) => tables.newestBefore(Number.MAX_SAFE_INTEGER));
  // What copied sessions were told comes last, in blocks of numbers with nothing between them.
  for (let pieces = EVENTS_MOST / PIECE; to !== undefined && pieces > 0 && found.size < limit; pieces -= 1) {
    const newest = to;
    await host.look((tables) => {
      for (const said of tables.saidWith(text, newest - PIECE, newest)) {
        const row = found.size < limit && !found.has(said.session) ? tables.session(said.session) : undefined;
        if (row === undefined) continue;
        found.set(said.session, {
          session: sessionView(row, tables.lastTurn(row.id)),
          turn: said.turn,
          excerpt: excerptOf(said.text, text),
        });
      }
    });
    to = await host.look((tables) => tables.newestBefore(newest - PIECE + 1));
    await breath();
  }
}

/** The words around the first place, on one line. */
function excerptOf(whole: string, text: string): string {
  const at = Math.max(0, whole.toLowerCase().indexOf(text.toLowerCase()));
  const from = Math.max(0, at - FOUND_EXCERPT / 4);
  const cut = whole
    .slice(from, from + FOUND_EXCERPT)
    .replace(/\s+/g, ' ')
    .trim();
  return `${from > 0 ? '…' : ''}${cut}${from + FOUND_EXCERPT < whole.length ? '…' : ''}`;
}
