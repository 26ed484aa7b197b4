/** Requests of outside agents that no row of their turn stands for: each has its answer (R5, H2). */
import assert from 'node:assert/strict';
import { agentScenes } from '../support/agents/scene';
import { canUse, init, result, said, task, taskEnd, toolResult, use } from '../support/agents/claudeWords';
import type { Puppet } from '../support/agents/stage';

async function answer(puppet: Puppet, method: string, result: object): Promise<void> {
  const asked = await puppet.messageLike((message) => message['method'] === method);
  await puppet.say({ jsonrpc: '2.0', id: asked['id'], result });
}

describe('a permission for a tool of Belay', () => {
  const scene = agentScenes('acp:puppet');

  async function asks(toolCall: object): Promise<Puppet> {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await answer(puppet, 'initialize', { protocolVersion: 1, agentCapabilities: { loadSession: true } });
    await answer(puppet, 'session/new', { sessionId: 'acp-1' });
    await puppet.messageLike((message) => message['method'] === 'session/prompt');
    await puppet.say({
      jsonrpc: '2.0',
      id: 7,
      method: 'session/request_permission',
      params: {
        sessionId: 'acp-1',
        toolCall: { toolCallId: 'c7', title: 'ask (belay)', name: 'mcp__belay__ask', ...toolCall },
        options: [
          { kind: 'allow_once', name: 'Allow', optionId: 'yes' },
          { kind: 'reject_once', name: 'Reject', optionId: 'no' },
        ],
      },
    });
    return puppet;
  }
  const reply = (puppet: Puppet) =>
    puppet.messageLike((message) => message['id'] === 7 && 'result' in message);

  it('R5 H2 is given at once: its call is judged and asked for where it is served', async () => {
    const puppet = await asks({ kind: 'other', rawInput: { question: 'which?' } });
    const { result } = await reply(puppet);
    assert.deepEqual(result, { outcome: { outcome: 'selected', optionId: 'yes' } });
    assert.deepEqual((await scene.host.request('need/list', {})).items, []);
  });

  it('A1 a command under the name of such a tool is asked for like any other', async () => {
    const puppet = await asks({ kind: 'execute', rawInput: { command: 'rm -rf build' } });
    const approval = await scene.asked();
    const [listed] = (await scene.host.request('approval/list', {})).items;
    assert.equal(listed?.title, 'rm -rf build');
    await scene.verdict(approval, 'deny');
    const { result } = await reply(puppet);
    assert.deepEqual(result, { outcome: { outcome: 'selected', optionId: 'no' } });
  });
});

describe('a permission that work behind a run asks for', () => {
  const scene = agentScenes('claude');
  const replyTo = (puppet: Puppet, request: string) =>
    puppet
      .messageLike(
        (message) =>
          message['type'] === 'control_response' &&
          (message['response'] as { request_id: string }).request_id === request,
      )
      .then((message) => (message['response'] as { response: object }).response);

  /** A run of Claude's that has started a sub-agent which goes on. */
  async function started(): Promise<Puppet> {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.say(
      init(),
      use('toolu_1', 'Agent', { prompt: 'clean up', run_in_background: true }),
      { ...task('k1', 'clean up'), tool_use_id: 'toolu_1' },
      toolResult('toolu_1', 'started'),
      said('I have started it.'),
    );
    return puppet;
  }
  const asks = (request: string, command: string) => canUse(request, `of_${request}`, 'Bash', { command });

  it('H2 R5 is asked for in a turn of its own, which is over with the answer', async () => {
    const puppet = await started();
    await puppet.say(result('I have started it.'));
    await scene.host.next('turn_ended');
    const { mark } = scene.host;
    await puppet.say(asks('r1', 'touch made.txt'));
    const first = await scene.asked(mark);
    const [need] = (await scene.host.request('need/list', {})).items;
    assert.equal(need?.kind, 'approval');
    await puppet.say(asks('r2', 'rm -rf x'));
    const second = await scene.host.next('approval_requested', mark, ({ data }) => data.id !== first.id);
    await scene.verdict(first, 'allow');
    assert.deepEqual(await replyTo(puppet, 'r1'), {
      behavior: 'allow',
      updatedInput: { command: 'touch made.txt' },
    });
    assert.ok(!scene.host.types(mark).includes('turn_ended'), 'the other one still waits');
    await scene.verdict({ id: second.data.id, request: 1 }, 'deny', { reason: 'no' });
    assert.equal(((await replyTo(puppet, 'r2')) as { behavior: string }).behavior, 'deny');
    const end = await scene.host.next('turn_ended', mark);
    assert.equal(end.data.status, 'completed');
    assert.equal((await scene.host.request('handle/list', {})).items[0]?.state, 'running');
  });

  it('H2 one that the run did not wait for keeps its turn until it is answered', async () => {
    const puppet = await started();
    await puppet.say(asks('r1', 'touch made.txt'), result('I have started it.'));
    const approval = await scene.asked();
    await scene.host.next('handle_started');
    await scene.verdict(approval, 'allow');
    assert.equal(((await replyTo(puppet, 'r1')) as { behavior: string }).behavior, 'allow');
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
    const { mark } = scene.host;
    await scene.say('more');
    await puppet.messageLike((message) => message['type'] === 'user');
    await puppet.say(init(), said('Yes.'), result('Yes.'));
    assert.equal((await scene.host.next('turn_ended', mark)).data.status, 'completed');
  });

  it('R5 the agent’s own turn that begins meanwhile is the same, and ends as its run does', async () => {
    const puppet = await started();
    await puppet.say(asks('r1', 'touch made.txt'), result('I have started it.'));
    const approval = await scene.asked();
    await scene.host.next('handle_started');
    await puppet.say(taskEnd('k1', 'completed'), init(), said('It is done.'));
    await scene.host.next('message_completed', 0, ({ data }) => data.text === 'It is done.');
    await scene.verdict(approval, 'allow');
    await replyTo(puppet, 'r1');
    await puppet.say(result('It is done.'));
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
    assert.equal(scene.host.events.filter((event) => event.type === 'turn_started').length, 1);
  });

  it('H4 an interrupt of such a turn denies what waits, and leaves the work', async () => {
    const puppet = await started();
    await puppet.say(result('I have started it.'));
    await scene.host.next('turn_ended');
    const { mark } = scene.host;
    await puppet.say(asks('r1', 'touch made.txt'));
    await scene.asked(mark);
    const { turn } = await scene.host.next('turn_started', mark);
    await scene.host.request('turn/interrupt', { session: scene.session, turn: turn as never });
    assert.equal(((await replyTo(puppet, 'r1')) as { behavior: string }).behavior, 'deny');
    assert.equal((await scene.host.next('turn_ended', mark)).data.status, 'interrupted');
    assert.deepEqual((await scene.host.request('need/list', {})).items, []);
    assert.equal((await scene.host.request('handle/list', {})).items[0]?.state, 'running');
  });

  it('A6 H2 R5 one whose process is gone stays, and an allow resumes the conversation with a grant', async () => {
    const puppet = await started();
    await puppet.say(result('I have started it.'));
    await scene.host.next('turn_ended');
    const { mark } = scene.host;
    await puppet.say(asks('r1', 'touch made.txt'));
    const approval = await scene.asked(mark);
    await puppet.die('SIGKILL');
    await scene.host.next('handle_ended', mark);
    assert.equal((await scene.host.request('approval/list', {})).items.length, 1);
    await scene.verdict(approval, 'allow');
    const second = await scene.stage.next();
    const prompt = await second.messageLike((message) => message['type'] === 'user');
    assert.match(JSON.stringify(prompt), /allowed this request of yours, once: touch made.txt/);
  });
});
