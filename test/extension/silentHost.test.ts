/** A host of the product whose thread really computes: with its store, its watchdog and the processes that it has started. */
import { editor } from './vscodeStub';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../extension/clock';
import { HostClient } from '../../extension/hostClient';
import { startHostWorker } from '../../extension/hostWorker';
import { followSilenceIn } from '../../extension/notices/silentHost';
import type { EventType } from '../../protocol';
import { PULL_MARKER } from '../../protocol/limits';
import { Fifo } from '../processes/support';
import { localModel } from '../support/hostClient';
import { startModelServer, type ModelServer } from '../support/modelServer';
import { shell } from '../support/scene';

const BUILT = join(__dirname, '../../dist');

/** The built host; its thread computes without end once it hears `test/hang`, and for three seconds with `test/busy`. */
const COMPUTES = `
  require('node:worker_threads').parentPort.on('message', ({ method }) => {
    const end = method === 'test/busy' ? Date.now() + 3_000 : method === 'test/hang' ? Infinity : 0;
    while (Date.now() < end);
  });
  require(${JSON.stringify(join(BUILT, 'host.js'))});
`;

describe('a host that computes and does not answer', () => {
  let base: string;
  let models: ModelServer;
  let client: HostClient;
  let silence: { dispose(): unknown };

  beforeEach(async () => {
    base = mkdtempSync(join(tmpdir(), 'belay-hangs-'));
    const dist = join(base, 'dist');
    mkdirSync(dist);
    mkdirSync(join(base, 'work'));
    for (const name of readdirSync(BUILT))
      if (name !== 'host.js') symlinkSync(join(BUILT, name), join(dist, name));
    writeFileSync(join(dist, 'host.js'), COMPUTES);
    models = await startModelServer();
    client = new HostClient({
      clock: systemClock,
      start: () => startHostWorker({ dist, version: '0', compiled: join(base, 'code') }, () => undefined),
      initialize: () =>
        Promise.resolve({
          client: { name: 'test', version: '0' },
          storeDir: join(base, 'store'),
          folders: [{ path: join(base, 'work'), name: 'work' }],
          settings: localModel(models.url),
          trusted: true,
        }),
      log: () => undefined,
      requests: {
        secret: () => Promise.resolve({}),
        keepSecret: () => Promise.resolve({}),
        model: () => Promise.resolve({ stop: 'end' }),
        clientTool: () => Promise.resolve({ text: '' }),
      },
    });
    const log = { error: () => undefined, warn: () => undefined, show: () => undefined } as never;
    silence = followSilenceIn({ host: client, log }, join(base, 'store'));
    editor.messages.length = 0;
    editor.answers.length = 0;
  });

  afterEach(async () => {
    silence.dispose();
    await client.close();
    await models.stop();
    rmSync(base, { recursive: true, force: true });
  });

  const next = (type: EventType): Promise<void> =>
    new Promise((resolve) => {
      const listening = client.onEvent((event) => {
        if (event.type !== type) return;
        listening.dispose();
        resolve();
      });
    });
  const isMarked = () => existsSync(join(base, 'store', PULL_MARKER));

  /** A session whose agent calls this, up to the event. */
  async function works(mode: 'ask' | 'full', command: string, until: EventType): Promise<void> {
    const { session } = await client.request('session/create', {
      folder: join(base, 'work'),
      agent: { kind: 'model', model: 'local/m1' },
      mode,
    });
    models.script([{ calls: [shell(command)] }]);
    const came = next(until);
    await client.request('message/send', { session: session.id, text: 'go' });
    await came;
  }

  it('P1 P6 X6 does not swallow Pause: it is ended with its children, and what comes starts paused', async () => {
    const fifo = new Fifo(base);
    await client.request('events/subscribe', {});
    await works('full', `exec 9>${fifo.path}; echo up; exec sleep 1000`, 'tool_progress');
    await works('ask', 'echo later', 'approval_requested');
    client.relay('test/hang', {}).catch(() => undefined);
    editor.answers.push('End the host');
    const ready = new Promise<void>((resolve) => {
      client.onStatus(({ kind }) => {
        if (kind === 'ready') resolve();
      });
    });
    await assert.rejects(client.request('host/pause', { by: 'test' }), { code: 'host_failed' });
    assert.match(editor.messages[0]?.text ?? '', /does not answer, so nothing is paused yet/);
    await fifo.ended;
    await ready;
    const { host } = await client.request('host/status', {});
    assert.deepEqual([host.paused, host.pausedBy], [true, 'you']);
    assert.equal(isMarked(), false);
    assert.equal((await client.request('approval/list', {})).items.length, 1, 'what waits is kept');
    assert.equal(client.watchdog.isSilent, false);
  });

  it('P6 that pauses after all is kept, and leaves no pause for its next start', async () => {
    await client.start();
    const silent = new Promise<string>((resolve) => client.watchdog.onSilent(resolve));
    client.relay('test/busy', {}).catch(() => undefined);
    const pull = client.request('host/pause', { by: 'test' });
    assert.equal(await silent, 'host/pause');
    assert.equal((await pull).paused, true);
    assert.equal(client.watchdog.isSilent, false);
    await client.request('host/resume', { by: 'test' });
    await client.restart();
    assert.equal((await client.request('host/status', {})).host.paused, false);
  });
});
