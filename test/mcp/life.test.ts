import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerState } from '../../protocol';
import { isAlive, StandIn } from '../support/mcpStandIn';
import { done, scenes, toldOf } from '../support/scene';

describe('mcp: servers come and go', () => {
  let standIn: StandIn;
  let mode = '';
  const scene = scenes({
    lazily: () => {
      standIn = new StandIn();
      return { mcp: { servers: { fake: standIn.config(mode) } }, limits: { serverBackoffMs: 1 } };
    },
  });
  afterEach(() => standIn.stop());
  const call = (tool: string, args: object = {}, id = 'c1') => ({ tool: `fake__${tool}`, args, id });
  const full = () => scene.host.request('session/update', { session: scene.session, mode: 'full' });
  const server = async (name = 'fake') => {
    const { items } = await scene.host.request('server/list', {});
    const found = items.find((one) => one.name === name);
    assert.ok(found, `no server ${name}`);
    return found;
  };
  const reaches = (state: ServerState, after = 0) =>
    scene.host.next('server_changed', after, (event) => event.data.state === state);
  /** A turn of one call; what the model was told of it. */
  const told = async (tool: string, args: object = {}, id = 'c1') => {
    const mark = scene.host.mark;
    scene.server.script([{ calls: [call(tool, args, id)] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended', mark);
    return toldOf(scene.server, id);
  };

  it('M3 nothing starts before a session needs it, and what a session has known starts with its first call', async () => {
    await full();
    assert.equal((await server()).state, 'idle');
    assert.equal(standIn.lines.length, 0);
    assert.deepEqual(await told('echo', { text: 'a' }), { text: 'a' });
    assert.deepEqual(
      standIn.lines.map((line) => line.split(' ')[0]),
      ['start', 'initialize', 'tools/list', 'call', 'answered'],
    );
    await scene.restart();
    const mark = scene.host.mark;
    scene.server.script([done()]);
    await scene.say('just talk');
    await scene.host.next('turn_ended', mark);
    assert.equal(standIn.pids.length, 1, 'its tools are remembered: talking starts nothing');
    assert.ok(JSON.stringify(scene.server.requests.at(-1)?.body).includes('fake__echo'));
    assert.deepEqual(await told('echo', { text: 'b' }, 'c2'), { text: 'b' });
    assert.equal(standIn.pids.length, 2);
  });

  it('M3 its state, tools, version and pid are listed, published, and the same in a snapshot (A9)', async () => {
    await full();
    await told('echo');
    const now = await server();
    assert.equal(now.state, 'ready');
    assert.equal(now.version, 'stand-in 1.2.3');
    assert.equal(now.pid, standIn.pids[0]);
    assert.deepEqual(
      now.tools.find((tool) => tool.name === 'fake__echo'),
      {
        name: 'fake__echo',
        title: 'echo',
        description: 'echo',
        hints: ['readOnly'],
      },
    );
    const fresh = await scene.host.request('events/subscribe', {});
    assert.deepEqual(fresh.snapshot.servers, scene.host.snapshot?.servers);
    assert.deepEqual(fresh.snapshot.servers, [now]);
  });

  it('M3 a server that dies ends its call truthfully, and comes back', async () => {
    await full();
    const result = await told('die');
    assert.equal(result['error'], 'server_unavailable');
    assert.match(String(result['detail']), /ended by itself with code 3/);
    assert.match(String(result['detail']), /what it had done is unknown/);
    await reaches('backing_off');
    await reaches(
      'starting',
      scene.host.events.findIndex(
        (event) => event.type === 'server_changed' && event.data.state === 'backing_off',
      ),
    );
    assert.deepEqual(await told('echo', { text: 'again' }, 'c2'), { text: 'again' });
    assert.deepEqual(standIn.calls, ['die', 'echo'], 'nothing was run again (R3)');
  });

  it('M3 a restart ends the old process before it starts the new one', async () => {
    await full();
    await told('echo');
    const mark = scene.host.mark;
    await scene.host.request('server/restart', { server: (await server()).id });
    await reaches('ready', mark);
    assert.deepEqual(
      standIn.lines.filter((line) => /^(start|end)/.test(line)).map((line) => line.split(' ')[0]),
      ['start', 'end', 'start'],
    );
    const [first, second] = standIn.pids;
    assert.ok(first !== undefined && second !== undefined && !isAlive(first) && isAlive(second));
  });

  it('M3 a person stops a server: it stays stopped, its tools are not offered, and a call says so', async () => {
    await full();
    await told('echo');
    const mark = scene.host.mark;
    await scene.host.request('server/stop', { server: (await server()).id });
    await reaches('stopped', mark);
    assert.ok(!isAlive(standIn.pids[0] ?? 0));
    const result = await told('echo', {}, 'c2');
    assert.equal(result['error'], 'server_unavailable');
    assert.match(String(result['detail']), /has stopped/);
    assert.ok(!JSON.stringify(scene.server.requests.at(-1)?.body).includes('"fake__echo","description'));
    await scene.host.request('server/start', { server: (await server()).id });
    assert.deepEqual(await told('echo', { text: 'back' }, 'c3'), { text: 'back' });
  });

  it('M2 a changed list of tools is picked up without a restart', async () => {
    await full();
    await told('change', { name: 'extra' });
    await scene.host.next(
      'server_changed',
      0,
      (event) => event.data.content?.tools.some((tool) => tool.title === 'extra') === true,
    );
    assert.deepEqual(await told('extra', {}, 'c2'), { text: 'extra is new' });
    assert.equal(standIn.pids.length, 1);
  });

  it('M2 a change that is told while a list is on its way is asked for behind it', async () => {
    await full();
    await told('change', { name: 'extra', late: 'later' });
    await scene.host.next(
      'server_changed',
      0,
      (event) => event.data.content?.tools.some((tool) => tool.title === 'later') === true,
    );
    assert.deepEqual(await told('later', {}, 'c2'), { text: 'late' });
  });

  it('M2 the folders of the workspace are its roots, and it is told when they change', async () => {
    await full();
    const roots = JSON.parse(String((await told('roots'))['text'])) as { roots: { uri: string }[] };
    assert.deepEqual(
      roots.roots.map((root) => root.uri),
      [`file://${scene.host.workspace}`],
    );
    const more = join(scene.host.workspace, 'more');
    mkdirSync(more);
    await scene.host.request('settings/update', {
      folders: [scene.host.workspace, more].map((path) => ({ path, name: path })),
    });
    await standIn.has('roots changed');
    const now = JSON.parse(String((await told('roots', {}, 'c2'))['text'])) as { roots: unknown[] };
    assert.equal(now.roots.length, 2);
  });

  it('M2 it advertises what it can do and nothing else', async () => {
    await full();
    assert.deepEqual(JSON.parse(String((await told('can'))['text'])), {
      roots: { listChanged: true },
      elicitation: { form: { applyDefaults: true } },
    });
  });

  it('M3 another configuration in the settings takes the place of the old process', async () => {
    await full();
    await told('echo');
    const old = standIn.pids[0] ?? 0;
    const mark = scene.host.mark;
    await scene.host.request('settings/update', {
      settings: { ...scene.settings, mcp: { servers: { fake: standIn.config('', { CHANGED: 'yes' }) } } },
    });
    await reaches('idle', mark);
    assert.ok(!isAlive(old));
    assert.deepEqual(await told('environment', { name: 'CHANGED' }, 'c2'), { text: 'yes' });
    const gone = scene.host.mark;
    await scene.host.request('settings/update', { settings: { ...scene.settings, mcp: { servers: {} } } });
    await scene.host.next('server_changed', gone, (event) => event.data.state === 'removed');
    assert.deepEqual((await scene.host.request('server/list', {})).items, []);
  });

  it('A11 in a workspace that is not trusted nothing starts; when trust is lost what runs is ended', async () => {
    await full();
    await told('echo');
    const mark = scene.host.mark;
    await scene.host.request('settings/update', { trusted: false });
    await reaches('idle', mark);
    assert.ok(!isAlive(standIn.pids[0] ?? 0));
    const refused = await scene.host.refused('server/start', { server: (await server()).id });
    assert.equal(refused.code, 'untrusted_workspace');
    assert.equal(standIn.pids.length, 1);
  });

  it('M3 a command that is not there fails at once, with what to look at', async () => {
    scene.settings = { ...scene.settings, mcp: { servers: { fake: { command: '/nowhere/at-all' } } } };
    await scene.host.request('settings/update', { settings: scene.settings });
    scene.server.script([done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    const now = await server();
    assert.equal(now.state, 'failed');
    assert.match(now.error ?? '', /could not be started: \/nowhere\/at-all: .*ENOENT/);
    assert.equal(now.restarts, 0);
  });

  it('M2 what a configuration cannot mean is told, not guessed', async () => {
    scene.settings = {
      ...scene.settings,
      mcp: {
        servers: {
          half: { args: ['a'] },
          asks: { command: 'x', env: { KEY: '${input:key}' } },
          old: { type: 'sse', url: 'http://127.0.0.1/sse' },
        },
      },
    };
    await scene.host.request('settings/update', { settings: scene.settings });
    const { items } = await scene.host.request('server/list', {});
    assert.deepEqual(
      items.map((one) => [one.name, one.state]),
      [
        ['half', 'failed'],
        ['asks', 'failed'],
        ['old', 'failed'],
      ],
    );
    assert.match(items[0]?.error ?? '', /needs "command"/);
    assert.match(items[1]?.error ?? '', /\$\{input:key\}, which no entry of "inputs"/);
    assert.match(items[2]?.error ?? '', /out of use/);
  });

  describe('with a server that', () => {
    const modes = (value: string) => {
      before(() => (mode = value));
      after(() => (mode = ''));
    };

    describe('crashes at its start', () => {
      modes('crash');
      it('M3 is started five times again, and then no more', async () => {
        scene.server.script([done()]);
        await scene.say('go');
        await scene.host.next('turn_ended');
        await reaches('failed');
        assert.equal(standIn.lines.filter((line) => line === 'crash').length, 6);
        const now = await server();
        assert.equal(now.restarts, 5);
        assert.match(now.error ?? '', /ended by itself with code 4/);
      });
    });

    describe('never answers', () => {
      modes('silent');
      it('M3 is given up after its time, and its process ended', async () => {
        await scene.host.request('settings/update', {
          settings: { ...scene.settings, limits: { serverStartMs: 200, serverBackoffMs: 60_000 } },
        });
        scene.server.script([done()]);
        await scene.say('go');
        await scene.host.next('turn_ended');
        await reaches('backing_off');
        assert.match((await server()).error ?? '', /did not come up within 200 ms/);
        assert.ok(!isAlive(standIn.pids[0] ?? 0));
        assert.ok(
          !standIn.lines.some((line) => line.startsWith('cancelled')),
          'initialize is never cancelled',
        );
      });
    });

    describe('does not go when its input is closed', () => {
      modes('deaf');
      it('M3 X5 is ended by the ladder, and seen gone', async () => {
        await full();
        await told('echo');
        const mark = scene.host.mark;
        await scene.host.request('server/stop', { server: (await server()).id });
        await reaches('stopped', mark);
        assert.ok(standIn.lines.includes('end') && standIn.lines.includes('SIGTERM'));
        assert.ok(!isAlive(standIn.pids[0] ?? 0));
      });
    });

    describe('says much beside its messages', () => {
      modes('loud');
      it('M2 works all the same', async () => {
        await full();
        assert.deepEqual(await told('echo', { text: 'hi' }), { text: 'hi' });
        const { text } = await scene.host.request('server/log', { server: (await server()).id });
        assert.match(text, /Not a message: Welcome/);
      });
    });
  });
});
