import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { done, scenes, shell, toldOf } from '../support/scene';

describe('a message lifts a wait and cancels nothing', () => {
  const scene = scenes({ settings: { approvals: { holdMs: 0 } } });

  it('L1 L3 L4 a steer lifts a parked approval at once, and the turn reads the message in the same turn', async () => {
    const { server } = scene;
    server.script([{ calls: [shell('echo ran > out.txt', {}, 'c1')] }, done('It writes a file.')]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.host.next('turn_waiting');
    const sent = await scene.host.request('message/send', {
      session: scene.session,
      text: 'first tell me what it does',
      delivery: 'steer',
    });
    assert.equal(sent.state, 'steering');
    const lifted = await scene.host.next('call_lifted');
    assert.equal(lifted.data.handle, 'proc:1');
    assert.equal(lifted.data.waits_for, 'approval');
    const ended = await scene.host.next('turn_ended');
    assert.equal(ended.data.status, 'completed');
    assert.deepEqual(toldOf(server, 'c1'), {
      handle: 'proc:1',
      background: true,
      steered: true,
      waits_for: 'approval',
    });
    const items = server.requests[1]?.items ?? [];
    assert.deepEqual(
      items.slice(-2).map((item) => item.role),
      ['tool', 'user'],
    );
    const listed = await scene.host.request('approval/list', { session: scene.session });
    assert.deepEqual(
      listed.items.map((item) => [item.id, item.handle, item.request]),
      [[asked.id, 'proc:1', 1]],
    );
    assert.equal(existsSync(join(scene.host.workspace, 'out.txt')), false);
  });

  it('L7 L9 L10 an allow after the turn runs the call in the background, and its end wakes the session', async () => {
    const { server } = scene;
    server.script([{ calls: [shell('echo ran | tee out.txt', {}, 'c1')] }, done('Asked.'), done('It ran.')]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.host.next('turn_waiting');
    await scene.say('wait');
    await scene.host.next('turn_ended');
    const mark = scene.host.mark;
    await scene.allow(asked);
    const liftedEnded = await scene.host.next('lifted_ended', mark);
    assert.equal(liftedEnded.data.outcome, 'allowed');
    assert.equal(liftedEnded.data.approvals?.[0]?.by, 'test');
    const ended = await scene.host.next('handle_ended', mark);
    assert.equal(ended.data.end, 'exited');
    assert.equal(ended.data.exit_code, 0);
    await scene.host.next('turn_ended', mark);
    assert.equal(readFileSync(join(scene.host.workspace, 'out.txt'), 'utf8'), 'ran\n');
    const types = scene.host.types(mark);
    assert.equal(types.includes('tool_started'), false);
    assert.ok(types.indexOf('note_told') < types.indexOf('turn_started'));
    const last = server.requests[2]?.items.at(-1);
    assert.ok(last?.role === 'user' && last.text.includes('proc:1') && last.text.includes('ran'));
    assert.equal(types.filter((type) => type === 'handle_ended').length, 1);
  });

  it('L8 a denial after the turn ends the handle with the result that the call would have had', async () => {
    const { server } = scene;
    server.script([{ calls: [shell('touch never')] }, done(), done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.host.next('turn_waiting');
    await scene.say('hm');
    await scene.host.next('turn_ended');
    const mark = scene.host.mark;
    await scene.deny(asked, 'not now');
    const ended = await scene.host.next('lifted_ended', mark);
    assert.equal(ended.data.outcome, 'denied');
    assert.deepEqual(ended.data.result, { error: 'approval_denied', detail: 'not now' });
    assert.equal((await scene.host.next('handle_ended', mark)).data.end, 'denied');
    assert.equal(existsSync(join(scene.host.workspace, 'never')), false);
  });

  it('L6 a lifted request survives a crash with its id, and is answered once afterwards', async () => {
    const { server } = scene;
    server.script([{ calls: [shell('echo late > late.txt')] }, done(), done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.host.next('turn_waiting');
    await scene.say('hm');
    await scene.host.next('turn_ended');
    await scene.crash();
    const needs = await scene.host.request('need/list', {});
    assert.equal(needs.items.length, 1);
    assert.equal(needs.items[0]?.kind === 'approval' && needs.items[0].approval.id, asked.id);
    await scene.allow(asked);
    await scene.host.next('handle_ended');
    assert.equal(readFileSync(join(scene.host.workspace, 'late.txt'), 'utf8'), 'late\n');
    assert.equal(
      (await scene.host.refused('approval/answer', { approval: asked.id, request: 1, decision: 'deny' }))
        .code,
      'approval_answered',
    );
  });

  it('D6 R9 who pages through what waits misses none that is asked meanwhile, also when all before it was answered', async () => {
    scene.server.script([
      { calls: [shell('echo one'), shell('echo two'), shell('echo three')] },
      { calls: [shell('echo four')] },
      done(),
    ]);
    await scene.say('go');
    await scene.host.next('turn_waiting');
    const page = await scene.host.request('need/list', { limit: 2 });
    assert.equal(page.items.length, 2);
    const all = await scene.host.request('need/list', {});
    const mark = scene.host.mark;
    for (const need of all.items) if (need.kind === 'approval') await scene.allow(need.approval);
    const four = await scene.asked(mark);
    const rest = await scene.host.request('need/list', { cursor: page.next ?? '' });
    assert.deepEqual(
      rest.items.map((need) => need.kind === 'approval' && need.approval.id),
      [four.id],
    );
  });

  it('X1 L7 a handle’s time is that of its work: what it waited for its verdict does not count, in its call and in its row alike', async () => {
    scene.server.script([{ calls: [shell('sleep 0.2', {}, 'c1')] }, done(), done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.host.next('turn_waiting');
    await scene.say('hm');
    const lifted = await scene.host.next('call_lifted');
    assert.equal(lifted.data.content.runningAt, undefined);
    await scene.host.next('turn_ended');
    await scene.allow(asked);
    const { at: ranFrom } = await scene.host.next('handle_started');
    const { data, at } = await scene.host.next('handle_ended');
    assert.equal(data.ran_ms, at - ranFrom);
    const { items } = await scene.host.request('handle/list', { session: scene.session });
    const [row] = items;
    assert.deepEqual([row?.runningAt, row?.endedAt], [ranFrom, at]);
    assert.ok(row !== undefined && row.startedAt < ranFrom);
    const read = await scene.host.request('transcript/read', { session: scene.session });
    const call = read.items.flatMap((view) => view.parts).find((part) => part.kind === 'call');
    assert.deepEqual(call?.kind === 'call' && [call.handle_end?.ran_ms, call.handle_end?.at], [
      data.ran_ms,
      at,
    ]);
  });

  it('X1 a command that was lifted while it ran has run since its call was started', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([{ calls: [shell('sleep 1', {}, 'c1')] }, done(), done()]);
    await scene.say('go');
    const { at } = await scene.host.next('tool_started');
    await scene.say('hm');
    const { data } = await scene.host.next('call_lifted');
    assert.equal(data.content.runningAt, at);
    const ended = await scene.host.next('handle_ended');
    assert.equal(ended.data.ran_ms, ended.at - at);
    const { snapshot } = await scene.host.request('events/subscribe', {});
    assert.deepEqual(scene.host.snapshot?.handles, snapshot.handles);
  });

  it('L1 a running foreground command goes on under a handle after the grace', async () => {
    const { server } = scene;
    const gate = join(scene.host.workspace, 'gate');
    server.script([
      { calls: [shell(`while [ ! -e gate ]; do sleep 0.02; done; echo through`, {}, 'c1')] },
      done('Read it.'),
      done('It ended.'),
    ]);
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    await scene.say('go');
    await scene.host.next('tool_started');
    await scene.say('how far are you');
    const lifted = await scene.host.next('call_lifted');
    assert.equal(lifted.data.waits_for, undefined);
    await scene.host.next('turn_ended');
    assert.deepEqual(toldOf(server, 'c1'), { handle: 'proc:1', background: true, steered: true });
    const mark = scene.host.mark;
    writeFileSync(gate, '');
    const ended = await scene.host.next('handle_ended', mark);
    assert.equal(ended.data.exit_code, 0);
    await scene.host.next('turn_ended', mark);
  });

  it('L5 a later call of the same answer that must wait as well is lifted as well, at once', async () => {
    const { server } = scene;
    server.script([{ calls: [shell('touch one', {}, 'c1'), shell('touch two', {}, 'c2')] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_waiting');
    await scene.say('stop and think');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(server, 'c1')['handle'], 'proc:1');
    assert.equal(toldOf(server, 'c2')['handle'], 'proc:2');
    const listed = await scene.host.request('approval/list', {});
    assert.deepEqual(
      listed.items.map((item) => [item.handle, item.request]),
      [
        ['proc:1', 1],
        ['proc:2', 1],
      ],
    );
  });

  it('L8 a question is lifted, and its answer is the handle’s result', async () => {
    const { server } = scene;
    server.script([
      { calls: [{ tool: 'ask', args: { question: 'Which database?', choices: ['a', 'b'] }, id: 'c1' }] },
      done(),
      done(),
    ]);
    await scene.say('go');
    const question = await scene.host.next('question_asked');
    await scene.host.next('turn_waiting');
    await scene.say('why do you ask');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(server, 'c1')['waits_for'], 'answer');
    const mark = scene.host.mark;
    await scene.host.request('question/answer', {
      question: question.data.id,
      answer: { text: 'b' },
      by: 'test',
    });
    const ended = await scene.host.next('lifted_ended', mark);
    assert.equal(ended.data.outcome, 'answered');
    assert.deepEqual(ended.data.result, { answer: 'b' });
    await scene.host.next('turn_ended', mark);
  });

  it('L11 kill withdraws a request that waits, and says that it never ran', async () => {
    const { server } = scene;
    server.script([
      { calls: [shell('touch never')] },
      { calls: [{ tool: 'write_stdin', args: { handle: 'proc:1', kill: true }, id: 'k1' }] },
      { calls: [{ tool: 'write_stdin', args: { handle: 'proc:1', kill: true }, id: 'k2' }] },
      done(),
    ]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.host.next('turn_waiting');
    await scene.say('forget it');
    await scene.host.next('turn_ended');
    assert.deepEqual(toldOf(server, 'k1'), { handle: 'proc:1', stopped: true, ran: false });
    assert.deepEqual(toldOf(server, 'k2'), {
      handle: 'proc:1',
      stopped: true,
      ran: false,
      ended: 'withdrawn',
    });
    const ended = await scene.host.next('lifted_ended');
    assert.equal(ended.data.outcome, 'withdrawn');
    const late = await scene.host.refused('approval/answer', {
      approval: asked.id,
      request: 1,
      decision: 'allow',
    });
    assert.equal(late.code, 'approval_withdrawn');
  });

  it('L1 a wait on handles ends with what has come and what is pending', async () => {
    const { server } = scene;
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    server.script([
      { calls: [shell('while [ ! -e gate ]; do sleep 0.02; done', { background: true }, 'c1')] },
      { calls: [{ tool: 'wait', args: { handles: ['proc:1', 'proc:99'] }, id: 'w1' }] },
      done(),
      { calls: [{ tool: 'wait', args: { handles: ['proc:1'] }, id: 'w2' }] },
      done(),
    ]);
    await scene.say('go');
    await scene.host.next('turn_waiting');
    await scene.say('what are you waiting for');
    await scene.host.next('turn_ended');
    const told = toldOf(server, 'w1');
    assert.deepEqual(told['pending'], ['proc:1']);
    assert.equal(told['steered'], true);
    const mark = scene.host.mark;
    await scene.say('then wait on');
    await scene.host.next('turn_waiting', mark);
    writeFileSync(join(scene.host.workspace, 'gate'), '');
    await scene.host.next('turn_ended', mark);
    const results = toldOf(server, 'w2')['results'] as Record<string, Record<string, unknown>>;
    assert.equal(results['proc:1']?.['ended'], 'exited');
  });
});
