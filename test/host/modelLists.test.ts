/** A provider that is set up by its address alone: what it lists can be chosen, and works. */
import assert from 'node:assert/strict';
import { done, scenes } from '../support/scene';
import { gate } from '../support/modelServer';

describe('the models that a provider lists', () => {
  let key: string | undefined;
  let models: object;
  const scene = scenes({
    host: { serve: (method) => (method === 'secret/get' && key !== undefined ? { value: key } : {}) },
  });
  const look = async () => {
    const { items, providers } = await scene.host.request('model/list', { look: true });
    const ids = items.flatMap(({ id }) => (id.startsWith('own/') ? [id] : []));
    return { ids, note: providers.find(({ name }) => name === 'own')?.note };
  };
  beforeEach(async () => {
    key = undefined;
    const own = { kind: 'openai-compatible', baseUrl: scene.server.url };
    models = { default: 'local/m1', providers: { own } };
    await scene.host.request('settings/update', { settings: { ...scene.settings, models } });
    scene.server.lists(() => ({ body: { data: [{ id: 'qwen', context_length: 4_096 }] } }));
  });

  it('M1 are asked for when somebody looks, and a session works with one of them', async () => {
    await scene.host.request('model/list', {});
    assert.equal(scene.server.looks.length, 0);
    assert.deepEqual(await look(), { ids: ['own/qwen'], note: undefined });
    await scene.host.request('session/update', {
      session: scene.session,
      agent: { kind: 'model', model: 'own/qwen' },
    });
    scene.server.script([done()]);
    await scene.say('go');
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
    assert.equal((scene.server.requests[0]?.body as { model?: string }).model, 'qwen');
  });

  it('T7 M1 have their windows after a crash as well, though nobody looks: a full conversation is summed up', async () => {
    await look();
    const { host, server, session } = scene;
    const agent = { kind: 'model', model: 'own/qwen' } as const;
    await host.request('session/update', { session, agent });
    server.script([
      { calls: [{ tool: 'list', args: { path: '.' } }], usage: { input: 100, output: 1 } },
      { text: 'First done.', usage: { input: 4_000, output: 1 } },
    ]);
    await scene.say('first');
    await host.next('turn_ended');
    await scene.crash({ settings: { ...scene.settings, models } });
    const { items } = await scene.host.request('model/list', {});
    assert.equal(items.find(({ id }) => id === 'own/qwen')?.contextWindow, 4_096);
    server.script([{ text: 'In short.' }, done()]);
    await scene.say('second');
    await scene.host.next('compacted');
    assert.equal(server.looks.length, 1);
  });

  it('P1 are not asked for while paused; the pull ends a look that is under way, and the last list stays', async () => {
    await look();
    const held = gate();
    scene.server.lists(() => ({ gate: held }));
    // Another key is another list.
    key = 'k1';
    const looking = look();
    await held.reached;
    await scene.host.request('host/pause', { by: 'test' });
    assert.deepEqual((await looking).ids, ['own/qwen']);
    assert.equal(await scene.server.looks[1]?.aborted, true);
    const { ids, note } = await look();
    assert.deepEqual(ids, ['own/qwen']);
    assert.match(note ?? '', /^Paused: "own" is asked/);
    assert.equal(scene.server.looks.length, 2);
  });

  it('A11 are not asked for in an untrusted workspace', async () => {
    await scene.host.request('settings/update', { trusted: false });
    assert.deepEqual((await look()).ids, []);
    assert.equal(scene.server.looks.length, 0);
  });

  it('R11 that lists none says why, and what is named by its id works all the same', async () => {
    scene.server.lists(() => ({ status: 404 }));
    const { ids, note } = await look();
    assert.deepEqual(ids, []);
    assert.match(note ?? '', /has no list of models at .*\/v1\/models\. .* name a model by its id/);
    await scene.host.request('session/update', {
      session: scene.session,
      agent: { kind: 'model', model: 'own/other' },
    });
    scene.server.script([done()]);
    await scene.say('go');
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
  });
});
