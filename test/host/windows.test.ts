import assert from 'node:assert/strict';
import { HostClient, localModel } from '../support/hostClient';
import { done, scenes, shell } from '../support/scene';

describe('two windows on one workspace', () => {
  const scene = scenes();

  it('D4 the second host only reads and says so; it takes over when the first has gone', async () => {
    scene.server.script([{ calls: [shell('echo hi')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    const second = HostClient.spawn({
      settings: localModel(scene.server.url),
      storeDir: scene.host.storeDir,
      workspace: scene.host.workspace,
    });
    try {
      const result = await second.initialize();
      assert.equal(result.readOnly, true);
      assert.match(result.warnings.join(' '), /Another window/);
      const { items } = await second.request('approval/list', {});
      assert.deepEqual(
        items.map((item) => item.id),
        [asked.id],
      );
      const refused = await second.refused('approval/answer', {
        approval: asked.id,
        request: 1,
        decision: 'allow',
      });
      assert.equal(refused.code, 'store_read_only');
      assert.equal(
        (await second.refused('message/send', { session: scene.session, text: 'x' })).code,
        'store_read_only',
      );

      await scene.host.kill();
      const changed = await second.next('store_changed', 0, (event) => !event.data.readOnly);
      assert.equal(changed.data.trouble, undefined);
      await second.request('events/subscribe', {});
      await second.request('approval/answer', {
        approval: asked.id,
        request: 1,
        decision: 'allow',
        by: 'second',
      });
      const ended = await second.next('turn_ended');
      assert.equal(ended.data.status, 'completed');
    } finally {
      await second.stop();
    }
  });
});
