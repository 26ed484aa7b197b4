/** What a request offers is what a rule would do now (A3, A7). */
import assert from 'node:assert/strict';
import { done, scenes, shell } from '../support/scene';

describe('offers of a request that waits', () => {
  const scene = scenes();
  const labels = async () =>
    (await scene.host.request('approval/list', { session: scene.session })).items.flatMap((one) =>
      one.offers.map((offer) => offer.scope),
    );
  const asking = () =>
    scene.host.request('rule/add', {
      effect: 'ask',
      scope: 'workspace',
      match: { kind: 'command', command: 'echo *', folder: scene.host.workspace },
      by: 'test',
    });

  it('A3 A7 go and come back with the rules, published under the same number', async () => {
    scene.server.script([{ calls: [shell('echo hi', {}, 'c1')] }, done()]);
    await scene.say('go');
    const first = await scene.asked();
    assert.deepEqual(await labels(), ['session', 'workspace']);
    let mark = scene.host.mark;
    const { rule } = await asking();
    const gone = await scene.host.next('approval_requested', mark);
    assert.deepEqual([gone.data.id, gone.data.request, gone.data.offers], [first.id, first.request, []]);
    assert.match(gone.data.why, /A rule asks for it/);
    assert.deepEqual(await labels(), []);
    mark = scene.host.mark;
    await scene.host.request('rule/remove', { rule: rule.id });
    const back = await scene.host.next('approval_requested', mark);
    assert.deepEqual([back.data.request, back.data.offers.length], [first.request, 2]);
    await scene.allow(first);
    await scene.host.next('turn_ended');
  });

  it('A1 A7 why it is asked is told anew under the same number as well, where there is nothing to offer', async () => {
    scene.server.script([{ calls: [shell('echo hi > out', {}, 'c1')] }, done()]);
    await scene.say('go');
    const first = await scene.asked();
    assert.deepEqual(await labels(), []);
    const mark = scene.host.mark;
    await asking();
    const renewed = await scene.host.next('approval_requested', mark);
    assert.deepEqual([renewed.data.id, renewed.data.request], [first.id, first.request]);
    assert.match(renewed.data.why, /A rule asks for it/);
    await scene.deny(first);
    await scene.host.next('turn_ended');
  });

  it('A3 a verdict whose scope is offered no more writes nothing, and the request goes on waiting', async () => {
    scene.server.script([{ calls: [shell('echo hi', {}, 'c1')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await asking();
    const mark = scene.host.mark;
    const answer = { approval: asked.id, request: asked.request, decision: 'allow', by: 'test' } as const;
    const refused = await scene.host.refused('approval/answer', { ...answer, scope: 'workspace' });
    assert.equal(refused.code, 'invalid_params');
    assert.equal((await scene.host.request('rule/list', {})).items.length, 1);
    assert.deepEqual(scene.host.types(mark), []);
    await scene.deny(asked);
    await scene.host.next('turn_ended');
  });
});
