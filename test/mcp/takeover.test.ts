import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostClient } from '../support/hostClient';
import { StandIn } from '../support/mcpStandIn';
import { done, scenes, shell } from '../support/scene';

describe('mcp: a host that wakes a session as it comes up', () => {
  let standIn: StandIn;
  beforeEach(() => {
    standIn = new StandIn();
  });
  const scene = scenes({ lazily: () => ({ mcp: { servers: { fake: standIn.config() } } }) });
  afterEach(() => standIn.stop());

  /** Its loss wakes the session, and the woken turn looks for the tools of servers. */
  const leaveBehind = async (): Promise<void> => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([{ calls: [shell('sleep 60', { background: true }, 'c1')] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    scene.server.script([done()]);
  };

  it('D4 T10 M2 after a takeover the woken turn goes through, with the servers', async () => {
    const second = HostClient.spawn({
      settings: scene.settings,
      storeDir: scene.host.storeDir,
      workspace: scene.host.workspace,
    });
    try {
      await second.initialize();
      await leaveBehind();
      const { mark } = second;
      await scene.host.kill();
      const { data } = await second.next('turn_ended', mark);
      assert.equal(data.status, 'completed', JSON.stringify(data));
    } finally {
      await second.stop();
    }
  });

  it('A12 M2 after a crash a consent is remembered, also when a session is woken at once', async () => {
    mkdirSync(join(scene.host.workspace, '.vscode'));
    writeFileSync(
      join(scene.host.workspace, '.vscode', 'mcp.json'),
      JSON.stringify({ servers: { theirs: standIn.config() } }),
    );
    const theirs = async () => {
      const { items } = await scene.host.request('server/list', {});
      const found = items.find((one) => one.name === 'theirs');
      assert.ok(found !== undefined);
      return found;
    };
    const { id, consent } = await theirs();
    await scene.host.request('server/consent', {
      server: id,
      hash: consent?.hash ?? '',
      allow: true,
      by: 'test',
    });
    await leaveBehind();
    await scene.crash();
    assert.notEqual((await theirs()).state, 'needs_consent');
    await scene.host.until(() => (scene.server.requests.length > 2 ? true : undefined));
    assert.notEqual((await theirs()).state, 'needs_consent');
  });
});
