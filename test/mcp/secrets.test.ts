import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StandIn } from '../support/mcpStandIn';
import { done, scenes, toldOf } from '../support/scene';

const SECRET = 'sk-verysecretvalue-123456';

describe('mcp: what Belay holds for itself', () => {
  let standIn: StandIn;
  let mode = '';
  const scene = scenes({
    lazily: () => {
      standIn = new StandIn();
      return {
        mcp: {
          servers: { fake: standIn.config(mode, { SECRET, BELAY_HOST: 'forged', BELAY_RUN: 'forged' }) },
        },
        limits: { serverBackoffMs: 60_000 },
      };
    },
  });
  before(() => (process.env['BELAY_TEST_KEY'] = SECRET));
  after(() => delete process.env['BELAY_TEST_KEY']);
  afterEach(() => standIn.stop());

  /** The model's key comes from the environment from now on. */
  const withKey = async (servers: object = {}) => {
    const { models, mcp } = scene.settings as {
      models: { providers: { local: object } };
      mcp: { servers: object };
    };
    const local = { ...models.providers.local, apiKeyEnv: 'BELAY_TEST_KEY' };
    scene.settings = {
      ...scene.settings,
      models: { ...models, providers: { local } },
      mcp: { servers: { ...mcp.servers, ...servers } },
    };
    await scene.host.request('settings/update', { settings: scene.settings });
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
  };
  const say = async (tool: string, args: object = {}) => {
    scene.server.script([{ calls: [{ tool, args, id: 'c1' }] }, done()]);
    await scene.say('go');
  };
  const shows = (text: string) => assert.ok(!text.includes(SECRET), text);

  it('X8 progress, questions and errors of a server are told and kept without it', async () => {
    await withKey();
    await say('fake__leak');
    const asked = await scene.host.next('question_asked');
    const { items } = await scene.host.request('question/list', {});
    shows(JSON.stringify(items));
    assert.match(JSON.stringify(items), /Is \[REDACTED\] right\?/);
    await scene.host.request('question/answer', {
      question: asked.data.id,
      answer: { text: 'yes' },
      by: 'test',
    });
    const completed = await scene.host.next('tool_completed', 0, (event) => event.data.call_id === 'c1');
    assert.match(JSON.stringify(completed.data.result), /bad key \[REDACTED\]/);
    await scene.host.next('turn_ended');
    assert.ok(scene.host.events.some((event) => event.type === 'tool_progress'));
    shows(JSON.stringify(scene.host.events));
    shows(JSON.stringify(toldOf(scene.server, 'c1')));
  });

  describe('with a server that names it when it starts', () => {
    before(() => (mode = 'leaky'));
    after(() => (mode = ''));
    it('X8 its last error is told without it', async () => {
      await withKey();
      scene.server.script([done()]);
      await scene.say('go');
      await scene.host.next('turn_ended');
      const [server] = (await scene.host.request('server/list', {})).items;
      assert.match(server?.error ?? '', /bad key \[REDACTED\]/);
      shows(JSON.stringify(scene.host.events));
    });
  });

  it('X8 a configuration that names its variable gets nothing, and says why', async () => {
    const env = { GIVEN: '${env:BELAY_TEST_KEY}' };
    await withKey({ theirs: standIn.config('', env) });
    const copy = join(scene.host.workspace, '.vscode');
    mkdirSync(copy, { recursive: true });
    writeFileSync(
      join(copy, 'mcp.json'),
      JSON.stringify({ servers: { far: { type: 'http', url: 'http://127.0.0.1:1/${env:BELAY_TEST_KEY}' } } }),
    );
    for (const name of ['theirs', 'far']) {
      const { items } = await scene.host.request('server/list', {});
      const found = items.find((one) => one.name === name);
      assert.ok(found);
      if (found.consent !== undefined)
        await scene.host.request('server/consent', {
          server: found.id,
          hash: found.consent.hash,
          allow: true,
        });
      const mark = scene.host.mark;
      await scene.host.request('server/start', { server: found.id });
      const { data } = await scene.host.next(
        'server_changed',
        mark,
        (event) => event.data.state === 'failed',
      );
      assert.match(data.content?.error ?? '', /BELAY_TEST_KEY holds a key of Belay’s own/);
    }
    assert.deepEqual(standIn.pids, []);
  });

  it('X6 a configuration does not take the place of the marks by which its processes are found', async () => {
    await withKey();
    for (const name of ['BELAY_HOST', 'BELAY_RUN']) {
      const mark = scene.host.mark;
      await say('fake__environment', { name });
      await scene.host.next('turn_ended', mark);
      const told = String(toldOf(scene.server, 'c1')['text']);
      assert.notEqual(told, 'forged');
      assert.notEqual(told, '');
    }
  });
});
