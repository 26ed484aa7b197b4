import { say, type Server, type ServerId } from '../../protocol';
import type { McpServer } from '../adapters/mcp/server';
import { unknown } from '../adapters/mcp/signIn';
import { refuse, RequestError } from '../engine/errors';
import { cursorOf, limitOf, type Handlers } from './handler';
import type { Host } from './host';

/** Servers as they are now; a host that only reads has none of its own. */
export function serversNow(host: Host): readonly Server[] {
  if (host.readOnly) return [];
  host.servers.look();
  return host.servers.list();
}

function serverOf(host: Host, id: ServerId): McpServer {
  host.engine();
  host.servers.look();
  const server = host.servers.get(id);
  if (server === undefined) throw refuse('server_unknown', { server: id });
  return server;
}

/** Starts it, or ends and starts it, by a person's word. */
function begin(host: Host, id: ServerId, kind: 'start' | 'restart'): { server: Server } {
  const server = serverOf(host, id);
  mayBegin(host, server);
  server.tell({ kind }, host.engine().cord.launch());
  return { server: server.view() };
}

/** Refuses what may not begin now. */
function mayBegin(host: Host, server: McpServer): void {
  if (!host.trusted()) throw refuse('untrusted_workspace');
  if (host.engine().cord.pulled) throw new RequestError('host_paused', say('Paused: resume first.'));
  if (server.kind === 'needs_consent')
    throw new RequestError(
      'server_changed',
      say('This server first needs your consent to its configuration.'),
      {
        server: server.id,
      },
    );
}

export const serverHandlers: Handlers = {
  'server/list': (params, host) => {
    const from = cursorOf(params.cursor, 0);
    const until = from + limitOf(params.limit);
    const all = serversNow(host);
    return { items: all.slice(from, until), ...(until < all.length ? { next: String(until) } : {}) };
  },
  'server/start': (params, host) => begin(host, params.server, 'start'),
  'server/restart': (params, host) => begin(host, params.server, 'restart'),
  'server/stop': (params, host) => {
    const server = serverOf(host, params.server);
    server.tell({ kind: 'stop' });
    return { server: server.view() };
  },
  'server/consent': async (params, host) => {
    const server = serverOf(host, params.server);
    if (server.hash !== params.hash)
      throw new RequestError(
        'server_changed',
        say('The configuration of this server has changed since: look at it again.'),
        { server: params.server },
      );
    if (params.allow && !host.trusted()) throw refuse('untrusted_workspace');
    await server.consent(params.allow, params.by ?? say('you'));
    return { server: server.view() };
  },
  'server/signIn': async (params, host) => {
    const server = serverOf(host, params.server);
    mayBegin(host, server);
    const url = await server.account.begin(params.redirectUri);
    return { server: server.view(), url };
  },
  'server/signInAnswer': async (params, host) => {
    host.engine();
    const server = host.servers.signingIn(params.state);
    if (server === undefined) throw unknown();
    await server.account.signIn.answer(params);
    return { server: server.view() };
  },
  'server/signInCancel': (params, host) => {
    const server = serverOf(host, params.server);
    server.account.signIn.cancel();
    return { server: server.view() };
  },
  'server/signOut': async (params, host) => {
    const server = serverOf(host, params.server);
    await server.signOut();
    return { server: server.view() };
  },
  'server/log': (params, host) => ({ text: serverOf(host, params.server).text() }),
};
