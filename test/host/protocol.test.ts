import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostClient } from '../support/hostClient';
import { done, scenes, shell } from '../support/scene';

describe('the door', () => {
  it('answers nothing before initialize, refuses a second one and a version that it does not speak', async () => {
    const host = HostClient.spawn();
    try {
      assert.equal((await host.refused('session/list', {})).code, 'not_initialized');
      const params = {
        protocolVersion: 9,
        client: { name: 't', version: '0' },
        storeDir: host.storeDir,
        folders: [],
        settings: {},
        trusted: true,
      };
      assert.equal((await host.refused('initialize', params)).code, 'protocol_version_unsupported');
      for (const storeDir of ['', 'store', './store'])
        assert.equal((await host.refused('initialize', { ...params, storeDir })).code, 'invalid_params');
      await host.initialize();
      assert.equal(
        (await host.refused('initialize', { ...params, protocolVersion: 1 })).code,
        'initialized_already',
      );
    } finally {
      await host.stop();
    }
  });

  const scene = scenes();

  it('R11 answers malformed frames, unknown methods and wrong params with a code, and goes on', async () => {
    for (const frame of [
      'text',
      42,
      null,
      [],
      {},
      { id: 7 },
      { id: 8, method: 5 },
      { id: 9, method: 'x', params: [1] },
    ]) {
      scene.host.post(frame);
      const reply = await scene.host.strayReply();
      assert.equal(reply.error?.code, -32600);
    }
    await assert.rejects(scene.host.raw({ id: 'u', method: 'no/such', params: {} }), { number: -32601 });
    const wrong = await scene.host.refused('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'nobody' },
    } as never);
    assert.equal(wrong.number, -32602);
    assert.equal(wrong.code, 'invalid_params');
    assert.match(wrong.message, /agent/);
    assert.equal(
      (
        await scene.host.refused('session/create', {
          folder: '/no/such/folder',
          agent: { kind: 'model', model: 'local/m1' },
        })
      ).code,
      'invalid_params',
    );
    assert.equal((await scene.host.refused('session/list', { cursor: 'x' })).code, 'invalid_params');
    const { items } = await scene.host.request('session/list', {});
    assert.equal(items.length, 1);
  });

  it('settings that are not right are told by their key, and the rest holds', async () => {
    const { warnings } = await scene.host.request('settings/update', {
      settings: { ...scene.settings, approvals: { mode: 'wild' }, nonsense: 1 },
    });
    assert.match(warnings.join('\n'), /belay\.approvals\.mode/);
    assert.match(warnings.join('\n'), /nonsense/);
    scene.server.script([done()]);
    await scene.say('still works');
    await scene.host.next('turn_ended');
  });

  it('events rise without a gap, are read again from any place, and fold into the lists that are read', async () => {
    scene.server.script([{ text: 'x', calls: [shell('echo 1'), shell('echo 2')] }, done()]);
    await scene.say('go');
    await scene.host.next('approval_requested', 0, (event) => event.data.title === 'echo 2');
    const { items } = await scene.host.request('events/list', { after: 0, limit: 256 });
    assert.deepEqual(
      items.map((event) => event.seq),
      items.map((_event, n) => n + 1),
    );
    const live = scene.host.events.filter((event) =>
      items.some((one) => one.seq === event.seq && one.type === event.type),
    );
    assert.deepEqual(
      live.map((event) => event.type),
      items.map((event) => event.type).slice(-live.length),
    );
    const fresh = await scene.host.request('events/subscribe', {});
    const { needs, sessions, unread, handles } = scene.host.snapshot!;
    assert.deepEqual(
      { needs, unread, handles },
      { needs: fresh.snapshot.needs, unread: fresh.snapshot.unread, handles: fresh.snapshot.handles },
    );
    assert.deepEqual(
      sessions.map((session) => [session.id, session.state]),
      fresh.snapshot.sessions.map((session) => [session.id, session.state]),
    );
    const transcript = await scene.host.request('transcript/read', { session: scene.session });
    assert.deepEqual(scene.host.turns, transcript.items);
  });

  it('a subscription behind a known event has what came since sent again, and none of a number that is not there', async () => {
    scene.server.script([done('One.')]);
    await scene.say('one');
    await scene.host.next('turn_ended');
    const known = scene.host.events.filter((event) => event.seq > 3).map((event) => event.seq);
    const mark = scene.host.mark;
    const { seq } = await scene.host.request('events/subscribe', { after: 3 });
    const again = scene.host.events.slice(mark).map((event) => event.seq);
    assert.deepEqual([...new Set(again)], [...new Set(known)]);
    assert.equal(again.at(-1), seq);
    assert.equal((await scene.host.refused('events/subscribe', { after: seq + 1 })).code, 'invalid_params');
  });

  it('the host says which version it is', async () => {
    const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
      version: string;
    };
    const host = HostClient.spawn();
    try {
      assert.equal((await host.initialize()).hostVersion, version);
    } finally {
      await host.stop();
    }
  });

  it('shutdown ends what runs truthfully, keeps what waits, and closes the store', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([{ calls: [shell('echo begun; exec sleep 60', {}, 'c1')] }]);
    await scene.say('go');
    await scene.host.next('tool_progress');
    await scene.restart();
    const { items } = await scene.host.request('transcript/read', { session: scene.session });
    const turn = items[0];
    assert.deepEqual([turn?.status, turn?.code], ['interrupted', 'host_stopped']);
    const call = turn?.parts.find((part) => part.kind === 'call');
    assert.ok(call?.kind === 'call');
    assert.equal((call.result as { stdout: string }).stdout, 'begun\n');
  });

  it('a session per folder of a multi-root workspace works in its own folder', async () => {
    const other = join(scene.host.workspace, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'name.txt'), 'other');
    const { session } = await scene.host.request('session/create', {
      folder: other,
      agent: { kind: 'model', model: 'local/m1' },
      mode: 'full',
    });
    scene.server.script([
      { calls: [shell('pwd', {}, 'p'), { tool: 'read', args: { path: 'name.txt' }, id: 'r' }] },
      done(),
    ]);
    await scene.host.request('message/send', { session: session.id, text: 'go' });
    await scene.host.next('turn_ended');
    const results = scene.host.events.flatMap((event) =>
      event.type === 'tool_completed' ? [JSON.stringify(event.data.result)] : [],
    );
    assert.ok(results[0]?.includes(other));
    assert.ok(results[1]?.includes('other'));
  });

  it('two sessions work at once', async () => {
    const { session } = await scene.host.request('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
    });
    scene.server.reply((request) => ({ text: `Answer to ${request.items.at(-1)?.text ?? ''}` }));
    await Promise.all([
      scene.say('one'),
      scene.host.request('message/send', { session: session.id, text: 'two' }),
    ]);
    await scene.host.until(() =>
      scene.host.types().filter((type) => type === 'turn_ended').length === 2 ? true : undefined,
    );
    const texts = scene.host.turns
      .map((turn) => turn.parts.find((part) => part.kind === 'text'))
      .map((part) => part?.kind === 'text' && part.text);
    assert.deepEqual(texts.sort(), ['Answer to one', 'Answer to two']);
  });
});
