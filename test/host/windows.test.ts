import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Snapshot } from '../../protocol';
import { HostClient, localModel, type HostOptions } from '../support/hostClient';
import { done, scenes, shell, toldOf } from '../support/scene';

describe('two windows on one workspace', () => {
  let second: HostClient;
  // Before its scene: it would take over, and write, while the folder of the first one is removed.
  afterEach(() => second.stop());
  const scene = scenes({
    host: { serve: (method) => (method === 'model/request' ? new Promise(() => {}) : {}) },
  });

  beforeEach(() => {
    second = HostClient.spawn({
      settings: localModel(scene.server.url),
      storeDir: scene.host.storeDir,
      workspace: scene.host.workspace,
    });
  });

  it('D4 the second joins the first one’s host, and can do all that the first can', async () => {
    const result = await second.initialize();
    assert.deepEqual([result.readOnly, result.warnings], [false, []]);
    scene.server.script([{ calls: [shell('echo hi')] }, done()]);
    await second.request('message/send', { session: scene.session, text: 'go' });
    const asked = await second.next('approval_requested');
    assert.equal((await scene.asked()).id, asked.data.id, 'both are shown the request');
    await second.request('approval/answer', {
      approval: asked.data.id,
      request: 1,
      decision: 'allow',
      by: 'second',
    });
    await second.next('turn_ended');
    assert.equal((await scene.host.next('approval_answered')).data.by, 'second');
    const { session } = await second.request('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
    });
    await scene.host.next('session_created', 1);
    assert.deepEqual(scene.host.snapshot, second.snapshot, 'both show the same');
    const refused = await second.refused('approval/answer', {
      approval: asked.data.id,
      request: 1,
      decision: 'deny',
    });
    assert.deepEqual([refused.code, refused.data['by']], ['approval_answered', 'second']);
    await scene.host.request('session/delete', { session: session.id });
    await second.next('session_deleted');
  });

  it('D4 R5 what either window asks and the other answers is answered once', async () => {
    await second.initialize();
    scene.server.script([{ calls: [{ tool: 'ask', args: { question: 'Which?' }, id: 'q1' }] }, done()]);
    await scene.say('go');
    const { data } = await second.next('question_asked');
    await second.request('question/answer', { question: data.id, answer: { text: 'This.' }, by: 'second' });
    await scene.host.next('turn_ended');
    const late = await scene.host.refused('question/answer', {
      question: data.id,
      answer: { text: 'That.' },
    });
    assert.equal(late.code, 'question_answered');
    assert.equal(toldOf(scene.server, 'q1')['answer'], 'This.');
  });

  it('D4 R5 the second going is nobody’s end; the first going is taken over, and lists stay exact', async () => {
    await second.initialize();
    scene.server.script([{ calls: [shell('echo hi')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await second.next('approval_requested');
    await scene.host.kill();
    const changed = await second.next('store_changed', 0, (event) => !event.data.readOnly);
    assert.equal(changed.data.trouble, undefined);
    await second.request('approval/answer', {
      approval: asked.id,
      request: 1,
      decision: 'allow',
      by: 'second',
    });
    const ended = await second.next('turn_ended');
    assert.equal(ended.data.status, 'completed');
    const { snapshot } = await second.request('events/subscribe', {});
    assert.deepEqual(second.snapshot, snapshot, 'no event was missed over the takeover');
  });

  it('D4 R5 refusals come as they are, and after the first has gone the second decides itself', async () => {
    await second.initialize();
    const unknown = await second.refused('turn/interrupt', { session: scene.session, turn: 't9' });
    assert.equal(unknown.code, 'turn_unknown');
    await scene.host.kill();
    await second.next('store_changed', 0, (event) => !event.data.readOnly);
    assert.equal((await second.request('host/status', {})).host.readOnly, false);
    const still = await second.refused('turn/interrupt', { session: scene.session, turn: 't9' });
    assert.equal(still.code, 'turn_unknown');
  });

  it('D4 P1 a pause on its way when the first goes holds for what comes after it', async () => {
    await second.initialize();
    await scene.host.kill();
    const pulled = await second.request('host/pause', { by: 'test' });
    assert.equal(pulled.paused, true);
    assert.equal((await second.request('host/status', {})).host.paused, true);
  });

  it('D4 A9 R6 a window that only reads follows what happens, and its lists are right before and after its takeover', async () => {
    scene.server.script([{ calls: [shell('echo hi')] }, done(), done()]);
    await scene.say('go');
    const asked = await scene.asked();
    const { storeDir, workspace } = scene.host;
    const settings = localModel(scene.server.url);
    const reader = HostClient.spawn({ settings, storeDir, workspace, windowKey: 'none' });
    try {
      assert.equal((await reader.initialize()).readOnly, true);
      assert.equal(reader.snapshot?.needs.length, 1);
      await scene.deny(asked);
      await scene.host.next('turn_ended');
      await reader.next('turn_ended');
      await scene.host.request('host/pause', { by: 'test' });
      await reader.next('host_quiet');
      await scene.host.request('host/resume', { by: 'test' });
      await reader.next('host_resumed');
      const lists = ({ needs, sessions, handles, unread }: Snapshot) => ({
        needs,
        sessions,
        handles,
        unread,
      });
      const before = (await reader.request('events/subscribe', {})).snapshot;
      assert.ok(reader.snapshot !== undefined);
      assert.deepEqual(lists(reader.snapshot), lists(before));
      assert.deepEqual(before.needs, []);
      const numbers = reader.events.map((event) => event.seq);
      assert.deepEqual(
        numbers,
        [...numbers].sort((one, other) => one - other),
      );

      await scene.say('once more');
      await scene.host.kill();
      await reader.next('store_changed', 0, (event) => !event.data.readOnly);
      const after = (await reader.request('events/subscribe', {})).snapshot;
      assert.deepEqual(reader.snapshot, after, 'no event was missed over the takeover');
    } finally {
      await reader.stop();
    }
  });

  it('D4 C1 C2 a tool of the second window serves the first one’s agent, until its own window has it or it goes', async () => {
    const served: string[] = [];
    const serve = (where: string) => (method: string) => {
      if (method === 'clientTool/run') served.push(where);
      return method === 'clientTool/run' ? { text: where } : {};
    };
    const { storeDir, workspace } = scene.host;
    const settings = localModel(scene.server.url);
    const guest = HostClient.spawn({ settings, storeDir, workspace, serve: serve('the second') });
    try {
      await guest.initialize();
      const schema = { type: 'object', properties: {} };
      const tools = [{ name: 'lookup', description: 'Look it up.', schema, readOnly: true }];
      await guest.request('clientTool/register', { client: 'vscode', tools });
      const owners = async () =>
        (await scene.host.request('clientTool/list', {})).items.flatMap(({ name, owner }) =>
          name === 'lookup' ? [owner] : [],
        );
      assert.deepEqual(await owners(), ['vscode#1']);
      scene.server.script([{ calls: [{ tool: 'lookup', args: {}, id: 'c1' }] }, done()]);
      await scene.say('go');
      await scene.host.next('turn_ended');
      assert.deepEqual(toldOf(scene.server, 'c1'), { answer: 'the second' });
      assert.deepEqual(served, ['the second']);

      const refused = await guest.refused('clientTool/register', {
        client: 'vscode',
        tools: [{ ...tools[0], name: 'shell' }] as never,
      });
      assert.match(refused.message, /The name shell belongs to another tool: choose another/);
      await scene.host.request('clientTool/register', { client: 'vscode', tools });
      assert.deepEqual(await owners(), ['vscode'], 'its own window comes first, whichever came later');
      await scene.host.request('clientTool/register', { client: 'vscode', tools: [] });
      assert.deepEqual(await owners(), ['vscode#1']);
      await guest.request('shutdown', {});
      await guest.exited;
      while ((await owners())[0] !== undefined);
      assert.deepEqual(await owners(), [undefined], 'known for the grace, and served by nobody');
    } finally {
      await guest.stop();
    }
  });

  it('D4 shutting the second down ends nothing of the first', async () => {
    await second.initialize();
    await second.request('shutdown', {});
    scene.server.script([done()]);
    await scene.say('still there');
    await scene.host.next('turn_ended');
  });
});

/** The folder that stands for one that is too long. */
const shortFor = (folder: string): string =>
  `/tmp/belay-${String(userInfo().uid)}-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;

describe('the cord of all windows of a user', () => {
  let runtimeDir: string;
  const scene = scenes({ host: hostsTogether() });
  let other: HostClient;

  beforeEach(async () => {
    other = await HostClient.start({ settings: localModel(scene.server.url), runtimeDir });
  });

  afterEach(async () => {
    await other.stop();
    rmSync(runtimeDir, { recursive: true, force: true });
  });

  function hostsTogether(): HostOptions {
    return {
      get runtimeDir() {
        runtimeDir = mkdtempSync(join(tmpdir(), 'belay-run-'));
        return runtimeDir;
      },
    };
  }

  const workIn = async (host: HostClient, command: string): Promise<void> => {
    const { session } = await host.request('session/create', {
      folder: host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
      mode: 'full',
    });
    scene.server.script([{ calls: [shell(command, {}, 'c9')] }, done()]);
    await host.request('message/send', { session: session.id, text: 'go' });
    await host.next('tool_progress');
  };

  it('D4 P1 a pull in one window ends what runs in the other before it answers, and a release starts both', async () => {
    await workIn(other, 'echo begun; exec sleep 60');
    const pulled = await scene.host.request('host/pause', { by: 'test' });
    assert.deepEqual(
      pulled.windows.map(({ answered, paused, ended }) => [answered, paused, ended.map((one) => one.title)]),
      [[true, true, ['echo begun; exec sleep 60']]],
    );
    assert.equal((await other.request('host/status', {})).host.paused, true);
    assert.equal(other.snapshot?.host.paused, true, 'it says so itself, and who it was');
    assert.equal(other.snapshot.host.pausedBy, 'test');
    const status = await scene.host.request('host/status', {});
    assert.deepEqual(
      status.windows.map(({ paused, starting }) => [paused, starting.length]),
      [[true, 1]],
      'what a release starts there is known here',
    );
    const released = await scene.host.request('host/resume', { by: 'test' });
    assert.equal(released.windows[0]?.starting.length, 1);
    await other.next('turn_ended');
  });

  it('D4 P6 a window that is opened while the others are paused starts paused', async () => {
    await scene.host.request('host/pause', { by: 'test' });
    const late = await HostClient.start({ settings: localModel(scene.server.url), runtimeDir });
    try {
      assert.equal(late.snapshot?.host.paused, true);
      await scene.host.request('host/resume', { by: 'test' });
      assert.equal((await late.request('host/status', {})).host.paused, false);
    } finally {
      await late.stop();
    }
  });

  it('D4 a window that has crashed is passed over, and one that does not answer is named', async () => {
    await other.kill();
    const path = join(runtimeDir, 'belay', 'silent.sock');
    const silent = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(path, resolve));
    try {
      const { windows } = await scene.host.request('host/pause', { by: 'test' });
      assert.deepEqual(
        windows.map(({ name, answered }) => [name, answered]),
        [['silent', false]],
      );
      assert.equal((await scene.host.request('host/status', {})).host.paused, true);
    } finally {
      silent.close();
    }
  });

  it('D4 a folder that others may enter is not used: the pause holds for this window, and the log says why', async () => {
    const open = mkdtempSync(join(tmpdir(), 'belay-open-'));
    mkdirSync(join(open, 'belay'), { mode: 0o777 });
    writeFileSync(join(open, 'mark'), '');
    chmodSync(join(open, 'belay'), 0o777);
    const alone = await HostClient.start({ runtimeDir: open });
    try {
      const { windows } = await alone.request('host/pause', { by: 'test' });
      assert.deepEqual(windows, []);
      assert.ok(alone.logs.some((line) => line.includes('not this user')));
      assert.ok(existsSync(join(open, 'mark')));
    } finally {
      await alone.stop();
      rmSync(open, { recursive: true, force: true });
    }
  });

  it('D4 P1 R11 windows whose runtime folder is too long for a socket meet all the same', async () => {
    const long = join(runtimeDir, 'a-folder-with-an-ordinary-name/'.repeat(4));
    mkdirSync(long, { recursive: true, mode: 0o700 });
    const hosts = await Promise.all(['one', 'two'].map(() => HostClient.start({ runtimeDir: long })));
    try {
      const [one, two] = hosts;
      assert.ok(one !== undefined && two !== undefined);
      const { windows } = await one.request('host/pause', { by: 'test' });
      assert.deepEqual(
        windows.map(({ answered, paused }) => [answered, paused]),
        [[true, true]],
      );
      assert.equal((await two.request('host/status', {})).host.paused, true);
    } finally {
      for (const host of hosts) await host.stop();
      rmSync(shortFor(join(long, 'belay')), { recursive: true });
    }
  });

  it('D4 R11 a window whose socket cannot be made starts, works for itself, and its log says so', async () => {
    const place = mkdtempSync(join(tmpdir(), 'belay-run-'));
    const names = readdirSync(join(runtimeDir, 'belay'));
    for (const name of names)
      mkdirSync(join(place, 'belay', name, 'in the way'), { recursive: true, mode: 0o700 });
    const { storeDir, workspace } = other;
    await other.request('shutdown', {});
    await other.exited;
    const alone = await HostClient.start({ storeDir, workspace, runtimeDir: place });
    try {
      assert.ok(alone.logs.some((line) => line.includes('Other windows cannot reach this one')));
      const halfMade = readdirSync(join(place, 'belay')).filter((name) => /^\w+\.\w{8}$/.test(name));
      assert.deepEqual(halfMade, []);
      assert.equal((await alone.request('host/pause', { by: 'test' })).paused, true);
    } finally {
      await alone.stop();
      rmSync(place, { recursive: true, force: true });
    }
  });
});
