/** Who is let in by the windows' socket, and what of a window holds in the host that it joins (D4, A11, A12). */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMessageConnection } from 'vscode-jsonrpc/node';
import { asGuest, asHost } from '../../host/adapters/windows/handshake';
import { sealed, type Channel } from '../../host/adapters/windows/sealed';
import { systemClock } from '../../host/base/clock';
import { HostClient, localModel, WINDOW_SECRET, type HostOptions } from '../support/hostClient';
import { done, scenes, shell, toldOf } from '../support/scene';

/** Speaks to every socket of windows that it finds, and shows all that it is told. */
const CHILD = `
const { createConnection } = require('node:net');
const { readdirSync } = require('node:fs');
const dir = process.env.XDG_RUNTIME_DIR + '/belay';
for (const file of readdirSync(dir)) {
  const socket = createConnection(dir + '/' + file);
  const say = (id, method, params) => {
    const text = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    socket.write('Content-Length: ' + Buffer.byteLength(text) + '\\r\\n\\r\\n' + text);
  };
  socket.on('error', () => {});
  socket.on('data', (told) => process.stdout.write(told.toString('latin1')));
  socket.on('close', () => process.stdout.write('\\nclosed'));
  say(1, 'initialize', { protocolVersion: 1, client: { name: 'child', version: '0' }, storeDir: '/x', folders: [], settings: {}, trusted: true });
  say(2, 'session/update', { session: process.argv[2], mode: 'full' });
  say(3, 'window/pause', { by: 'child' });
}
`;

/** Where hosts of one test meet. */
function together(): { dir: string; readonly host: HostOptions } {
  const place = {
    dir: '',
    host: {
      get runtimeDir() {
        place.dir = mkdtempSync(join(tmpdir(), 'belay-run-'));
        return place.dir;
      },
    },
  };
  return place;
}

const socketsOf = (dir: string): readonly string[] =>
  readdirSync(join(dir, 'belay')).map((file) => join(dir, 'belay', file));

async function guestOf(path: string): Promise<Channel> {
  const socket = createConnection(path);
  const keys = await asGuest(socket, WINDOW_SECRET, systemClock);
  assert.notEqual(keys, 'stranger');
  return sealed(socket, keys as Exclude<typeof keys, 'stranger'>, 'guest');
}

describe('the door between windows', () => {
  const place = together();
  const scene = scenes({ host: place.host });
  const others: HostClient[] = [];

  /** Another window of the same workspace. */
  const beside = (options: HostOptions = {}): HostClient => {
    const other = HostClient.spawn({
      settings: localModel(scene.server.url),
      storeDir: scene.host.storeDir,
      workspace: scene.host.workspace,
      runtimeDir: place.dir,
      ...options,
    });
    others.push(other);
    return other;
  };

  /** A window that has joined, and does not read any more. */
  const slowGuest = async () => {
    const [path] = socketsOf(place.dir);
    const { socket, reader, writer } = await guestOf(path ?? '');
    const connection = createMessageConnection(reader, writer);
    connection.listen();
    await connection.sendRequest('initialize', {
      protocolVersion: 1,
      client: { name: 'slow', version: '0' },
      storeDir: '/x',
      folders: [],
      settings: {},
      trusted: true,
    });
    await connection.sendRequest('events/subscribe', {});
    socket.pause();
    return { socket, connection };
  };

  afterEach(async () => {
    for (const other of others.splice(0)) await other.stop();
    rmSync(place.dir, { recursive: true, force: true });
  });

  it('A12 a child of an allowed command that speaks to the socket is refused, and told nothing', async () => {
    writeFileSync(join(scene.host.workspace, 'child.cjs'), CHILD);
    scene.server.script([{ calls: [shell(`node child.cjs ${scene.session}; env`, {}, 'c1')] }, done()]);
    await scene.say('go');
    await scene.allow(await scene.asked());
    await scene.host.next('turn_ended');
    const told = JSON.stringify(toldOf(scene.server, 'c1'));
    assert.match(told, /closed/);
    assert.doesNotMatch(told, /jsonrpc/);
    assert.ok(!told.includes(WINDOW_SECRET), 'the secret is in no environment of a child');
    const { session } = await scene.host.request('session/get', { session: scene.session });
    assert.equal(session.mode, 'ask');
    assert.equal((await scene.host.request('host/status', {})).host.paused, false);
    assert.ok(scene.host.logs.some((line) => line.includes('turned away')));
    assert.ok(!scene.host.logs.some((line) => line.includes(WINDOW_SECRET)));
  });

  for (const [what, windowKey] of [
    ['another secret', 'f'.repeat(64)],
    ['no secret', 'none'],
  ] as const)
    it(`D4 A12 a window with ${what} does not join: it reads and says so, and its pause names whom it did not reach`, async () => {
      const stranger = beside({ windowKey });
      const { readOnly, warnings } = await stranger.initialize();
      assert.deepEqual([readOnly, warnings.length], [true, 1]);
      assert.match(warnings[0] ?? '', /only reads/);
      const { paused, windows } = await stranger.request('host/pause', { by: 'stranger' });
      assert.equal(paused, false);
      assert.deepEqual(
        windows.map(({ answered }) => answered),
        [false],
      );
      assert.equal((await scene.host.request('host/status', {})).host.paused, false);
    });

  it('D4 P1 a window that only reads pauses the owner of its store as well', async () => {
    for (const path of socketsOf(place.dir)) rmSync(path);
    const reader = beside();
    assert.equal((await reader.initialize()).readOnly, true);
    // The owner looks for others, and sees that its own socket has gone.
    await scene.host.request('host/status', {});
    const { windows } = await reader.request('host/pause', { by: 'reader' });
    assert.deepEqual(
      windows.map(({ answered, paused }) => [answered, paused]),
      [[true, true]],
    );
    assert.equal((await scene.host.request('host/status', {})).host.paused, true);
  });

  it('P1 a socket folder that has been cleaned away is made again: pause, status and resume are answered', async () => {
    const far = await HostClient.start({ runtimeDir: place.dir });
    others.push(far);
    rmSync(join(place.dir, 'belay'), { recursive: true });
    assert.equal((await scene.host.request('host/pause', {})).paused, true);
    assert.equal((await scene.host.request('host/status', {})).host.paused, true);
    assert.equal((await scene.host.request('host/resume', {})).paused, false);
    await far.request('host/status', {});
    const { windows } = await scene.host.request('host/pause', { by: 'test' });
    assert.deepEqual(
      windows.map(({ answered, paused }) => [answered, paused]),
      [[true, true]],
      'both are back',
    );
  });

  it('R11 P1 a window that answers a pause with an error is told as not reached', async () => {
    const broken = createServer((socket: Socket) => {
      void asHost(socket, () => Promise.resolve(WINDOW_SECRET), systemClock).then((keys) => {
        assert.ok(keys !== undefined);
        const { reader, writer } = sealed(socket, keys, 'host');
        const connection = createMessageConnection(reader, writer);
        connection.onRequest(() => Promise.reject(new Error('no')));
        connection.listen();
      });
    });
    await new Promise<void>((resolve) => broken.listen(join(place.dir, 'belay', 'broken.sock'), resolve));
    try {
      const { windows } = await scene.host.request('host/pause', { by: 'test' });
      assert.deepEqual(
        windows.map(({ name, answered, paused }) => [name, answered, paused]),
        [['broken', false, false]],
      );
    } finally {
      broken.close();
    }
  });

  it('D4 P6 a window that starts while another one pauses comes up paused', async () => {
    let seen = (): void => {};
    const asked = new Promise<void>((resolve) => (seen = resolve));
    const silent = createServer((socket) => {
      socket.resume();
      seen();
    });
    await new Promise<void>((resolve) => silent.listen(join(place.dir, 'belay', 'silent.sock'), resolve));
    try {
      const starting = HostClient.start({ runtimeDir: place.dir });
      await asked;
      await scene.host.request('host/pause', { by: 'test' });
      const late = await starting;
      others.push(late);
      assert.equal(late.snapshot?.host.paused, true);
    } finally {
      silent.close();
    }
  });

  it('D4 of three windows, one that has joined the new owner hears on, and has missed nothing', async () => {
    const two = [beside(), beside()];
    for (const one of two) assert.equal((await one.initialize()).readOnly, false);
    const marks = two.map((one) => one.mark);
    await scene.host.kill();
    await Promise.all(
      two.map((one, at) => one.next('store_changed', marks[at], (event) => !event.data.readOnly)),
    );
    const [first, second] = two;
    assert.ok(first !== undefined && second !== undefined);
    for (const [from, to] of [
      [first, second],
      [second, first],
    ] as const) {
      const { session } = await from.request('session/create', {
        folder: scene.host.workspace,
        agent: { kind: 'model', model: 'local/m1' },
      });
      await to.next('session_created', 0, (event) => event.session === session.id);
    }
    const { snapshot } = await first.request('events/subscribe', {});
    assert.deepEqual(first.snapshot, snapshot);
    assert.deepEqual(second.snapshot, snapshot);
  });

  it('A11 D4 while an untrusted window has joined nothing runs, and its leaving gives trust back', async () => {
    const other = beside({ trusted: false });
    await other.initialize();
    assert.equal((await scene.host.request('host/status', {})).host.trusted, false);
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([{ calls: [shell('touch ran')] }, done()]);
    const say = { session: scene.session, text: 'go' };
    for (const one of [other, scene.host])
      assert.equal((await one.refused('message/send', say)).code, 'untrusted_workspace');
    assert.ok(!existsSync(join(scene.host.workspace, 'ran')));
    await other.request('settings/update', { trusted: true });
    await other.request('message/send', say);
    await scene.host.next('turn_ended');
    assert.ok(existsSync(join(scene.host.workspace, 'ran')));
    await other.request('settings/update', { trusted: false });
    await other.stop();
    while (!(await scene.host.request('host/status', {})).host.trusted);
  });

  it('D4 a joined window replaces neither the owner’s folders nor its settings: its folders are added while it is there', async () => {
    const more = mkdtempSync(join(tmpdir(), 'belay-more-'));
    try {
      const other = beside();
      await other.initialize();
      const createIn = { folder: more, agent: { kind: 'model', model: 'local/m1' } } as const;
      await scene.host.refused('session/create', createIn);
      await other.request('settings/update', { settings: {}, folders: [{ path: more, name: 'more' }] });
      await scene.host.request('session/create', createIn);
      await scene.host.request('session/create', { ...createIn, folder: scene.host.workspace });
      const { items } = await scene.host.request('model/list', {});
      assert.ok(items.some((model) => model.id === 'local/m1'));
      await other.stop();
      while ((await scene.host.request('session/create', createIn).catch(() => undefined)) !== undefined);
    } finally {
      rmSync(more, { recursive: true });
    }
  });

  it('D4 R10 a message that is larger than what may wait cuts nobody off, whatever follows it', async () => {
    const { socket, connection } = await slowGuest();
    const heard: string[] = [];
    connection.onNotification('event', ({ type }: { type: string }) => void heard.push(type));
    await scene.host.request('host/pause', { by: 'test' });
    const { mark } = scene.host;
    const data = Buffer.alloc(5 * 1024 * 1024, 7).toString('base64');
    const images = Array.from({ length: 4 }, () => ({ mediaType: 'image/png' as const, data }));
    await scene.say('look', { images });
    for (const title of ['one', 'two'])
      await scene.host.request('session/update', { session: scene.session, title });
    socket.resume();
    await connection.sendRequest('host/status', {});
    const told = scene.host.types().slice(mark);
    assert.deepEqual(heard.slice(-told.length), told);
    assert.ok(told.includes('message_accepted'));
    connection.dispose();
    socket.destroy();
  });

  it('R10 a joined window that does not read is cut off, and holds no memory of the owner', async () => {
    const { socket, connection } = await slowGuest();
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([{ calls: [shell('head -c 80000000 /dev/zero | tr "\\0" x')] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.resume();
    await gone;
    connection.dispose();
    assert.equal((await scene.host.request('host/status', {})).host.trusted, true);
  });
});
