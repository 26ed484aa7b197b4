import assert from 'node:assert/strict';
import { StandIn } from '../support/mcpStandIn';
import { done, scenes, toldOf } from '../support/scene';

describe('mcp: Streamable HTTP', () => {
  let standIn: StandIn;
  let address = '';
  let json = false;
  let env: Record<string, string> = {};
  beforeEach(async () => {
    standIn = new StandIn();
    address = await standIn.serve({ json, env: { ...env, MCP_SESSION_LOST: standIn.file('lost') } });
  });
  const scene = scenes({
    lazily: () => ({
      mcp: {
        servers: {
          fake: { type: 'http', url: address, headers: { authorization: 'Bearer ${env:BELAY_TEST_TOKEN}' } },
        },
      },
      limits: { serverBackoffMs: 1 },
    }),
  });
  before(() => (process.env['BELAY_TEST_TOKEN'] = 'abc'));
  after(() => delete process.env['BELAY_TEST_TOKEN']);
  afterEach(() => standIn.stop());
  const call = (tool: string, args: object = {}, id = 'c1') => ({ tool: `fake__${tool}`, args, id });
  const told = async (tool: string, args: object = {}, id = 'c1') => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    const mark = scene.host.mark;
    scene.server.script([{ calls: [call(tool, args, id)] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended', mark);
    return toldOf(scene.server, id);
  };
  const server = async () => (await scene.host.request('server/list', {})).items[0];

  for (const plain of [false, true])
    describe(plain ? 'with answers as plain JSON' : 'with answers as streams', () => {
      before(() => (json = plain));
      after(() => (json = false));
      it('M2 a tool is listed, called and answered', async () => {
        assert.deepEqual(await told('echo', { text: 'over http' }), { text: 'over http' });
        const now = await server();
        assert.deepEqual(
          [now?.state, now?.transport, now?.target, now?.pid],
          ['ready', 'http', address, undefined],
        );
      });
    });

  it('M2 progress, list changes and questions come over the streams', async () => {
    assert.deepEqual(await told('progress', { steps: 2 }), { text: 'all steps done' });
    assert.ok(scene.host.events.some((event) => event.type === 'tool_progress'));
    await standIn.has('listen');
    await told('change', { name: 'extra' }, 'c2');
    await scene.host.next(
      'server_changed',
      0,
      (event) => event.data.content?.tools.some((tool) => tool.title === 'extra') === true,
    );
  });

  it('M3 a session that the server has lost is told, and made anew; the call is not run again by itself', async () => {
    await told('echo');
    standIn.open('lost');
    const mark = scene.host.mark;
    const result = await told('echo', {}, 'c2');
    assert.equal(result['error'], 'server_unavailable');
    await scene.host.next('server_changed', mark, (event) => event.data.state === 'backing_off');
    assert.deepEqual(standIn.calls, ['echo']);
  });

  it('M3 a server that is not reached is told as unavailable', async () => {
    await told('echo');
    await standIn.stopHttp();
    const result = await told('echo', {}, 'c2');
    assert.equal(result['error'], 'server_unavailable');
  });

  it('M3 a server that dies while it works on a call ends that call at once, not after its time', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([{ calls: [call('hang')] }, done()]);
    await scene.say('go');
    await standIn.has('call hang');
    await standIn.stopHttp();
    await scene.host.next('turn_ended');
    const result = toldOf(scene.server, 'c1');
    assert.equal(result['error'], 'server_unavailable');
    assert.match(String(result['detail']), /what it had done is unknown/);
  });

  it('R10 an answer that is too long costs the server its connection, not the host its memory', async () => {
    const result = await told('huge', { bytes: 34 * 1024 * 1024 });
    assert.equal(result['error'], 'server_unavailable');
    assert.match(String(result['detail']), /more than 33554432 bytes/);
  });

  describe('with a refusal that has no end', () => {
    before(() => (env = { MCP_REFUSAL: String(64 * 1024 * 1024) }));
    after(() => (env = {}));
    it('R10 is not read to its end either', async () => {
      const result = await told('echo');
      assert.equal(result['error'], 'server_unavailable');
      assert.ok(String(result['detail']).length < 1000);
    });
  });

  describe('with a server that never answers the end of a session', () => {
    before(() => (env = { MCP_ENDLESS_END: 'yes' }));
    after(() => (env = {}));
    it('M3 R5 it is stopped all the same', async () => {
      await told('echo');
      const mark = scene.host.mark;
      await scene.host.request('server/stop', { server: (await server())?.id ?? '' });
      await scene.host.next('server_changed', mark, (event) => event.data.state === 'stopped');
      assert.ok(standIn.lines.includes('end'));
    });
  });

  describe('with a server that does not come up', () => {
    before(() => (env = { MCP_MODE: 'silent', MCP_DROPS: 'yes' }));
    after(() => (env = {}));
    it('P3 a stop gives up the request that is on its way', async () => {
      await scene.host.request('server/start', { server: (await server())?.id ?? '' });
      await standIn.has('initialize');
      await scene.host.request('server/stop', { server: (await server())?.id ?? '' });
      await standIn.has('dropped initialize');
    });
  });

  it('M3 a session is ended on the server when a person stops it', async () => {
    await told('echo');
    const mark = scene.host.mark;
    await scene.host.request('server/stop', { server: (await server())?.id ?? '' });
    await scene.host.next('server_changed', mark, (event) => event.data.state === 'stopped');
    assert.ok(standIn.lines.includes('end'));
  });

  describe('with a token', () => {
    before(() => (env = { MCP_TOKEN: 'abc' }));
    after(() => (env = {}));
    it('M2 headers are sent with what ${env:NAME} stands for', async () => {
      assert.deepEqual(await told('echo', { text: 'in' }), { text: 'in' });
    });
    it('R11 a server that wants another one says so, and is not asked again and again', async () => {
      process.env['BELAY_TEST_TOKEN'] = 'wrong';
      try {
        await scene.restart();
        scene.server.script([done()]);
        await scene.say('go');
        await scene.host.next('turn_ended');
        const now = await server();
        assert.equal(now?.state, 'failed');
        assert.equal(now?.account, undefined, 'a header of the configuration is no sign-in');
        assert.match(now?.error ?? '', /refuses the "authorization" of its configuration/);
      } finally {
        process.env['BELAY_TEST_TOKEN'] = 'abc';
      }
    });
  });
});
