import { TRANSCRIPT_TURNS, type TurnId } from '../../protocol';
import { refuse } from '../engine/errors';
import type { TurnRecord } from '../engine/records';
import { number } from '../store/rows';
import { viewOf, type Tables } from '../store/ledger';
import { withStreamed } from './streamed';
import { cursorOf, limitOf, page, type Handlers } from './handler';
import type { Host } from './host';

export const turnInfo = (turn: TurnRecord) => ({
  id: turn.id,
  session: turn.session,
  status: turn.status,
  model: turn.model,
  rounds: turn.rounds,
  usage: turn.usage,
  startedAt: turn.startedAt,
  ...(turn.code === undefined ? {} : { code: turn.code }),
  ...(turn.detail === undefined ? {} : { detail: turn.detail }),
  ...(turn.endedAt === undefined ? {} : { endedAt: turn.endedAt }),
});

const infoOf = (host: Host, id: TurnId) =>
  host.look((tables) => {
    const turn = tables.turn(id);
    if (turn === undefined) throw refuse('turn_unknown', { turn: id });
    return { turn: turnInfo(turn) };
  });

const known = (tables: Tables, session: Parameters<Tables['session']>[0]) => {
  if (tables.session(session) === undefined) throw refuse('session_unknown', { session });
};

export const turnHandlers: Handlers = {
  'turn/list': (params, host) =>
    host.look((tables) => {
      known(tables, params.session);
      const limit = limitOf(params.limit);
      const before = params.cursor === undefined ? undefined : cursorOf(params.cursor, 0);
      return page(tables.turns(params.session, before, limit + 1).map(turnInfo), limit, (turn) =>
        number(turn.id),
      );
    }),
  'turn/get': (params, host) => infoOf(host, params.turn),
  'turn/interrupt': async (params, host) => {
    await host.engine().interrupt(params.session, params.turn);
    return infoOf(host, params.turn);
  },
  'turn/continue': async (params, host) => ({ turn: await host.engine().continueSession(params.session) }),
  'transcript/read': (params, host) =>
    host.look((tables) => {
      known(tables, params.session);
      const limit = params.limit ?? TRANSCRIPT_TURNS;
      const before = params.before === undefined ? undefined : number(params.before);
      const turns = tables.turns(params.session, before, limit + 1);
      const shown = turns.slice(0, limit).reverse();
      const oldest = shown[0];
      return {
        items: shown
          .flatMap((turn) => [...viewOf(tables, turn.id)])
          .map((view) => withStreamed(view, host.hub.streamed(view.turn))),
        seq: tables.lastSeq(),
        ...(turns.length > limit && oldest !== undefined ? { next: oldest.id } : {}),
      };
    }),
};
