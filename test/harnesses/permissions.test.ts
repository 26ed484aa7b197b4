/** Requests of outside agents that no row of their turn stands for: each has its answer (R5, H2). */
import assert from 'node:assert/strict';
import { agentScenes } from '../support/agents/scene';
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
