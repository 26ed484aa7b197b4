import assert from 'node:assert/strict';
import { agentScenes, assertGone, isAlive, spoken } from '../support/agents/scene';
import {
  answer,
  begin,
  command,
  item,
  of,
  THREAD,
  told,
  TURN,
  turnTold,
  user,
  words,
} from '../support/agents/serverWords';

describe('codex app-server', () => {
  const scene = agentScenes('codex');

  const begun = (text?: string) => begin(scene, text);

  async function asking() {
    const rest = await begun();
    await rest.puppet.say(item('started', command('call_1', 'echo hi')), {
      ...told('item/commandExecution/requestApproval', {
        ...of(),
        itemId: 'call_1',
        reason: 'write outside?',
        command: "/bin/bash -lc 'echo hi'",
        cwd: scene.host.workspace,
        availableDecisions: ['accept', 'cancel'],
      }),
      id: 0,
    });
    return { ...rest, approval: await scene.asked() };
  }

  it('H1 one thread, one turn: deltas, words, calls and usage; and the next prompt finds it warm', async () => {
    const { puppet, started, asked } = await begun('list');
    const params = started['params'] as Record<string, unknown>;
    assert.equal(params['approvalPolicy'], 'untrusted');
    assert.equal(params['cwd'], scene.host.workspace);
    assert.deepEqual((asked['params'] as { input: unknown }).input, [
      { type: 'text', text: 'list', text_elements: [] },
    ]);
    await puppet.error('\u001b[31mwarning\u001b[0m\n');
    await puppet.say(
      told('item/agentMessage/delta', { ...of(), itemId: 'm1', delta: 'It ' }),
      item('completed', words('m1', 'It is one.')),
      item('started', command('call_1', 'ls', { processId: '7' })),
      told('item/commandExecution/outputDelta', { ...of(), itemId: 'call_1', delta: 'a.txt\n' }),
      item(
        'completed',
        command('call_1', 'ls', {
          processId: '7',
          status: 'completed',
          aggregatedOutput: 'a.txt\n',
          exitCode: 0,
        }),
      ),
      told('thread/tokenUsage/updated', {
        ...of(),
        tokenUsage: { last: { inputTokens: 10, cachedInputTokens: 2, outputTokens: 5 } },
      }),
      turnTold('turn/completed', 'completed'),
    );
    const end = await scene.host.next('turn_ended');
    assert.deepEqual(end.data.usage, { inputTokens: 10, outputTokens: 5, cachedTokens: 2 });
    assert.deepEqual(spoken(scene.host), ['It is one.']);
    const mark = scene.host.mark;
    await scene.say('more');
    await answer(puppet, 'turn/start', { turn: { id: 'second', status: 'inProgress' } });
    await puppet.say(
      turnTold('turn/started', 'inProgress', 'second'),
      turnTold('turn/completed', 'completed', 'second'),
    );
    await scene.host.next('turn_ended', mark);
    assert.equal(scene.stage.runs.length, 1);
  });

  it('H2 request id 0 meets none of ours; accept runs it, decline tells it', async () => {
    const { puppet, approval } = await asking();
    const { items } = await scene.host.request('approval/list', {});
    assert.equal(items[0]?.title, 'echo hi');
    await scene.verdict(approval, 'allow');
    const reply = await puppet.messageLike((message) => message['id'] === 0);
    assert.deepEqual(reply['result'], { decision: 'accept' });
    await puppet.say(
      item(
        'completed',
        command('call_1', 'echo hi', { status: 'completed', aggregatedOutput: 'hi\n', exitCode: 0 }),
      ),
      item('started', command('call_2', 'rm x')),
      {
        ...told('item/commandExecution/requestApproval', {
          ...of(),
          itemId: 'call_2',
          command: 'rm x',
          cwd: '/repo',
        }),
        id: 1,
      },
    );
    const second = await scene.host.next('approval_requested', 0, (event) => event.data.call_id === 'call_2');
    await scene.verdict({ id: second.data.id, request: 1 }, 'deny', { reason: 'no' });
    const denied = await puppet.messageLike((message) => message['id'] === 1);
    assert.deepEqual(denied['result'], { decision: 'decline' });
    await puppet.say(
      item('completed', command('call_2', 'rm x', { status: 'declined' })),
      turnTold('turn/completed', 'completed'),
    );
    await scene.host.next('turn_ended');
    const results = scene.host.events.filter((event) => event.type === 'tool_completed');
    assert.deepEqual(
      results.map((event) => (event.data.result as { error?: string }).error),
      [undefined, 'approval_denied'],
    );
  });

  it('L1 T4 a steer is handed over while a permission waits, and read when codex says so', async () => {
    const { puppet, approval } = await asking();
    await scene.say('hurry');
    const steer = await answer(puppet, 'turn/steer', { turnId: TURN });
    assert.equal((steer['params'] as { expectedTurnId: string }).expectedTurnId, TURN);
    assert.equal((await scene.host.next('message_handed')).data.reads, 'after_request');
    await scene.verdict(approval, 'allow');
    await puppet.say(
      item('completed', command('call_1', 'echo hi', { status: 'completed', exitCode: 0 })),
      item('started', user('u2')),
      item('completed', user('u2')),
    );
    const read = await scene.host.next('message_read', 0, (event) => event.data.text === 'hurry');
    assert.ok(read.seq > 0);
    await puppet.say(turnTold('turn/completed', 'completed'));
    await scene.host.next('turn_ended');
    assert.equal(scene.host.events.filter((event) => event.type === 'turn_started').length, 1);
  });

  it('T4 H1 a steer is handed over with what is attached to it', async () => {
    const { puppet } = await begun();
    const selection = { kind: 'selection', path: 'a.ts', range: [1, 2], text: 'const a = 1;' };
    await scene.say('this one', { context: [selection] });
    const steer = await answer(puppet, 'turn/steer', { turnId: TURN });
    const [input] = (steer['params'] as { input: { text: string }[] }).input;
    assert.match(input?.text ?? '', /a\.ts[^]*const a = 1;[^]*this one|this one[^]*a\.ts[^]*const a = 1;/);
    await puppet.say(turnTold('turn/completed', 'completed'));
    await scene.host.next('turn_ended');
  });

  it('T3 a steer that codex refuses waits for the next turn', async () => {
    const { puppet } = await begun();
    await scene.say('late');
    const steer = await puppet.messageLike((message) => message['method'] === 'turn/steer');
    await puppet.say(
      { id: steer['id'], error: { code: -32600, message: 'expected active turn id' } },
      turnTold('turn/completed', 'completed'),
    );
    const asked = await answer(puppet, 'turn/start', { turn: { id: 'next', status: 'inProgress' } });
    assert.deepEqual((asked['params'] as { input: { text: string }[] }).input[0]?.text, 'late');
  });

  it('H4 an interrupt terminates what still runs; the permission that waited is withdrawn; the process stays', async () => {
    const { puppet, turn } = await asking();
    const stray = await puppet.spawn('stray', 'sleep 300');
    await puppet.say(item('started', command('call_9', 'sleep 401', { processId: '51' })));
    const interrupted = scene.host.request('turn/interrupt', { session: scene.session, turn });
    await answer(puppet, 'turn/interrupt', {});
    await puppet.say(
      turnTold('turn/completed', 'interrupted'),
      told('serverRequest/resolved', { threadId: THREAD, requestId: 0 }),
    );
    await answer(puppet, 'thread/backgroundTerminals/list', {
      data: [{ processId: '51', itemId: 'call_9' }],
    });
    const terminate = await puppet.messageLike(
      (message) => message['method'] === 'thread/backgroundTerminals/terminate',
    );
    await puppet.say(
      { id: terminate['id'], result: { terminated: true } },
      item('completed', command('call_9', 'sleep 401', { processId: '51', status: 'failed', exitCode: -1 })),
    );
    await interrupted;
    const end = await scene.host.next('turn_ended');
    assert.deepEqual(end.data.stoppedBy, { step: 'backgroundTerminals/terminate', survivors: [] });
    assert.deepEqual((await scene.host.request('approval/list', {})).items, []);
    assertGone([stray]);
    assert.ok(isAlive(puppet.pid));
  });

  it('H5 a sub-agent’s turn ends nothing; an item that completes behind the turn is no trouble', async () => {
    const { puppet } = await begun();
    await puppet.say(
      turnTold('turn/started', 'inProgress', 'childturn', 'childthread'),
      turnTold('turn/completed', 'completed', 'childturn', 'childthread'),
      item('started', command('call_1', 'sleep 3', { processId: '9' })),
      item('completed', words('m1', 'Started.')),
      turnTold('turn/completed', 'completed'),
      item('completed', command('call_1', 'sleep 3', { processId: '9', status: 'completed', exitCode: 0 })),
    );
    const end = await scene.host.next('turn_ended');
    assert.equal(end.data.status, 'completed');
    assert.deepEqual(spoken(scene.host), ['Started.']);
    const call = scene.host.events.find((event) => event.type === 'tool_completed');
    assert.deepEqual(call?.data.result, { handle: 'proc:1', background: true });
    const over = await scene.host.next('handle_ended');
    assert.deepEqual([over.data.handle, over.data.end, over.data.exit_code], ['proc:1', 'exited', 0]);
  });

  it('H6 a thread that is gone is told, and the next message begins a new one', async () => {
    const { puppet } = await begun();
    await puppet.say(turnTold('turn/completed', 'completed'));
    await scene.host.next('turn_ended');
    await puppet.exit(0);
    const mark = scene.host.mark;
    await scene.say('two');
    const second = await scene.stage.next();
    await answer(second, 'initialize', {});
    const asked = await second.messageLike((message) => message['method'] === 'thread/resume');
    assert.equal((asked['params'] as { threadId: string }).threadId, THREAD);
    await second.say({ id: asked['id'], error: { code: -32600, message: 'no rollout found for thread id' } });
    const end = await scene.host.next('turn_ended', mark);
    assert.equal(end.data.code, 'conversation_lost');
    // The next one starts once this one has been seen gone, and a puppet goes when it is told to.
    void second.die('SIGKILL');
    await scene.say('three');
    const third = await scene.stage.next();
    await answer(third, 'initialize', {});
    await third.messageLike((message) => message['method'] === 'thread/start');
  });

  it('H2 A6 a permission outlives its process: an allow resumes the thread with a grant for exactly that, once', async () => {
    const { puppet, approval } = await asking();
    await puppet.die('SIGKILL');
    await scene.host.next('turn_waiting');
    await scene.crash();
    const { items } = await scene.host.request('approval/list', {});
    assert.equal(items[0]?.id, approval.id);
    await scene.verdict(approval, 'allow');
    const second = await scene.stage.next();
    await answer(second, 'initialize', {});
    await answer(second, 'thread/resume', { thread: { id: THREAD } });
    const asked = await answer(second, 'turn/start', { turn: { id: 'again', status: 'inProgress' } });
    const [input] = (asked['params'] as { input: { text: string }[] }).input;
    assert.match(
      input?.text ?? '',
      /the person allowed this request of yours, once: echo hi\. Make exactly the same call/,
    );
    await second.say(
      turnTold('turn/started', 'inProgress', 'again'),
      told('item/started', { threadId: THREAD, turnId: 'again', item: command('call_7', 'echo hi') }),
      {
        ...told('item/commandExecution/requestApproval', {
          threadId: THREAD,
          turnId: 'again',
          itemId: 'call_7',
          command: "/bin/bash -lc 'echo hi'",
          cwd: scene.host.workspace,
        }),
        id: 0,
      },
    );
    const reply = await second.messageLike((message) => message['id'] === 0);
    assert.deepEqual(reply['result'], { decision: 'accept' }, 'it was not asked for again');
    await second.say(
      told('item/completed', {
        threadId: THREAD,
        turnId: 'again',
        item: command('call_7', 'echo hi', { status: 'completed', aggregatedOutput: 'hi\n', exitCode: 0 }),
      }),
      // The same once more is another request.
      told('item/started', { threadId: THREAD, turnId: 'again', item: command('call_8', 'echo hi') }),
      {
        ...told('item/commandExecution/requestApproval', {
          threadId: THREAD,
          turnId: 'again',
          itemId: 'call_8',
          command: "/bin/bash -lc 'echo hi'",
          cwd: scene.host.workspace,
        }),
        id: 1,
      },
    );
    const done = await scene.host.next('tool_completed');
    assert.equal(done.data.call_id, 'call_1', 'the call that was asked for has its result');
    const again = await scene.host.next('approval_requested');
    assert.equal(again.data.call_id, 'call_8');
  });

  it('H2 H6 an allow that reaches no conversation ends as undeliverable, runs nothing, and offers the task again', async () => {
    const { turn } = (await scene.say('go')) as { turn: never };
    const puppet = await scene.stage.next();
    await answer(puppet, 'initialize', {});
    await answer(puppet, 'thread/start', { thread: { id: THREAD } });
    await answer(puppet, 'turn/start', { turn: { id: TURN, status: 'inProgress' } });
    // It asks before its turn is known to have begun: such a thread cannot be resumed.
    await puppet.say({
      ...told('item/commandExecution/requestApproval', {
        ...of(),
        itemId: 'call_1',
        command: "/bin/bash -lc 'echo hi'",
        cwd: scene.host.workspace,
      }),
      id: 0,
    });
    const approval = await scene.asked();
    await puppet.die('SIGKILL');
    await scene.host.next('turn_waiting');
    const mark = scene.host.mark;
    await scene.verdict(approval, 'allow');
    const end = await scene.host.next('turn_ended', mark);
    assert.equal(end.turn, turn);
    assert.equal(end.data.code, 'conversation_lost');
    assert.match(end.data.detail ?? '', /Run the task again\.$/);
    const result = await scene.host.next('tool_completed', mark);
    assert.deepEqual(result.data.result, {
      error: 'request_undeliverable',
      detail: 'The process that asked is gone, and its conversation cannot be resumed: it has not run.',
    });
    assert.equal(scene.stage.runs.length, 1, 'no process is started for it');
    assert.deepEqual((await scene.host.request('approval/list', {})).items, []);
  });

  it('H2 C8 a denial that the process did not live to hear is told with the resume', async () => {
    const { puppet, approval } = await asking();
    await puppet.die('SIGKILL');
    await scene.host.next('turn_waiting');
    await scene.verdict(approval, 'deny', { reason: 'too risky' });
    const second = await scene.stage.next();
    await answer(second, 'initialize', {});
    await answer(second, 'thread/resume', { thread: { id: THREAD } });
    const asked = await answer(second, 'turn/start', { turn: { id: 'again', status: 'inProgress' } });
    const [input] = (asked['params'] as { input: { text: string }[] }).input;
    assert.match(input?.text ?? '', /echo hi was not allowed \(too risky\)\. It has not run/);
  });

  it('P1 H4 a pause while it is prepared waits for no step that could end nothing', async () => {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.messageLike((message) => message['method'] === 'initialize');
    const { mark } = scene.host;
    const paused = scene.host.request('host/pause', { by: 'test' });
    await puppet.until(() => puppet.eof || undefined);
    assert.equal(puppet.lines.length, 1, 'nothing was asked of a process without a thread');
    await puppet.exit(0);
    await paused;
    await scene.host.next('host_quiet', mark);
  });

  it('P5 H7 an allow while everything is paused is recorded, and reaches the agent after release', async () => {
    const { puppet, approval } = await asking();
    const paused = scene.host.request('host/pause', { by: 'test' });
    await puppet.messageLike((message) => message['method'] === 'turn/interrupt');
    await puppet.exit(0);
    await paused;
    assert.equal((await scene.host.request('approval/list', {})).items.length, 1);
    await scene.verdict(approval, 'allow');
    assert.equal(scene.stage.runs.length, 1);
    await scene.host.request('host/resume', { by: 'test' });
    const second = await scene.stage.next();
    await answer(second, 'initialize', {});
    await answer(second, 'thread/resume', { thread: { id: THREAD } });
    const asked = await answer(second, 'turn/start', { turn: { id: 'again', status: 'inProgress' } });
    const [input] = (asked['params'] as { input: { text: string }[] }).input;
    assert.match(input?.text ?? '', /the person allowed this request of yours, once: echo hi/);
  });
});
