/** Scenes with an MCP server: it is started by a person, by a session that needs its tools, by a call; and called. */
import assert from 'node:assert/strict';
import type { Server, ServerId } from '../../protocol';
import { Refused, type HostClient } from '../support/hostClient';
import { say, type Scene, type Stage } from './scene';

const WAYS = ['stdio', 'http'] as const;

/** A call that was handed to the server before the pull counts as before (P1), though it may be read after it. */
const call = {
  calls: () => [{ tool: 'stand__echo', args: { text: 'hi' }, id: 'c1' }],
  act: say,
  leaves: 'left = true',
  happened: ({ arrived }: Stage) => arrived('call echo'),
};
/** The last that a start asks of a server. */
const listed = ({ arrived }: Stage) => arrived('tools/list');

/** The server, once it is neither on its way up nor down. */
export async function serverAtRest(host: HostClient): Promise<Server> {
  for (;;) {
    const { mark } = host;
    const [server] = (await host.request('server/list', {})).items;
    assert.ok(server !== undefined);
    if (server.state !== 'starting' && server.state !== 'stopping') return server;
    await host.next('server_changed', mark);
  }
}

const ended =
  (by: (stage: Stage, server: Server) => Promise<unknown>) =>
  async (stage: Stage): Promise<void> => {
    await by(stage, await serverAtRest(stage.host));
    await serverAtRest(stage.host);
  };

/** It lacks the trust in its workspace for a moment: its tools stay known, and its next call starts it. */
const distrust = async ({ host }: Stage): Promise<void> => {
  await host.request('settings/update', { trusted: false });
  await serverAtRest(host);
  await host.request('settings/update', { trusted: true });
};

const idOf = ({ snapshot }: HostClient): ServerId => {
  const [server] = snapshot?.servers ?? [];
  assert.ok(server !== undefined);
  return server.id;
};

/** The pull came before the request was looked at. */
const unlessPaused = (error: unknown): void => {
  if (!(error instanceof Refused) || error.code !== 'host_paused') throw error;
};

async function isUpOrGone(stage: Stage, where: string): Promise<void> {
  const { state, pid } = await serverAtRest(stage.host);
  const asked = listed(stage);
  if (state === 'ready') assert.equal(asked, 1, `it is up: ${where}`);
  else {
    assert.ok(asked <= 1, `it was asked again: ${where}`);
    assert.equal(pid, undefined, `it is said to be ${state}: ${where}`);
  }
}

export const serverScenes: readonly Scene[] = WAYS.flatMap((reaches): readonly Scene[] => [
  {
    name: `a call of an MCP server over ${reaches}`,
    mode: 'full',
    reaches,
    lives: true,
    ...call,
  },
  {
    name: `the start of an MCP server over ${reaches} by a person`,
    mode: 'full',
    reaches,
    lives: true,
    prepare: ended(({ host }, { id }) => host.request('server/stop', { server: id, by: 'test' })),
    act: ({ host }) => host.request('server/start', { server: idOf(host), by: 'test' }).catch(unlessPaused),
    leaves: 'tools/list',
    over: ({ host }) => serverAtRest(host),
    happened: listed,
    told: isUpOrGone,
  },
  {
    name: `the start of an MCP server over ${reaches} whose tools a session needs`,
    mode: 'full',
    reaches,
    lives: true,
    prepare: ended(({ renew }) => renew()),
    ...call,
  },
  {
    name: `the start of an MCP server over ${reaches} by a call`,
    mode: 'full',
    reaches,
    lives: true,
    prepare: ended(distrust),
    ...call,
    always: 'this.change(signal)',
  },
]);
