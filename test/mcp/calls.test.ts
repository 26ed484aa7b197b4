import assert from 'node:assert/strict';
import { StandIn } from '../support/mcpStandIn';
import { done, scenes, toldOf } from '../support/scene';

describe('mcp: calls of tools', () => {
  let standIn: StandIn;
  const scene = scenes({
    lazily: () => {
      standIn = new StandIn();
      return { mcp: { servers: { fake: standIn.config() } }, limits: { serverBackoffMs: 1 } };
    },
  });
  afterEach(() => standIn.stop());
  const call = (tool: string, args: object = {}, id = 'c1') => ({ tool: `fake__${tool}`, args, id });
  const full = () => scene.host.request('session/update', { session: scene.session, mode: 'full' });
  /** Lets the agent make one call, and gives what it was told of it. */
  const told = async (tool: string, args: object = {}) => {
    await full();
    scene.server.script([{ calls: [call(tool, args)] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    return toldOf(scene.server, 'c1');
  };

  it('M2 a tool is offered as SERVER__TOOL, asks like a command, and runs once allowed (A1)', async () => {
    scene.server.script([{ calls: [call('echo', { text: 'hello' })] }, done()]);
    await scene.say('go');
    const approval = await scene.host.next('approval_requested');
    assert.equal(approval.data.tool, 'fake__echo');
    assert.equal(approval.data.title, 'fake: echo');
    assert.deepEqual(
      approval.data.offers.map((offer) => offer.label),
      [
        ...Array<string>(2).fill('every call of fake__echo, while the server fake is configured as now'),
        ...Array<string>(2).fill(
          'every call of every tool of the server fake, also of later ones, while it is configured as now',
        ),
      ],
    );
    assert.deepEqual(standIn.calls, []);
    await scene.allow(approval.data);
    await scene.host.next('turn_ended');
    assert.deepEqual(toldOf(scene.server, 'c1'), { text: 'hello' });
    assert.deepEqual(standIn.calls, ['echo']);
  });

  it('A2 a denied call never comes to its server', async () => {
    scene.server.script([{ calls: [call('echo')] }, done()]);
    await scene.say('go');
    await scene.deny((await scene.host.next('approval_requested')).data, 'not now');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['error'], 'approval_denied');
    assert.deepEqual(standIn.calls, []);
  });

  it('A12 a call that names the store in any of its arguments never comes to its server, in the mode full either', async () => {
    const file = `${scene.host.storeDir}/belay.db`;
    const naming = [
      { path: file },
      { text: `see ${file}` },
      { deep: [{ paths: ['../store/belay.db'] }] },
      { url: `file://${file}` },
      { [file]: 1 },
    ];
    const free = { text: '../stores/belay.db' };
    await full();
    const calls = [...naming, free].map((args, at) => call('echo', args, `c${String(at)}`));
    scene.server.script([{ calls }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    for (const [at, args] of naming.entries())
      assert.match(
        String(toldOf(scene.server, `c${String(at)}`)['detail']),
        /Belay's own records/,
        JSON.stringify(args),
      );
    assert.deepEqual(toldOf(scene.server, `c${String(naming.length)}`), free);
    assert.deepEqual(standIn.calls, ['echo']);
  });

  it('A3 a rule for a tool covers its calls and no other tool of the server', async () => {
    scene.server.script([{ calls: [call('echo', { text: 'one' })] }, done()]);
    await scene.say('go');
    await scene.allow((await scene.host.next('approval_requested')).data, { scope: 'session' });
    await scene.host.next('turn_ended');
    const mark = scene.host.mark;
    scene.server.script([{ calls: [call('echo', { text: 'two' }, 'c2'), call('data', {}, 'c3')] }, done()]);
    await scene.say('again');
    const asked = await scene.host.next('approval_requested', mark);
    assert.equal(asked.data.tool, 'fake__data');
    await scene.allow(asked.data);
    await scene.host.next('turn_ended', mark);
    assert.deepEqual(standIn.calls, ['echo', 'echo', 'data']);
  });

  it('M2 texts, resources, links and kinds that nobody knows are told as text; data as data', async () => {
    assert.deepEqual(await told('parts'), {
      text: '[file:///a.txt]\ninside\n[file:///b.txt "b"] beside\n[audio/wav, 3 bytes: not shown]\n[hologram: not shown]',
    });
  });

  it('M2 data that a server repeats as text is told once', async () => {
    assert.deepEqual(await told('data'), { structured: { sum: 3, list: [1, 2] } });
  });

  it('T8 a picture is handed to the model and kept with the call', async () => {
    assert.deepEqual(await told('picture'), { text: 'here' });
    const completed = await scene.host.next('tool_completed');
    assert.equal(completed.data.images?.[0]?.mediaType, 'image/png');
    assert.ok(scene.server.requests.at(-1)?.items.some((item) => item.images.length > 0));
  });

  it('M4 T7 a large result is shown as head and tail, kept whole, and paged by `read`', async () => {
    const shown = await told('huge', { bytes: 300_000 });
    const text = String(shown['text']);
    assert.ok(text.startsWith('begin x') && text.endsWith('x end'), text.slice(-40));
    assert.ok(Buffer.byteLength(text) < 70_000);
    assert.deepEqual(Object.keys(shown).sort(), ['omitted_bytes', 'text', 'whole']);
    const reference = (shown['whole'] as { text: string }).text;
    const mark = scene.host.mark;
    scene.server.script([
      { calls: [{ tool: 'read', args: { result: reference, offset: 299_990 }, id: 'r1' }] },
      done(),
    ]);
    await scene.say('read on');
    await scene.host.next('turn_ended', mark);
    const page = toldOf(scene.server, 'r1');
    assert.equal(page['text'], `${'x'.repeat(16)} end`);
    assert.equal(page['total_bytes'], 300_010);
  });

  for (const [tool, detail] of [
    ['fail', /^it did not work$/],
    ['refuse', /no such thing/],
    ['wrong', /not what the protocol says/],
  ] as const)
    it(`R11 a tool that ends badly (${tool}) is a result that the model reads`, async () => {
      const result = await told(tool);
      assert.equal(result['error'], 'tool_failed');
      assert.match(String(result['detail']), detail);
    });

  it('R11 arguments that are no object and tools that are not there are told as such', async () => {
    await full();
    scene.server.script([
      { calls: [{ tool: 'fake__echo', args: '[1', id: 'c1' }, call('nowhere', {}, 'c2')] },
      done(),
    ]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['error'], 'tool_arguments_invalid');
    assert.equal(toldOf(scene.server, 'c2')['error'], 'tool_unknown');
  });

  it('M2 lines that are no messages are survived and noted in the log of the server', async () => {
    assert.deepEqual(await told('garbage'), { text: 'still here' });
    const { text } = await scene.host.request('server/log', { server: idOf('fake') });
    assert.match(text, /Not a message: this is no JSON/);
  });

  it('R10 a server that floods delays its own answer and nothing else', async () => {
    assert.deepEqual(await told('flood', { lines: 20_000 }), { text: 'flooded' });
  });

  it('R10 a message without end costs the server its connection, not the host its memory', async () => {
    const result = await told('endless', { bytes: 64 * 1024 * 1024 });
    assert.equal(result['error'], 'server_unavailable');
    assert.match(String(result['detail']), /more than 33554432 bytes/);
  });

  it('X8 a secret that Belay holds reaches neither the server nor a result', async () => {
    process.env['BELAY_TEST_KEY'] = 'sesame-open-1234';
    scene.settings = {
      ...scene.settings,
      models: {
        ...(scene.settings['models'] as object),
        providers: {
          ...(scene.settings['models'] as { providers: object }).providers,
          other: { kind: 'openai-compatible', baseUrl: scene.server.url, apiKeyEnv: 'BELAY_TEST_KEY' },
        },
      },
    };
    await scene.restart();
    delete process.env['BELAY_TEST_KEY'];
    await full();
    scene.server.script([
      {
        calls: [
          call('environment', { name: 'BELAY_TEST_KEY' }),
          call('echo', { text: 'sesame-open-1234' }, 'c2'),
        ],
      },
      done(),
    ]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['text'], undefined);
    assert.equal(toldOf(scene.server, 'c2')['text'], '[REDACTED]');
  });

  it('M2 progress is shown as it comes and keeps the call alive, up to a ceiling', async () => {
    await limits({ mcpCallMs: 400, mcpCallMostMs: 60_000 });
    await full();
    scene.server.script([{ calls: [call('progress', { steps: 3, until: standIn.file('step') })] }, done()]);
    await scene.say('go');
    await standIn.has('call progress');
    for (const step of [1, 2, 3]) {
      const mark = scene.host.mark;
      standIn.open(`step${step}`);
      const shown = await scene.host.next('tool_progress', mark);
      assert.deepEqual([shown.data.stream, shown.data.text], ['progress', `${step}/3 step ${step}\n`]);
    }
    standIn.open('step.end');
    await scene.host.next('turn_ended');
    assert.deepEqual(toldOf(scene.server, 'c1'), { text: 'all steps done' });
  });

  it('M2 S6 without progress a call ends after its silence: the server is told, its late answer dropped', async () => {
    await limits({ mcpCallMs: 200 });
    await full();
    scene.server.script([{ calls: [call('late', { until: standIn.file('now') })] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    const result = toldOf(scene.server, 'c1');
    assert.equal(result['error'], 'timed_out');
    assert.match(String(result['detail']), /whether it has done what was asked is unknown/);
    await standIn.has('cancelled late');
    standIn.open('now');
    await standIn.has('answered late');
    const mark = scene.host.mark;
    scene.server.script([{ calls: [call('echo', { text: 'after' }, 'c2')] }, done()]);
    await scene.say('again');
    await scene.host.next('turn_ended', mark);
    assert.deepEqual(toldOf(scene.server, 'c2'), { text: 'after' });
    assert.equal(toldOf(scene.server, 'c1')['error'], 'timed_out', 'the late answer has changed nothing');
  });

  it('M2 progress cannot keep a call alive beyond the ceiling', async () => {
    await limits({ mcpCallMs: 10_000, mcpCallMostMs: 300 });
    await full();
    scene.server.script([{ calls: [call('progress', { steps: 1, until: standIn.file('never') })] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['error'], 'timed_out');
  });

  it('S6 an interrupted turn tells the server to stop', async () => {
    await full();
    scene.server.script([{ calls: [call('hang')] }]);
    await scene.say('go');
    const started = await scene.host.next('turn_started');
    await standIn.has('call hang');
    await scene.host.request('turn/interrupt', { session: scene.session, turn: started.data.turn });
    await standIn.has('cancelled hang');
    const completed = await scene.host.next('tool_completed');
    assert.equal((completed.data.result as Record<string, unknown>)['error'], 'cancelled');
  });

  it('L1 L7 a message lifts a running call: it goes on under its handle, and a wait collects its result', async () => {
    await full();
    scene.server.script([
      { calls: [call('slow', { until: standIn.file('now') })] },
      { calls: [{ tool: 'wait', args: { handles: ['proc:1'] }, id: 'w1' }] },
      done(),
    ]);
    await scene.say('go');
    await standIn.has('call slow');
    await scene.say('what is it doing?');
    const lifted = await scene.host.next('call_lifted');
    assert.equal(lifted.data.handle, 'proc:1');
    await scene.host.next('message_read', 0, (event) => event.data.text === 'what is it doing?');
    standIn.open('now');
    await scene.host.next('turn_ended');
    assert.deepEqual(toldOf(scene.server, 'c1'), { handle: 'proc:1', background: true, steered: true });
    assert.deepEqual(toldOf(scene.server, 'w1'), {
      results: { 'proc:1': { text: 'slow is done', ended: 'completed' } },
      pending: [],
    });
    assert.ok(!standIn.lines.includes('cancelled slow'));
  });

  it('S5 at most four calls are under way toward one server; the others wait for their place in order', async () => {
    await full();
    const ids = ['a', 'b', 'c', 'd', 'e'];
    // Each is lifted in its turn, so that all of them are under way together.
    scene.server.script([
      { calls: ids.map((id) => call('slow', { until: standIn.file('now') }, id)) },
      { calls: [{ tool: 'wait', args: { handles: ids.map((_, n) => `proc:${n + 1}`) }, id: 'w1' }] },
      done(),
    ]);
    await scene.say('go');
    await standIn.has('call slow');
    await scene.say('and?');
    await standIn.has('call slow', 4);
    await scene.host.next('call_lifted', 0, (event) => event.data.handle === 'proc:5');
    assert.equal(standIn.calls.length, 4, 'the fifth waits');
    standIn.open('now');
    await scene.host.next('turn_ended');
    assert.equal(standIn.calls.length, 5);
    assert.equal(Object.keys(toldOf(scene.server, 'w1')['results'] as object).length, 5);
  });

  const idOf = (name: string) => {
    const server = scene.host.snapshot?.servers.find((one) => one.name === name);
    assert.ok(server, `no server ${name}`);
    return server.id;
  };
  const limits = (changed: Record<string, number>) =>
    scene.host.request('settings/update', {
      settings: { ...scene.settings, limits: { ...(scene.settings['limits'] as object), ...changed } },
    });
});
