import assert from 'node:assert/strict';
import { done, scenes, shell } from '../support/scene';
import { gate } from '../support/modelServer';

describe('messages', () => {
  const scene = scenes();
  const texts = (n: number) =>
    scene.server.requests[n]?.items.filter((item) => item.role === 'user').map((item) => item.text);

  it('T1 the same client id sent twice is the same message', async () => {
    scene.server.script([done()]);
    const first = (await scene.say('hello', { clientId: 'x' })) as { message: { id: string } };
    const second = (await scene.say('hello', { clientId: 'x' })) as { message: { id: string } };
    assert.equal(first.message.id, second.message.id);
    await scene.host.next('turn_ended');
    assert.deepEqual(texts(0), ['hello']);
  });

  it('T3 several steers during an answer are read at the next boundary, in order, all at once', async () => {
    const held = gate();
    scene.server.script([{ text: 'Thinking.', gate: held }, done('Read all.')]);
    await scene.say('go');
    await held.reached;
    const one = (await scene.say('one')) as { state: string };
    assert.equal(one.state, 'steering');
    await scene.say('two');
    await scene.say('three');
    held.open();
    await scene.host.next('turn_ended');
    assert.deepEqual(texts(1), ['go', 'one', 'two', 'three']);
    const read = scene.host.events.filter((event) => event.type === 'message_read');
    assert.deepEqual(
      read.map((event) => event.type === 'message_read' && event.data.step),
      [0, 1, 1, 1],
    );
  });

  it('T3 a queued message is the next turn, and can be edited, moved and removed until it is read', async () => {
    const held = gate();
    scene.server.script([{ text: 'Working.', gate: held }, done('B.'), done('A edited.')]);
    await scene.say('go');
    await held.reached;
    const send = async (text: string) =>
      ((await scene.say(text, { delivery: 'queue' })) as { message: { id: string }; state: string }).message
        .id;
    const [a, b, c] = [await send('a'), await send('b'), await send('c')];
    await scene.host.request('message/edit', { message: a, text: 'a edited' });
    await scene.host.request('message/remove', { message: c });
    await scene.host.request('message/reorder', { session: scene.session, order: [b, a] });
    const unread = await scene.host.request('message/list', { session: scene.session });
    assert.deepEqual(
      unread.items.map((message) => message.text),
      ['b', 'a edited'],
    );
    assert.deepEqual(
      scene.host.snapshot?.unread.map((message) => message.text),
      ['b', 'a edited'],
    );
    held.open();
    await scene.host.until(() =>
      scene.host.types().filter((type) => type === 'turn_ended').length === 3 ? true : undefined,
    );
    assert.deepEqual(texts(1)?.at(-1), 'b');
    assert.deepEqual(texts(2)?.at(-1), 'a edited');
    const late = await scene.host.refused('message/edit', { message: a, text: 'too late' });
    assert.equal(late.code, 'message_read_already');
  });

  it('T3 reject refuses a busy session, and an expected turn that is over is refused', async () => {
    const held = gate();
    scene.server.script([{ text: 'Working.', gate: held }]);
    const sent = (await scene.say('go')) as { turn: string };
    await held.reached;
    assert.equal(
      (await scene.host.refused('message/send', { session: scene.session, text: 'no', delivery: 'reject' }))
        .code,
      'session_busy',
    );
    held.open();
    await scene.host.next('turn_ended');
    const stale = await scene.host.refused('message/send', {
      session: scene.session,
      text: 'no',
      expectedTurn: sent.turn,
    });
    assert.equal(stale.code, 'turn_stale');
  });

  it('R4 a message while a request waits is no verdict', async () => {
    scene.server.script([{ calls: [shell('echo no > no.txt')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.say('yes, allow it, do it');
    await scene.host.next('turn_ended');
    const { items } = await scene.host.request('approval/list', {});
    assert.deepEqual(
      items.map((item) => item.id),
      [asked.id],
    );
  });

  it('T5 an interrupt ends what runs, settles every call, and the queued message is the next turn', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([
      { calls: [shell('echo begun; exec sleep 60', {}, 'c1'), shell('echo two', {}, 'c2')] },
      done('Next.'),
    ]);
    const sent = (await scene.say('go')) as { turn: string };
    await scene.host.next('tool_progress');
    await scene.say('later', { delivery: 'queue' });
    await scene.host.request('turn/interrupt', { session: scene.session, turn: sent.turn });
    const ended = await scene.host.next('turn_ended');
    assert.deepEqual([ended.data.status, ended.data.code], ['interrupted', 'cancelled']);
    const results = scene.host.events.flatMap((event) =>
      event.type === 'tool_completed' ? [event.data] : [],
    );
    assert.deepEqual(
      results.map((result) => [result.call_id, (result.result as { error: string }).error]),
      [
        ['c1', 'cancelled'],
        ['c2', 'cancelled'],
      ],
    );
    await scene.host.next('turn_ended', scene.host.events.indexOf(ended) + 1);
    assert.equal(texts(1)?.at(-1), 'later');
    assert.equal(
      (await scene.host.refused('turn/interrupt', { session: scene.session, turn: sent.turn })).code,
      'turn_stale',
    );
  });

  it('T4 R6 unread messages survive a crash in their order', async () => {
    const held = gate();
    scene.server.script([{ text: 'Working.', gate: held }]);
    await scene.say('go');
    await held.reached;
    await scene.say('one', { delivery: 'queue' });
    await scene.say('two', { delivery: 'queue' });
    await scene.crash();
    assert.deepEqual(
      scene.host.snapshot?.unread.map((message) => message.text),
      ['one', 'two'],
    );
    assert.deepEqual(
      [scene.host.snapshot?.sessions[0]?.ended?.status, scene.host.snapshot?.sessions[0]?.ended?.code],
      ['interrupted', 'host_lost'],
    );
    scene.server.script([done('Continued.'), done('Two.')]);
    const mark = scene.host.mark;
    await scene.host.request('turn/continue', { session: scene.session });
    await scene.host.until(() =>
      scene.host.types(mark).filter((type) => type === 'turn_ended').length === 2 ? true : undefined,
    );
    assert.ok(texts(1)?.some((text) => text.startsWith('Go on with the task.')));
    assert.equal(texts(2)?.at(-1), 'two');
    held.open();
  });

  for (const end of ['crash', 'restart'] as const)
    it(`L1 T10 a steer whose grace a ${end} cuts short is read after it`, async () => {
      scene.server.script([{ calls: [shell('true', {}, 'c1')] }, done('I have read it.'), done('Noted.')]);
      await scene.say('go');
      const asked = await scene.asked();
      await scene.say('stop and read me');
      const next = scene.server.next();
      await scene[end]();
      assert.match(JSON.stringify((await next).body), /stop and read me/);
      await scene.deny(asked, 'no');
      const { items } = await scene.host.request('message/list', { session: scene.session });
      assert.deepEqual(items, []);
    });

  it('T10 only a turn that was broken off can be continued', async () => {
    const go = () => scene.host.refused('turn/continue', { session: scene.session });
    assert.equal((await go()).code, 'turn_stale', 'nothing was ever said');
    scene.server.script([done('Hello.')]);
    await scene.say('hello');
    await scene.host.next('turn_ended');
    assert.equal((await go()).code, 'turn_stale', 'the turn has ended by itself');
    assert.equal(scene.server.requests.length, 1);
  });

  it('T4 a message that was removed or never was is told so, and not as read', async () => {
    const held = gate();
    scene.server.script([{ text: 'Long.', gates: [{ after: 0, gate: held }] }, done(), done()]);
    await scene.say('first');
    await held.reached;
    const { message } = await scene.host.request('message/send', {
      session: scene.session,
      text: 'second',
      delivery: 'queue',
    });
    await scene.host.request('message/remove', { message: message.id });
    const { host, session } = scene;
    const refusals = [
      await host.refused('message/edit', { message: message.id, text: 'x' }),
      await host.refused('message/remove', { message: message.id }),
      await host.refused('message/reorder', { session, order: [message.id] }),
      await host.refused('message/reorder', { session, order: ['m9999'] }),
    ];
    assert.deepEqual(
      refusals.map((refusal) => refusal.code),
      refusals.map(() => 'message_unknown'),
    );
    held.open();
    await scene.host.next('turn_ended');
  });

  it('T8 images reach the model', async () => {
    scene.server.script([done('A dot.')]);
    await scene.say('what is this', {
      images: [
        {
          mediaType: 'image/png',
          data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        },
      ],
    });
    await scene.host.next('turn_ended');
    assert.equal(scene.server.requests[0]?.items.at(-1)?.images.length, 1);
  });

  it('T8 R11 a picture without a byte is refused, since a model would refuse the whole session for it', async () => {
    const images = [{ mediaType: 'image/png' as const, data: '' }];
    const refusal = await scene.host.refused('message/send', {
      session: scene.session,
      text: 'look',
      images,
    });
    assert.equal(refusal.code, 'invalid_params');
  });

  it('R10 an empty message and one that is too large are refused', async () => {
    assert.equal(
      (await scene.host.refused('message/send', { session: scene.session, text: '  ' })).code,
      'invalid_params',
    );
    assert.equal(
      (await scene.host.refused('message/send', { session: scene.session, text: 'x'.repeat(300_000) })).code,
      'invalid_params',
    );
    // Counted in bytes: each of these is three.
    assert.equal(
      (await scene.host.refused('message/send', { session: scene.session, text: '€'.repeat(100_000) })).code,
      'invalid_params',
    );
    assert.equal(
      (await scene.host.refused('message/send', { session: 's99', text: 'x' })).code,
      'session_unknown',
    );
  });

  describe('after a turn that failed', () => {
    const REJECTED = { status: 400, body: { error: { message: 'no' } } };
    const started = () => scene.host.types().filter((type) => type === 'turn_started').length;

    /** A turn that fails at its second answer, with a message queued behind it. */
    async function failed(calls: object[]): Promise<void> {
      scene.server.script([{ calls: calls as never }, REJECTED]);
      await scene.say('go');
      const asked = await scene.asked();
      await scene.say('later', { delivery: 'queue' });
      await scene.allow(asked);
      const end = await scene.host.next('turn_ended');
      assert.deepEqual([end.data.status, end.data.code], ['failed', 'model_rejected']);
    }

    for (const by of ['the next message', 'Continue'])
      it(`T1 T4 what was not read is read by ${by} in the order of acceptance, also over a crash`, async () => {
        scene.server.script([{ calls: [shell('true')] }, REJECTED]);
        await scene.say('go');
        const asked = await scene.asked();
        await scene.say('one', { delivery: 'queue' });
        await scene.say('two', { delivery: 'queue' });
        await scene.allow(asked);
        await scene.host.next('turn_ended');
        await scene.crash();
        assert.deepEqual(
          scene.host.snapshot?.unread.map(({ text }) => text),
          ['one', 'two'],
        );
        scene.server.script([done('1'), done('2'), done('3')]);
        if (by === 'Continue') await scene.host.request('turn/continue', { session: scene.session });
        else {
          const sent = { session: scene.session, text: 'new' };
          assert.equal((await scene.host.request('message/send', sent)).state, 'queued');
        }
        const last = by === 'Continue' ? 'two' : 'new';
        const { turn } = await scene.host.next('message_read', 0, ({ data }) => data.text === last);
        await scene.host.next('turn_ended', 0, (event) => event.turn === turn);
        const read = scene.host.events.flatMap((event) =>
          event.type === 'message_read' ? [[event.data.text, event.turn]] : [],
        );
        assert.deepEqual(
          read,
          [
            ['one', 't2'],
            ['two', 't3'],
            ['new', 't4'],
          ].slice(0, by === 'Continue' ? 2 : 3),
        );
      });

    it('T10 neither a release nor trust that is back starts what was queued before', async () => {
      await failed([shell('true')]);
      await scene.host.request('host/pause', { by: 'test' });
      assert.deepEqual((await scene.host.request('host/resume', { by: 'test' })).starting, []);
      await scene.host.request('settings/update', { trusted: false });
      await scene.host.request('settings/update', { trusted: true });
      assert.equal(started(), 1);
      scene.server.script([done()]);
      const mark = scene.host.mark;
      await scene.host.request('turn/continue', { session: scene.session });
      await scene.host.next('turn_ended', mark);
      assert.ok(texts(2)?.includes('later'));
    });

    it('T10 the end of what runs in the background starts nothing', async () => {
      await failed([shell('exec sleep 60', { background: true })]);
      await scene.host.request('handle/stop', { handle: 'proc:1' });
      await scene.host.next('handle_ended');
      assert.equal(started(), 1);
    });

    it('P5 a message that is sent while paused starts with the release, what was queued first', async () => {
      await failed([shell('true')]);
      await scene.host.request('host/pause', { by: 'test' });
      await scene.say('now');
      scene.server.script([done()]);
      const mark = scene.host.mark;
      const { starting } = await scene.host.request('host/resume', { by: 'test' });
      assert.equal(starting.length, 1);
      await scene.host.next('turn_ended', mark);
      assert.deepEqual(texts(2)?.slice(-2), ['later', 'now']);
    });
  });
});
