import './vscodeStub';
import assert from 'node:assert/strict';
import { HostClient, type HostStatus } from '../../extension/hostClient';
import { HostError } from '../../extension/hostError';
import { FakeClock } from './fakeClock';
import { FakeHost, NEVER, Refusal } from './fakeHost';

describe('the client of the host', () => {
  let clock: FakeClock;
  let hosts: FakeHost[];
  let client: HostClient;
  let statuses: HostStatus[];
  let prepare: (host: FakeHost) => void;

  beforeEach(() => {
    clock = new FakeClock();
    hosts = [];
    statuses = [];
    prepare = () => undefined;
    client = new HostClient({
      clock,
      start: () => {
        const host = new FakeHost();
        prepare(host);
        hosts.push(host);
        return Promise.resolve(host.port);
      },
      initialize: () =>
        Promise.resolve({
          client: { name: 'test', version: '0' },
          storeDir: '/s',
          folders: [],
          settings: {},
          trusted: true,
        }),
      log: () => undefined,
      requests: {
        secret: ({ name }) => Promise.resolve({ value: `secret of ${name}` }),
        keepSecret: () => Promise.resolve({}),
        model: (_request, tell) => {
          tell({ request: 'r', part: { kind: 'text', text: 'hello' } });
          return Promise.resolve({ stop: 'end' });
        },
        clientTool: ({ tool }) => Promise.resolve({ text: `served ${tool}` }),
      },
    });
    client.onStatus((status) => statuses.push(status));
  });

  afterEach(async () => {
    await client.close();
    for (const host of hosts) host.crash('end of test');
  });

  const kinds = (): string[] => statuses.map((status) => status.kind);
  const until = (kind: HostStatus['kind']): Promise<void> =>
    new Promise((resolve) => {
      if (client.status.kind === kind) return resolve();
      const listening = client.onStatus((status) => {
        if (status.kind !== kind) return;
        listening.dispose();
        resolve();
      });
    });
  const methods = (host: FakeHost | undefined): (string | undefined)[] =>
    host?.heard.map((one) => one.method) ?? [];

  it('starts nothing until somebody asks, and initializes before anything else', async () => {
    assert.equal(hosts.length, 0);
    prepare = (host) => host.answer('model/list', () => ({ items: [] }));
    await Promise.all([client.request('model/list', {}), client.request('model/list', {})]);
    assert.equal(hosts.length, 1);
    assert.deepEqual(methods(hosts[0]), ['initialize', 'model/list', 'model/list']);
    assert.deepEqual(kinds(), ['starting', 'ready']);
  });

  it("gives a refusal the host's code, words and data", async () => {
    prepare = (host) =>
      host.answer(
        'approval/answer',
        () => new Refusal('approval_answered', 'Already allowed by test.', { by: 'test' }),
      );
    await assert.rejects(client.relay('approval/answer', {}), (error: unknown) => {
      assert.ok(error instanceof HostError);
      assert.equal(error.code, 'approval_answered');
      assert.equal(error.message, 'Already allowed by test.');
      assert.deepEqual(error.data, { code: 'approval_answered', by: 'test' });
      return true;
    });
  });

  it('rejects what a crashed host has not answered, and starts another after a pause', async () => {
    prepare = (host) => host.answer('model/list', () => NEVER);
    const asked = client.request('model/list', {});
    await client.start();
    await hosts[0]?.next((frame) => frame.method === 'model/list');
    hosts[0]?.crash('out of memory');
    await assert.rejects(asked, { code: 'host_failed' });
    assert.deepEqual(client.status, { kind: 'restarting', why: 'out of memory' });
    assert.equal(hosts.length, 1);
    clock.turn(200);
    await until('ready');
    assert.equal(hosts.length, 2);
  });

  it('gives up after three restarts in five minutes and says so; a restart by the person begins anew', async () => {
    await client.start();
    for (const pause of [200, 1_000, 4_000]) {
      hosts.at(-1)?.crash('again');
      await until('restarting');
      clock.turn(pause);
      await until('ready');
    }
    hosts.at(-1)?.crash('again');
    await until('failed');
    await assert.rejects(client.request('model/list', {}), { code: 'host_failed' });
    assert.equal(hosts.length, 4);
    await client.restart();
    assert.equal(client.status.kind, 'ready');
  });

  it('does not try again when the host says why it will not run', async () => {
    prepare = (host) =>
      host.answer('initialize', () => new Refusal('store_newer', 'A newer Belay has used this store.'));
    await assert.rejects(client.start(), /newer Belay/);
    assert.deepEqual(client.status, {
      kind: 'failed',
      why: 'A newer Belay has used this store.',
      code: 'store_newer',
    });
    assert.equal(hosts.length, 1);
    assert.equal(hosts[0]?.terminated, true);
  });

  it('asks the host to shut down and ends it by force when it does not', async () => {
    prepare = (host) => host.answer('shutdown', () => NEVER);
    await client.start();
    const stopped = client.stop();
    await hosts[0]?.next((frame) => frame.method === 'shutdown');
    clock.turn(3_500);
    await stopped;
    assert.equal(hosts[0]?.terminated, true);
    assert.equal(client.status.kind, 'stopped');
    await assert.rejects(client.request('model/list', {}), { code: 'host_stopping' });
  });

  it('a restart ends a start that hangs, and one that waits for its next attempt', async () => {
    prepare = (host) => host.answer('initialize', () => NEVER);
    const hung = client.start();
    await tick(() => hosts[0]?.heard.length === 1);
    prepare = () => undefined;
    await Promise.all([assert.rejects(hung, { code: 'host_stopping' }), client.restart()]);
    assert.equal(hosts[0]?.terminated, true);
    assert.equal(client.status.kind, 'ready');
    hosts.at(-1)?.crash('again');
    await until('restarting');
    await client.restart();
    assert.equal(client.status.kind, 'ready');
    assert.equal(clock.pending, 0);
    assert.equal(hosts.length, 3);
  });

  it('a request in the middle of a restart waits for the host that comes', async () => {
    prepare = (host) => host.answer('model/list', () => ({ items: [] }));
    await client.start();
    const restarted = client.restart();
    await client.request('model/list', {});
    await restarted;
    assert.deepEqual(methods(hosts[0]), ['initialize', 'shutdown']);
    assert.deepEqual(methods(hosts[1]), ['initialize', 'model/list']);
  });

  it('serves the host: secrets, and the models of the editor in pieces before the end', async () => {
    await client.start();
    const secret = await hosts[0]?.ask('secret/get', { name: 'model/local' });
    assert.deepEqual(secret?.result, { value: 'secret of model/local' });
    const done = await hosts[0]?.ask('model/request', { request: 'r' });
    assert.deepEqual(done?.result, { stop: 'end' });
    const part = hosts[0]?.heard.find((frame) => frame.method === 'model/part');
    assert.deepEqual(part?.params, { request: 'r', part: { kind: 'text', text: 'hello' } });
    const order = hosts[0]?.heard.map((frame) => frame.method ?? 'reply');
    assert.deepEqual(order, ['initialize', 'reply', 'model/part', 'reply']);
  });

  it('a crash while it starts counts like any other', async () => {
    prepare = (host) => host.answer('initialize', () => NEVER);
    const started = client.start();
    for (const pause of [200, 1_000, 4_000]) {
      await tick(() => hosts.at(-1)?.heard.length === 1);
      hosts.at(-1)?.crash('no room');
      await until('restarting');
      clock.turn(pause);
      await until('starting');
    }
    await tick(() => hosts.length === 4 && hosts[3]?.heard.length === 1);
    hosts.at(-1)?.crash('no room');
    await assert.rejects(started, /no room/);
    assert.equal(client.status.kind, 'failed');
  });
});

/** Lets the event loop turn until `done`. */
async function tick(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setImmediate(resolve));
}
