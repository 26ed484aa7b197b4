import assert from 'node:assert/strict';
import type { CallPart, Part, SessionId } from '../../protocol';
import { HostClient, localModel } from '../support/hostClient';
import { done, scenes, shell, toldOf } from '../support/scene';

const isCall = (part: Part): part is CallPart => part.kind === 'call';
const errorOf = ({ result }: CallPart): unknown =>
  typeof result === 'object' && result !== null && 'error' in result ? result.error : undefined;

describe('copies of a session in which something waits', () => {
  const scene = scenes({ settings: { approvals: { holdMs: 0 } } });

  const partsOf = async (session: SessionId): Promise<readonly Part[]> =>
    (await scene.host.request('transcript/read', { session })).items.flatMap((view) => view.parts);
  const callsOf = async (session: SessionId) => (await partsOf(session)).filter(isCall);
  const exported = async () =>
    (await scene.host.request('session/export', { session: scene.session, format: 'json' })).text;

  /** The same by both ways: what a fork gives, and what the import of an export does. */
  const ways = {
    fork: () => scene.host.request('session/fork', { session: scene.session }),
    import: async () =>
      scene.host.request('session/import', { text: await exported(), folder: scene.host.workspace }),
  };

  for (const [way, copy] of Object.entries(ways)) {
    it(`R5 L9 after copying by ${way} a lifted call that still waits has ended there, its model knows, and the original answers it`, async () => {
      scene.server.script([
        { calls: [shell('echo one', {}, 'c1'), { tool: 'ask', args: { question: 'Which?' }, id: 'c2' }] },
        done('Read you.'),
      ]);
      await scene.say('go');
      const approval = await scene.asked();
      await scene.host.next('turn_waiting');
      await scene.say('steer');
      await scene.host.next('turn_ended');
      const { session, warnings } = await copy();
      assert.deepEqual(warnings, ['Handles stayed with the original (2): in the copy they have ended.']);
      const calls = await callsOf(session.id);
      assert.deepEqual(
        calls.map((call) => [call.call_id, call.state, call.handle_end?.end]),
        [
          ['c1', 'lifted', 'withdrawn'],
          ['c2', 'lifted', 'withdrawn'],
        ],
      );
      const ended = (await partsOf(session.id)).filter((part) => part.kind === 'lifted_end');
      assert.deepEqual(
        ended.map((part) => part.kind === 'lifted_end' && [part.call_id, part.outcome]),
        [
          ['c1', 'withdrawn'],
          ['c2', 'withdrawn'],
        ],
      );
      const mark = scene.host.mark;
      scene.server.script([done('Went on.')]);
      await scene.host.request('message/send', { session: session.id, text: 'and now' });
      await scene.host.next('turn_ended', mark);
      const heard = scene.server.requests.at(-1)?.items.filter((item) => item.role === 'user') ?? [];
      assert.match(
        heard.map((item) => item.text).join('\n'),
        /proc:1 "echo one": withdrawn\]\nIt belongs to/,
      );
      const before = scene.host.mark;
      scene.server.script([done('Heard of it.')]);
      await scene.allow(approval);
      await scene.host.next('turn_ended', before);
      assert.deepEqual(
        (await callsOf(session.id)).map((call) => call.handle_end?.end),
        ['withdrawn', 'withdrawn'],
        'what the original does is nothing to the copy',
      );
    });

    it(`A3 R5 after copying by ${way} a command that the person changed is told as it ran, with both texts`, async () => {
      const lifted = shell('echo late', {}, 'c2');
      scene.server.script([{ calls: [shell('echo one', {}, 'c1')] }, { calls: [lifted] }, done(), done()]);
      await scene.say('go');
      const first = await scene.asked();
      const before = scene.host.mark;
      await scene.allow(first, { command: 'echo two' });
      const second = await scene.asked(before);
      await scene.say('steer');
      await scene.host.next('turn_ended');
      const { mark } = scene.host;
      await scene.allow(second, { command: 'echo later' });
      await scene.host.next('turn_ended', mark);
      const { session } = await copy();
      const told = (parts: readonly Part[]) =>
        parts.flatMap((part) => {
          if (part.kind === 'lifted_end') return [part.title];
          return isCall(part) ? [part.title, part.args, part.edited] : [];
        });
      assert.deepEqual(told(await partsOf(session.id)), [
        ...['echo two', { command: 'echo two' }, { from: 'echo one', to: 'echo two' }],
        ...['echo later', { command: 'echo later' }, { from: 'echo late', to: 'echo later' }],
        'echo later',
      ]);
      assert.deepEqual(told(await partsOf(session.id)), told(await partsOf(scene.session)));
    });

    it(`R10 T5 after copying by ${way} a turn that waits, its message is there, and each of its calls has ended`, async () => {
      scene.server.script([
        { calls: [shell('echo one', {}, 'c1'), shell('echo two', {}, 'c2')] },
        done('Once more.'),
      ]);
      await scene.say('the first thing');
      await scene.host.next('turn_waiting');
      const { session, warnings } = await copy();
      assert.deepEqual(warnings, [
        'A turn that had not ended stayed with the original: in the copy it ends as interrupted.',
        'Calls that wait or run stayed with the original (2): the copy says that of each.',
      ]);
      assert.deepEqual([session.state, session.ended?.status], ['idle', 'interrupted']);
      const [first] = await partsOf(session.id);
      assert.equal(first?.kind === 'message' && first.text, 'the first thing');
      assert.deepEqual(
        (await callsOf(session.id)).map((call) => [call.state, errorOf(call)]),
        [
          ['failed', 'cancelled'],
          ['failed', 'cancelled'],
        ],
      );
      assert.equal((await scene.host.request('need/list', {})).items.length, 2, 'the original still waits');
      const mark = scene.host.mark;
      await scene.host.request('turn/continue', { session: session.id });
      await scene.host.next('turn_ended', mark);
      assert.match(String(toldOf(scene.server, 'c1')['detail']), /stayed with the session/);
      assert.match(String(toldOf(scene.server, 'c2')['detail']), /stayed with the session/);
    });
  }

  it('R5 R3 a command that runs is of unknown outcome in the copy, and one in the background is lost there', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([
      { calls: [shell('sleep 60', { background: true }, 'c1'), shell('sleep 61', {}, 'c2')] },
    ]);
    await scene.say('go');
    await scene.host.next('tool_started', 0, (event) => event.data.call_id === 'c2');
    const { session, warnings } = await ways.fork();
    assert.equal(warnings.length, 3);
    assert.deepEqual(
      (await callsOf(session.id)).map((call) => [call.call_id, call.state, call.handle_end?.end]),
      [
        ['c1', 'completed', 'lost'],
        ['c2', 'failed', undefined],
      ],
    );
    const cut = (await callsOf(session.id))[1];
    assert.equal(cut === undefined ? undefined : errorOf(cut), 'outcome_unknown');
    const { items } = await scene.host.request('handle/list', { session: session.id });
    assert.deepEqual(items, []);
  });

  it('R5 a fork that ends earlier has the note of then, and says that what scripts have stored stayed', async () => {
    const note = (text: string) => ({ tool: 'note', args: { text } });
    const code = "store('k', 'LATER'); return 1;";
    scene.server.script([{ calls: [note('of the first turn')] }, done()]);
    await scene.say('one');
    const first = (await scene.host.next('turn_ended')).turn ?? '';
    scene.server.script([{ calls: [note('of the second'), { tool: 'exec', args: { code } }] }, done()]);
    const mark = scene.host.mark;
    await scene.say('two');
    await scene.host.next('turn_ended', mark);
    const { session, warnings } = await scene.host.request('session/fork', {
      session: scene.session,
      turn: first,
    });
    assert.deepEqual(warnings, ['What scripts have stored stayed with the original (1).']);
    scene.server.script([{ calls: [{ tool: 'exec', args: { code: "return String(load('k'));" } }] }, done()]);
    const later = scene.host.mark;
    await scene.host.request('message/send', {
      session: session.id,
      text: 'and?',
      clientId: 'early-1',
      delivery: 'steer',
    });
    const { data } = await scene.host.next('tool_completed', later);
    assert.match(JSON.stringify(data.result), /undefined/);
    const asked = JSON.stringify(scene.server.requests.at(-1));
    assert.match(asked, /of the first turn/);
    assert.doesNotMatch(asked, /of the second/);
  });

  it('R10 messages that are not read yet are counted in what a fork leaves out', async () => {
    scene.server.script([{ calls: [shell('echo one')] }]);
    await scene.say('go');
    await scene.host.next('turn_waiting');
    await scene.say('later', { delivery: 'queue' });
    const { warnings } = await ways.fork();
    assert.equal(warnings.at(-1), 'Messages that the agent has not read stayed with the original (1).');
  });

  it('protocol: a fork and an import leave no gap in the numbers of live events, in a joined window neither', async () => {
    scene.server.script([{ calls: [shell('echo one')] }, done()]);
    await scene.say('go');
    await scene.allow(await scene.asked());
    await scene.host.next('turn_ended');
    const second = HostClient.spawn({
      settings: localModel(scene.server.url),
      storeDir: scene.host.storeDir,
      workspace: scene.host.workspace,
    });
    try {
      await second.initialize();
      const from = second.snapshot?.seq ?? 0;
      const marks = [scene.host.mark, second.mark] as const;
      const { session: fork } = await ways.fork();
      const { session: again } = await ways.import();
      await scene.host.request('session/update', { session: scene.session, title: 'the last' });
      for (const [at, window] of [scene.host, second].entries()) {
        await window.next('session_updated', marks[at] ?? 0);
        const numbers = window.events.slice(marks[at]).map((event) => event.seq);
        assert.deepEqual(
          numbers,
          numbers.map((_, index) => from + 1 + index),
        );
        const { snapshot } = await window.request('events/subscribe', {});
        assert.deepEqual(window.snapshot, snapshot);
      }
      const { items } = await scene.host.request('events/list', { after: from });
      assert.deepEqual(
        items.map((event) => event.type),
        ['session_created', 'session_created', 'session_updated'],
      );
      for (const id of [fork.id, again.id])
        assert.deepEqual(
          (await callsOf(id)).map((call) => call.state),
          ['completed'],
        );
      const found = await second.request('session/search', { text: 'go' });
      assert.equal(found.items.length, 3, 'what was copied is found as well');
      const { session: twice } = await scene.host.request('session/fork', { session: fork.id });
      assert.deepEqual(
        (await callsOf(twice.id)).map((call) => call.state),
        ['completed'],
        'a fork of a fork has it all',
      );
    } finally {
      await second.stop();
    }
  });
});
