import assert from 'node:assert/strict';
import { KIB } from '../../protocol';
import { done, scenes } from '../support/scene';

describe('the first request of a session to its model', () => {
  const scene = scenes();

  it('R10 is under 10 KiB, with every tool of Belay’s own: each one is paid with every request', async () => {
    scene.server.script([done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    const body = JSON.stringify(scene.server.requests[0]?.body);
    for (const tool of ['read', 'find', 'search', 'exec', 'ask']) assert.ok(body.includes(`"${tool}"`), tool);
    assert.ok(Buffer.byteLength(body) < 10 * KIB, String(Buffer.byteLength(body)));
  });
});
