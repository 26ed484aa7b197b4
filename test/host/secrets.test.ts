import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECRET_STORED, type ClientParamsOf } from '../../protocol';
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

  it('X8 is in no command that a person has changed: the model would read it', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'ask' });
    scene.server.script([{ calls: [shell('touch a', {}, 'c1')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    const refused = await scene.host.refused('approval/answer', {
      approval: asked.id,
      request: asked.request,
      decision: 'allow',
      command: `echo ${KEYS.ANTHROPIC_API_KEY}`,
    });
    assert.equal(refused.code, 'invalid_params');
    await scene.deny(asked);
    await scene.host.next('turn_ended');
    assert.ok(!JSON.stringify(scene.host.events).includes(KEYS.ANTHROPIC_API_KEY));
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

describe('what a provider’s settings send beside its key', () => {
  const scene = scenes();
  const SENT = 'written-out-0123456789';

  it('X8 is neither told nor stored nor exported where the provider repeats it', async () => {
    const models = scene.settings['models'] as { providers: { local: object } };
    const local = { ...models.providers.local, headers: { 'x-auth': SENT }, query: { sig: `${SENT}-q` } };
    const settings = { ...scene.settings, models: { ...models, providers: { local } } };
    await scene.host.request('settings/update', { settings });
    const message = `"x-auth: ${SENT}" is not known, nor ${SENT}-q`;
    scene.server.script([{ status: 401, body: { error: { message } } }]);
    await scene.say('go');
    const { data } = await scene.host.next('turn_ended');
    assert.match(data.detail ?? '', /"x-auth: \[REDACTED\]" is not known, nor \[REDACTED\]/);
    const { text } = await scene.host.request('session/export', { session: scene.session });
    for (const told of [scene.host.events, scene.host.logs, text])
      assert.ok(!JSON.stringify(told).includes(SENT));
    const stored = readdirSync(scene.host.storeDir, { recursive: true, withFileTypes: true });
    assert.ok(stored.some((one) => one.isFile()));
    for (const file of stored.filter((one) => one.isFile()))
      assert.ok(!readFileSync(join(file.parentPath, file.name)).includes(SENT), file.name);
  });

  it('X8 leaves commands what says who works where, though a header names it', async () => {
    const models = scene.settings['models'] as { providers: { local: object } };
    const local = {
      ...models.providers.local,
      headers: { 'x-user': '${env:HOME}', 'x-auth': '${env:PATH}' },
    };
    const settings = { ...scene.settings, models: { ...models, providers: { local } } };
    await scene.host.request('settings/update', { settings });
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([{ calls: [shell('echo "$HOME:$PATH"', {}, 'c1')] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    const told = JSON.stringify(toldOf(scene.server, 'c1'));
    assert.ok(told.includes(`${process.env['HOME']}:${process.env['PATH']}`), told);
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

describe('what a person has entered for `request_secret`', () => {
  const VALUE = 'hunter2 / the "value"';
  const asked: string[] = [];
  let kept: string | undefined = VALUE;
  const scene = scenes({
    settings: { approvals: { mode: 'full' } },
    host: {
      serve: (method, params) => {
        if (method !== 'secret/get') return {};
        const { name } = params as ClientParamsOf<'secret/get'>;
        asked.push(name);
        return name === 'tool/TOKEN' && kept !== undefined ? { value: kept } : {};
      },
    },
  });
  beforeEach(() => {
    kept = VALUE;
    asked.length = 0;
    writeFileSync(join(scene.host.workspace, 'printed'), `a ${VALUE} b`);
  });

  const secretAsked = { tool: 'request_secret', args: { name: 'TOKEN', why: 'To sign in.' }, id: 's1' };
  const print = shell('cat printed; cat printed >&2', {}, 'c1');

  it('X8 is in no output, result, answer, event, log, export or file of the store, also after a restart', async () => {
    scene.server.script([
      { calls: [secretAsked] },
      {
        calls: [
          print,
          { tool: 'read', args: { path: 'printed' }, id: 'c2' },
          { tool: 'exec', args: { code: 'return (await tools.read({path:"printed"})).text' }, id: 'c3' },
          { tool: 'ask', args: { question: 'What is it?' }, id: 'c4' },
        ],
      },
      done(),
      { calls: [{ ...print, id: 'c5' }] },
      done(),
    ]);
    await scene.say('go');
    const { data } = await scene.host.next('question_asked');
    await scene.host.request('question/answer', { question: data.id, answer: { text: SECRET_STORED } });
    const again = await scene.host.next('question_asked', 0, (event) => event.data.tool === 'ask');
    await scene.host.request('question/answer', {
      question: again.data.id,
      answer: { text: `It is ${VALUE}.` },
    });
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['stdout'], 'a [REDACTED] b');
    assert.equal(toldOf(scene.server, 'c1')['stderr'], 'a [REDACTED] b');
    assert.equal(toldOf(scene.server, 'c2')['text'], 'a [REDACTED] b');
    assert.deepEqual(toldOf(scene.server, 'c4'), { answer: 'It is [REDACTED].' });

    const { events, logs } = scene.host;
    const first = [...events, ...logs];
    await scene.restart();
    await scene.say('once more');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c5')['stdout'], 'a [REDACTED] b');
    assert.deepEqual(
      asked.filter((name) => name.startsWith('tool/')),
      ['tool/TOKEN', 'tool/TOKEN'],
    );
    const exported = await scene.host.request('session/export', { session: scene.session, format: 'json' });
    const audit = await scene.host.request('audit/export', {});
    const told = [first, scene.host.events, scene.host.logs, exported, audit, scene.server.requests];
    assert.doesNotMatch(JSON.stringify(told), /hunter2/);
    await scene.host.request('shutdown', {});
    await scene.host.exited;
    const files = readdirSync(scene.host.storeDir, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    const bytes = files.map((one) => readFileSync(join(one.parentPath, one.name)));
    assert.ok(bytes.some((one) => one.includes('request_secret')));
    assert.ok(!bytes.some((one) => one.includes('hunter2')));
  });

  it('X8 C1 a text that came in the place of the word for it is taken for one', async () => {
    kept = undefined;
    scene.server.script([{ calls: [secretAsked] }, { calls: [print] }, done()]);
    await scene.say('go');
    const { data } = await scene.host.next('question_asked');
    await scene.host.request('question/answer', { question: data.id, answer: { text: ` ${VALUE}\n` } });
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['stdout'], 'a [REDACTED] b');
  });

  it('X8 a client that keeps nothing under the name is answered all the same', async () => {
    kept = undefined;
    scene.server.script([{ calls: [secretAsked] }, done()]);
    await scene.say('go');
    const { data } = await scene.host.next('question_asked');
    await scene.host.request('question/answer', { question: data.id, answer: { text: SECRET_STORED } });
    await scene.host.next('turn_ended');
    assert.deepEqual(toldOf(scene.server, 's1'), { answer: 'The person has stored it.' });
  });
});
