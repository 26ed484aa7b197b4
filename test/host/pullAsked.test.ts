import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PULL_MARKER } from '../../protocol';
import { HostClient } from '../support/hostClient';
import { done, scenes, shell } from '../support/scene';

describe('a pull that was asked for and not answered', () => {
  const scene = scenes();
  const marker = () => join(scene.host.storeDir, PULL_MARKER);
  const paused = async () => (await scene.host.request('host/status', {})).host.paused;

  it('P6 makes the next start begin paused: what was allowed starts after release alone', async () => {
    scene.server.script([{ calls: [shell('echo ran')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.host.kill();
    writeFileSync(marker(), '');
    scene.host = await scene.host.again({ settings: scene.settings });
    assert.equal(await paused(), true);
    assert.equal(scene.host.snapshot?.host.pausedBy, 'you');
    assert.equal(existsSync(marker()), false, 'the cord is written down by now');
    await scene.allow(asked);
    const mark = scene.host.mark;
    await scene.host.request('host/resume', {});
    assert.equal((await scene.host.next('turn_ended', mark)).data.status, 'completed');
    await scene.restart();
    assert.equal(await paused(), false, 'it counts once');
  });

  it('P6 that is answered after all leaves nothing behind', async () => {
    writeFileSync(marker(), '');
    await scene.host.request('host/pause', {});
    assert.equal(existsSync(marker()), false);
  });

  it('a sign of life comes from a host that nobody has initialized', async () => {
    const host = HostClient.spawn({});
    assert.deepEqual(await host.request('host/ping', {}), {});
    await host.stop();
  });
});
