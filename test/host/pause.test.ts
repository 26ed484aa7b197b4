import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { done, scenes, shell, toldOf } from '../support/scene';
import { Refused } from '../support/hostClient';
import { gate } from '../support/modelServer';

describe('the cord', () => {
  const scene = scenes();
  const pull = () => scene.host.request('host/pause', { by: 'test' });
  const release = () => scene.host.request('host/resume', { by: 'test' });
  /** What waits is parked at once. */
  const withoutHold = () => scene.restart({ settings: { ...scene.settings, approvals: { holdMs: 0 } } });
  /** The session's state as a client has folded it, and as the host stores it. */
  const standing = async () => [
    scene.host.snapshot?.sessions[0]?.state,
    (await scene.host.request('session/get', { session: scene.session })).session.state,
  ];

  it('P1 P4 a running command is ended with its output so far, and the turn goes on after release', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([{ calls: [shell('echo begun; exec sleep 60', {}, 'c1')] }, done('It was paused.')]);
    await scene.say('go');
    await scene.host.next('tool_progress');
    const reply = await pull();
    assert.equal(reply.paused, true);
    assert.deepEqual(
      reply.ended.map((one) => [one.kind, one.id, one.title]),
      [['command', 'c1', 'echo begun; exec sleep 60']],
    );
    const completed = await scene.host.next('tool_completed');
    const result = completed.data.result as Record<string, unknown>;
    assert.equal(result['error'], 'host_paused');
    assert.equal(result['stdout'], 'begun\n');
    await scene.host.next('host_paused');
    await scene.host.next('turn_paused');
    await scene.host.next('host_quiet');
    assert.equal(scene.server.requests.length, 1, 'no model request after the pause has answered');
    const mark = scene.host.mark;
    await release();
    await scene.host.next('turn_ended', mark);
    assert.equal(toldOf(scene.server, 'c1')['error'], 'host_paused');
  });

  it('P4 a model stream is aborted, its part is kept and marked, and the request is made again after release', async () => {
    const held = gate();
    scene.server.script([
      { text: 'Some words and more', pieces: 4, gates: [{ after: 3, gate: held }] },
      done('Again, whole.'),
    ]);
    await scene.say('go');
    await scene.host.next('text_delta');
    await held.reached;
    await pull();
    const partial = await scene.host.next('message_completed');
    assert.equal(partial.data.partial, true);
    await scene.host.next('turn_paused');
    held.open();
    const mark = scene.host.mark;
    await release();
    await scene.host.next('turn_ended', mark);
    assert.equal(scene.server.requests.length, 2);
    assert.deepEqual(
      scene.server.requests[1]?.items.map((item) => item.text).slice(1),
      ['go'],
      'the partial answer is not sent to the model',
    );
  });

  it('P5 an allow while paused is recorded, and its call starts after release', async () => {
    scene.server.script([{ calls: [shell('echo ran > ran.txt')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await pull();
    await scene.allow(asked);
    await scene.host.next('turn_paused');
    const status = await scene.host.request('host/status', {});
    assert.deepEqual(
      status.starting.map(({ kind }) => kind),
      ['turn', 'call'],
    );
    assert.equal(existsSync(join(scene.host.workspace, 'ran.txt')), false);
    const reply = await release();
    assert.deepEqual(reply.starting, status.starting);
    await scene.host.next('turn_ended');
    assert.equal(readFileSync(join(scene.host.workspace, 'ran.txt'), 'utf8'), 'ran\n');
  });

  it('P5 P7 what a release starts names each call that was allowed, under its turn, and none that waits or stands behind one', async () => {
    const calls = ['one', 'two', 'three'].map((name) => shell(`touch ${name}`, {}, name));
    scene.server.script([{ calls }, done()]);
    await scene.say('go');
    await scene.host.next('approval_requested', 0, (event) => event.data.call_id === 'three');
    const { items } = await scene.host.request('approval/list', {});
    const [one, two, three] = items;
    assert.ok(one !== undefined && two !== undefined && three !== undefined);
    await pull();
    await scene.allow(three);
    await scene.allow(one);
    await scene.host.next('turn_paused');
    const { starting } = await scene.host.request('host/status', {});
    const { turn } = one;
    assert.deepEqual(starting, [
      { kind: 'turn', id: turn, title: 'go' },
      { kind: 'call', id: 'one', title: 'touch one', turn, by: 'test' },
    ]);
    assert.deepEqual((await release()).starting, starting);
    await scene.allow(two);
    await scene.host.next('turn_ended');
  });

  it('P5 P7 what a release starts names a lifted call that was allowed', async () => {
    scene.server.script([{ calls: [shell('touch later', {}, 'c1')] }, done('Read.'), done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.say('what is this');
    await scene.host.next('turn_ended');
    await pull();
    await scene.allow(asked);
    const { starting } = await scene.host.request('host/status', {});
    assert.deepEqual(starting, [{ kind: 'call', id: 'proc:1', title: 'touch later', by: 'test' }]);
    const mark = scene.host.mark;
    await release();
    await scene.host.next('turn_ended', mark);
  });

  it('P5 a message while paused is accepted, kept, and starts its turn after release', async () => {
    scene.server.script([done('Hello.')]);
    await pull();
    const sent = (await scene.say('hello')) as { state: string };
    assert.equal(sent.state, 'queued');
    assert.equal(scene.server.requests.length, 0);
    await release();
    await scene.host.next('turn_ended');
    assert.equal(scene.server.requests.length, 1);
  });

  it('P6 a host that starts while the cord is pulled stays paused, and an allow still starts only after release', async () => {
    scene.server.script([{ calls: [shell('echo ran > ran.txt')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await pull();
    await scene.crash();
    assert.equal(scene.host.snapshot?.host.paused, true);
    await scene.allow(asked);
    assert.equal(existsSync(join(scene.host.workspace, 'ran.txt')), false);
    await release();
    await scene.host.next('turn_ended');
    assert.ok(existsSync(join(scene.host.workspace, 'ran.txt')));
  });

  it('L2 a steer while paused is kept, and lifts what waits only after release', async () => {
    scene.server.script([{ calls: [shell('touch never', {}, 'c1')] }, done()]);
    await scene.say('go');
    await scene.asked();
    await scene.host.next('turn_waiting');
    await pull();
    await scene.say('what is this');
    assert.equal(scene.host.types().includes('call_lifted'), false);
    await release();
    await scene.host.next('call_lifted');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['handle'], 'proc:1');
  });

  const toggles = {
    'the mode': async () => {
      await scene.host.request('session/update', { session: scene.session, mode: 'full' });
      return () => scene.host.request('session/update', { session: scene.session, mode: 'ask' });
    },
    'an allow rule': async () => {
      const match = { kind: 'command', command: 'touch *', folder: scene.host.workspace } as const;
      const added = await scene.host.request('rule/add', { effect: 'allow', scope: 'workspace', match });
      return () => scene.host.request('rule/remove', { rule: added.rule.id });
    },
  };
  for (const [what, allow] of Object.entries(toggles))
    for (const isParked of [true, false])
      it(`P7 L1 what ${what} has allowed and takes back while paused ${isParked ? '' : 'and held live '}waits for the person again, and a steer lifts it`, async () => {
        if (isParked) await withoutHold();
        scene.server.script([{ calls: [shell('touch never', {}, 'c1')] }, done('I have read it.')]);
        await scene.say('go');
        const asked = await scene.asked();
        if (isParked) await scene.host.next('turn_waiting');
        await pull();
        const takeBack = await allow();
        await scene.host.next('turn_paused');
        const mark = scene.host.mark;
        await takeBack();
        assert.deepEqual(await scene.asked(mark), { ...asked, request: asked.request + 1 });
        await scene.host.next('turn_waiting', mark);
        assert.deepEqual(await standing(), ['waiting', 'waiting']);
        assert.deepEqual((await scene.host.request('host/status', {})).starting, []);
        assert.deepEqual((await release()).starting, []);
        await scene.host.next('host_resumed', mark);
        assert.deepEqual(await standing(), ['waiting', 'waiting']);
        await scene.say('what is this', { delivery: 'steer' });
        await scene.host.next('call_lifted', mark);
        await scene.host.next('turn_ended', mark);
        assert.equal(toldOf(scene.server, 'c1')['steered'], true);
        assert.equal(existsSync(join(scene.host.workspace, 'never')), false);
      });

  it('P7 L2 a steer that came while paused lifts, after release, what the mode had allowed for a time', async () => {
    scene.server.script([{ calls: [shell('touch never', {}, 'c1')] }, done('I have read it.')]);
    await scene.say('go');
    await scene.asked();
    await pull();
    await scene.say('what is this', { delivery: 'steer' });
    const takeBack = await toggles['the mode']();
    await takeBack();
    assert.equal(scene.host.types().includes('call_lifted'), false);
    await release();
    await scene.host.next('call_lifted');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['steered'], true);
    assert.equal(existsSync(join(scene.host.workspace, 'never')), false);
  });

  it('P1 pulling twice and releasing twice are harmless', async () => {
    const first = await pull();
    const second = await pull();
    assert.equal(second.epoch, first.epoch);
    await release();
    const third = await release();
    assert.equal(third.paused, false);
  });

  it('P1 P7 a resume while the pull is under way comes after it, and every client sees the cord as it is', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    const stubborn = shell("trap '' TERM INT; echo begun; while :; do sleep 0.05; done", {}, 'c1');
    scene.server.script([{ calls: [stubborn] }, done(), done()]);
    await scene.say('go');
    await scene.host.next('tool_progress');
    const [paused] = await Promise.all([
      scene.host.request('host/pause', { by: 'one window' }),
      scene.host.request('host/resume', { by: 'another' }),
    ]);
    assert.equal(paused.paused, true);
    await scene.host.next('turn_ended');
    assert.equal((await scene.host.request('host/status', {})).host.paused, false);
    assert.equal(scene.host.snapshot?.host.paused, false);
  });

  it('P1 a pull that comes behind a release which still waits has the last word: nothing starts after its reply', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    const stubborn = shell("trap '' TERM INT; echo begun; while :; do sleep 0.05; done", {}, 'c1');
    scene.server.script([{ calls: [stubborn, shell('touch after', {}, 'c2')] }, done()]);
    await scene.say('go');
    await scene.host.next('tool_progress');
    const first = pull();
    const overtaken = assert.rejects(
      release,
      (error: unknown) => error instanceof Refused && error.data['code'] === 'host_paused',
    );
    const last = await pull();
    assert.equal(last.epoch, (await first).epoch);
    await overtaken;
    await scene.host.next('host_quiet');
    const status = await scene.host.request('host/status', {});
    assert.equal(status.host.paused, true);
    assert.equal(scene.host.snapshot?.host.paused, true);
    assert.equal(scene.host.types().includes('host_resumed'), false);
    assert.equal(existsSync(join(scene.host.workspace, 'after')), false);
    await release();
    await scene.host.next('turn_ended');
    assert.ok(existsSync(join(scene.host.workspace, 'after')));
  });

  for (const when of ['just before the pause', 'while it is paused'] as const) {
    it(`L1 L2 a steer that comes ${when} lifts a wait that is held live, at once after release`, async () => {
      scene.server.script([{ calls: [shell('touch never', {}, 'c1')] }, done('I have read it.')]);
      await scene.say('go');
      await scene.asked();
      const steer = () => scene.say('what is this', { delivery: 'steer' });
      if (when === 'just before the pause') await steer();
      await pull();
      if (when === 'while it is paused') await steer();
      assert.equal(scene.host.types().includes('turn_waiting'), false, 'it is held live');
      await release();
      await scene.host.next('call_lifted');
      await scene.host.next('turn_ended');
      assert.equal(scene.host.types().includes('turn_waiting'), false, 'nothing has parked it first');
      assert.equal(toldOf(scene.server, 'c1')['steered'], true);
    });
  }

  it('L1 L2 a question that is held live is lifted after release by a steer that came while it was paused', async () => {
    scene.server.script([{ calls: [{ tool: 'ask', args: { question: 'Which?' }, id: 'q1' }] }, done()]);
    await scene.say('go');
    await scene.host.next('question_asked');
    await pull();
    await scene.say('never mind', { delivery: 'steer' });
    await release();
    await scene.host.next('call_lifted');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'q1')['waits_for'], 'answer');
  });

  it('T6 P4 the time that a provider has asked for is kept over a pause', async () => {
    scene.server.script([{ status: 429, headers: { 'retry-after': '2' }, body: 'slow down' }, done()]);
    await scene.say('go');
    const { resumeAt } = (await scene.host.next('turn_paced')).data;
    await pull();
    await scene.host.next('turn_paused');
    const mark = scene.host.mark;
    await release();
    assert.equal((await scene.host.next('turn_paced', mark)).data.resumeAt, resumeAt);
    const resumed = await scene.host.next('turn_resumed', scene.host.mark);
    assert.ok(resumed.at >= resumeAt, 'it is asked again when the time has come');
    await scene.host.next('turn_ended');
    assert.equal(scene.server.requests.length, 2);
  });

  it('P4 a background command is ended by a pause, once, and told so', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([
      { calls: [shell('exec sleep 60', { background: true }, 'c1')] },
      done(),
      done('Noted.'),
    ]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    assert.deepEqual(toldOf(scene.server, 'c1'), { handle: 'proc:1', background: true });
    const mark = scene.host.mark;
    await pull();
    const ended = await scene.host.next('handle_ended', mark);
    assert.equal(ended.data.end, 'host_paused');
    await release();
    await scene.host.next('turn_ended', mark);
    assert.equal(scene.host.types().filter((type) => type === 'handle_ended').length, 1);
    const item = scene.server.requests.at(-1)?.items.at(-1);
    assert.match(item?.text ?? '', /proc:1/);
  });
});
