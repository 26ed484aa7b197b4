import assert from 'node:assert/strict';
import { isAlive, StandIn } from '../support/mcpStandIn';
import { done, scenes, toldOf } from '../support/scene';

/** The same over both transports: what a server has seen is read from its own log. */
for (const transport of ['stdio', 'http'] as const)
  describe(`mcp: the cord, over ${transport}`, () => {
    let standIn: StandIn;
    let address = '';
    beforeEach(async () => {
      standIn = new StandIn();
      address = transport === 'http' ? await standIn.serve() : '';
    });
    const scene = scenes({
      lazily: () => ({
        mcp: { servers: { fake: transport === 'http' ? { type: 'http', url: address } : standIn.config() } },
        limits: { serverBackoffMs: 1 },
      }),
    });
    afterEach(() => standIn.stop());
    const call = (tool: string, args: object = {}, id = 'c1') => ({ tool: `fake__${tool}`, args, id });
    const full = () => scene.host.request('session/update', { session: scene.session, mode: 'full' });
    const pull = () => scene.host.request('host/pause', { by: 'test' });
    const release = () => scene.host.request('host/resume', { by: 'test' });

    it('P1 P4 S6 a call under way is told to stop, its result says so, and its late answer is dropped', async () => {
      await full();
      scene.server.script([
        { calls: [call('late', { until: standIn.file('now') }), call('echo', {}, 'c2')] },
        done(),
      ]);
      await scene.say('go');
      await standIn.has('call late');
      const reply = await pull();
      assert.deepEqual(
        reply.ended.map((one) => one.title),
        ['fake: late'],
      );
      await standIn.has('cancelled late');
      const seen = standIn.lines.length;
      standIn.open('now');
      await standIn.has('answered late');
      await scene.host.next('host_quiet');
      assert.deepEqual(standIn.lines.slice(seen), ['answered late'], 'nothing was sent to it any more');
      const mark = scene.host.mark;
      await release();
      await scene.host.next('turn_ended', mark);
      const result = toldOf(scene.server, 'c1');
      assert.equal(result['error'], 'host_paused');
      assert.match(String(result['detail']), /whether it has done what was asked is unknown/);
      assert.deepEqual(
        standIn.calls,
        ['late', 'echo'],
        'what had not started starts after release; nothing runs twice',
      );
    });

    it('M2 P1 a changed list that a pull ends between two pages is asked for again after release', async () => {
      await full();
      const args = { name: 'extra', page: standIn.file('page') };
      scene.server.script([{ calls: [call('change', args)] }, done()]);
      await scene.say('go');
      await scene.host.next('turn_ended');
      await standIn.has('tools/list', 2);
      await pull();
      standIn.open('page');
      await standIn.has('first page');
      await release();
      await scene.host.next(
        'server_changed',
        0,
        (event) => event.data.content?.tools.some((tool) => tool.title === 'extra') === true,
      );
    });

    it('P5 P7 an allow given while paused sends nothing before release', async () => {
      scene.server.script([{ calls: [call('echo', { text: 'x' })] }, done()]);
      await scene.say('go');
      const approval = await scene.host.next('approval_requested');
      await pull();
      await scene.allow(approval.data);
      assert.deepEqual(standIn.calls, []);
      await release();
      await scene.host.next('turn_ended');
      assert.deepEqual(standIn.calls, ['echo']);
    });

    it('P1 P3 a server that is being started when the cord is pulled gets nothing more, and starts anew after release', async () => {
      await full();
      await standIn.stop();
      standIn = new StandIn();
      const mode = { MCP_MODE: 'silent' };
      const silent =
        transport === 'http'
          ? { type: 'http', url: await standIn.serve({ env: mode }) }
          : standIn.config('silent');
      await scene.host.request('settings/update', {
        settings: { ...scene.settings, mcp: { servers: { fake: silent } } },
      });
      scene.server.script([done()]);
      await scene.say('go');
      await standIn.has('initialize');
      const mark = scene.host.mark;
      const { ended } = await pull();
      assert.deepEqual(
        ended.filter(({ kind }) => kind === 'server').map(({ title }) => title),
        ['fake'],
      );
      await scene.host.next('server_changed', mark, (event) => event.data.state === 'idle');
      assert.deepEqual(
        standIn.lines.filter((line) => !/^(start|end)/.test(line)),
        ['initialize'],
      );
      if (transport === 'stdio') assert.ok(!isAlive(standIn.pids[0] ?? 0));
      assert.equal(scene.server.requests.length, 0, 'the model was not asked either');
      await scene.host.request('settings/update', { settings: { ...scene.settings, mcp: { servers: {} } } });
      await release();
      await scene.host.next('turn_ended', mark);
    });

    if (transport === 'stdio')
      it('P1 all is quiet only once a server that was being started has been seen gone', async () => {
        await scene.host.request('settings/update', {
          settings: { ...scene.settings, mcp: { servers: { fake: standIn.config('silent') } } },
        });
        const { items } = await scene.host.request('server/list', {});
        await scene.host.request('server/start', { server: items[0]?.id ?? '' });
        await standIn.has('initialize');
        const pid = standIn.pids[0] ?? 0;
        // It takes no notice of the end of its input: it has to be killed.
        process.kill(pid, 'SIGSTOP');
        const reply = await pull();
        assert.deepEqual(
          reply.stopping.map(({ kind, title }) => [kind, title]),
          [['server', 'fake']],
        );
        assert.equal((await scene.host.request('host/status', {})).host.quiet, false);
        await scene.host.next('host_quiet');
        assert.ok(!isAlive(pid));
        assert.equal((await scene.host.request('host/status', {})).host.quiet, true);
      });

    it('P1 a person cannot start or restart a server while everything is paused', async () => {
      await pull();
      const { items } = await scene.host.request('server/list', {});
      for (const method of ['server/start', 'server/restart'] as const) {
        const refused = await scene.host.refused(method, { server: items[0]?.id ?? '' });
        assert.equal(refused.code, 'host_paused');
      }
      assert.deepEqual(
        standIn.lines.filter((line) => !line.startsWith('start')),
        [],
      );
    });

    it('P6 a host that starts while the cord is pulled stays paused and connects to nothing', async () => {
      scene.server.script([{ calls: [call('echo')] }, done()]);
      await scene.say('go');
      const approval = await scene.host.next('approval_requested');
      await pull();
      await scene.allow(approval.data);
      const before = standIn.lines.length;
      await scene.restart();
      assert.equal(scene.host.snapshot?.host.paused, true);
      assert.deepEqual(
        standIn.lines.slice(before).filter((line) => line !== 'end'),
        [],
      );
      await release();
      await scene.host.next('turn_ended');
      assert.deepEqual(standIn.calls, ['echo']);
    });

    it('P1 a server that asks and tells while everything is paused is answered after release', async () => {
      await full();
      scene.server.script([
        { calls: [call('roots')] },
        { calls: [call('change', { name: 'later' }, 'c2')] },
        done(),
      ]);
      await scene.say('go');
      await scene.host.next('turn_ended');
      // The first list, and the one that the change was told for: it may come a moment behind the turn.
      await standIn.has('tools/list', 2);
      await pull();
      const seen = standIn.lines.length;
      await scene.host.request('settings/update', { folders: [] });
      assert.deepEqual(standIn.lines.slice(seen), []);
      await release();
      await standIn.has('roots changed');
    });
  });
