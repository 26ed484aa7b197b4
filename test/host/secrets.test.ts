import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { done, scenes, shell, toldOf } from '../support/scene';

const KEYS = { ANTHROPIC_API_KEY: 'sk-ant-verysecret-0123', OPENAI_API_KEY: 'sk-oai-verysecret-0123' };

/** Providers that name no variable of their own are served from these, which are Belay's to hold then. */
describe('the key of a provider, in the variable that its kind is known by', () => {
  const scene = scenes();
  const before = Object.keys(KEYS).map((name) => [name, process.env[name]] as const);
  beforeEach(async () => {
    Object.assign(process.env, KEYS);
    const models = scene.settings['models'] as { providers: object };
    const providers = { ...models.providers, a: { kind: 'anthropic' }, o: { kind: 'openai' } };
    scene.settings = { ...scene.settings, models: { ...models, providers } };
    await scene.restart();
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
  });
  afterEach(() => {
    for (const [name, value] of before)
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
  });

  it('X8 is in no command’s environment, and in no result', async () => {
    writeFileSync(join(scene.host.workspace, 'keys'), Object.values(KEYS).join('\n'));
    scene.server.script([
      { calls: [shell('env', {}, 'c1'), { tool: 'read', args: { path: 'keys' }, id: 'c2' }] },
      done(),
    ]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    const env = JSON.stringify(toldOf(scene.server, 'c1'));
    assert.match(env, /PATH=/);
    assert.doesNotMatch(env, /_API_KEY/);
    assert.equal(toldOf(scene.server, 'c2')['text'], '[REDACTED]\n[REDACTED]');
    for (const key of Object.values(KEYS)) assert.ok(!JSON.stringify(scene.host.events).includes(key));
  });

  it('X8 is given to no server that names its variable', async () => {
    const url = 'http://127.0.0.1:1/${env:ANTHROPIC_API_KEY}';
    const servers = { far: { type: 'http', url } };
    await scene.host.request('settings/update', { settings: { ...scene.settings, mcp: { servers } } });
    const [far] = (await scene.host.request('server/list', {})).items;
    assert.ok(far !== undefined);
    const mark = scene.host.mark;
    await scene.host.request('server/start', { server: far.id });
    const { data } = await scene.host.next('server_changed', mark, (event) => event.data.state === 'failed');
    assert.match(data.content?.error ?? '', /ANTHROPIC_API_KEY holds a key of Belay’s own/);
  });
});

describe('what a client answers', () => {
  const KEY = 'sk-live-0123456789abcdef';
  const scene = scenes({
    host: {
      serve: (method) => {
        if (method === 'secret/get') return { value: KEY };
        return method === 'clientTool/run' ? { text: `TOKEN=${KEY}` } : {};
      },
    },
  });

  it('X8 is told and stored without the keys that Belay holds', async () => {
    await scene.host.request('clientTool/register', {
      client: 'w1',
      tools: [{ name: 'lookup', schema: { type: 'object' }, readOnly: true }],
    });
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([{ calls: [{ tool: 'lookup', args: {}, id: 'c1' }] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    assert.deepEqual(toldOf(scene.server, 'c1'), { answer: 'TOKEN=[REDACTED]' });
    assert.equal(JSON.stringify(scene.host.events).includes(KEY), false);
  });
});
