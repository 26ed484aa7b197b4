import { say, type Agent } from '../../protocol';
import { readSessionText } from '../engine/driver/sessionText';
import { RequestError, refuse } from '../engine/errors';
import type { SessionRecord } from '../engine/records';
import { sessionView } from '../engine/views';
import { number } from '../store/rows';
import type { Tables } from '../store/ledger';
import { cursorOf, limitOf, page, type Handlers } from './handler';
import type { Host } from './host';
import { folderOf } from './places';

const view = (tables: Tables, row: SessionRecord) => sessionView(row, tables.lastTurn(row.id));

/** An agent that no adapter is for is refused before anything is written. */
function known(agent: Agent | undefined, host: Host): void {
  if (agent?.kind !== 'harness' || host.harnesses.capabilities(agent.harness) !== undefined) return;
  throw new RequestError(
    'invalid_params',
    say('There is no outside agent named {harness}; harness/list names those that there are.', {
      harness: agent.harness,
    }),
  );
}

export const sessionHandlers: Handlers = {
  'session/create': async (params, host) => {
    known(params.agent, host);
    const folder = await folderOf(params.folder, host.roots());
    const row = await host.engine().createSession({
      folder,
      agent: params.agent,
      title: params.title ?? '',
      mode: params.mode,
      instructions: params.instructions ?? '',
    });
    return { session: sessionView(row, undefined) };
  },
  'session/get': (params, host) =>
    host.look((tables) => {
      const row = tables.session(params.session);
      if (row === undefined) throw refuse('session_unknown', { session: params.session });
      return { session: view(tables, row) };
    }),
  'session/list': (params, host) =>
    host.look((tables) => {
      const limit = limitOf(params.limit);
      const before = params.cursor === undefined ? undefined : cursorOf(params.cursor, 0);
      const rows = tables.sessions(params.archived, before, limit + 1);
      return page(
        rows.map((row) => view(tables, row)),
        limit,
        (session) => number(session.id),
      );
    }),
  'session/update': async (params, host) => {
    const { session, ...change } = params;
    known(change.agent, host);
    await host.engine().changeSession(session, change);
    return host.look((tables) => {
      const row = tables.session(session);
      if (row === undefined) throw refuse('session_unknown', { session });
      return { session: view(tables, row) };
    });
  },
  'session/fork': async (params, host) => {
    const { session, warnings } = await host.engine().forkSession(params);
    return host.look((tables) => ({ session: view(tables, session), warnings: [...warnings] }));
  },
  'session/import': async (params, host) => {
    const engine = host.engine();
    const folder = await folderOf(params.folder, host.roots());
    const text = await readSessionText(params.text);
    known(text.head.session.agent, host);
    const { session, warnings } = await engine.importSession(text, folder);
    return host.look((tables) => ({ session: view(tables, session), warnings: [...warnings] }));
  },
  'session/compact': async (params, host) => {
    await host.engine().askSummary(params.session, params.by ?? 'you');
    return {};
  },
  'session/delete': async (params, host) => {
    await host.engine().deleteSession(params.session);
    return {};
  },
};
