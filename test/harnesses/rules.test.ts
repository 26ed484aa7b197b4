/** A name that an agent gives to a call of its own is its word alone (A3). */
import assert from 'node:assert/strict';
import { agentScenes } from '../support/agents/scene';
import type { Puppet } from '../support/agents/stage';

describe('rules and the calls of an ACP agent', () => {
  const scene = agentScenes('acp:puppet');

  async function reply(puppet: Puppet, method: string, result: object): Promise<void> {
    const { id } = await puppet.messageLike((message) => message['method'] === method);
    await puppet.say({ jsonrpc: '2.0', id, result });
  }

  async function begun(): Promise<Puppet> {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await reply(puppet, 'initialize', { protocolVersion: 1, agentCapabilities: {} });
    await reply(puppet, 'session/new', { sessionId: 'acp-1' });
    await puppet.messageLike((message) => message['method'] === 'session/prompt');
    return puppet;
  }

  const asks = (puppet: Puppet, id: number, name: string) =>
    puppet.say({
      jsonrpc: '2.0',
      id,
      method: 'session/request_permission',
      params: {
        sessionId: 'acp-1',
        toolCall: {
          toolCallId: `c${String(id)}`,
          title: 'deploy to production',
          name,
          kind: 'other',
          rawInput: { script: 'deploy.sh' },
        },
        options: [
          { kind: 'allow_once', name: 'a', optionId: 'yes' },
          { kind: 'reject_once', name: 'r', optionId: 'no' },
        ],
      },
    });
  const answered = async (puppet: Puppet, id: number) =>
    (await puppet.messageLike((message) => message['id'] === id && 'result' in message))['result'];

  const rule = (effect: 'allow' | 'deny', tool: string) =>
    scene.host.request('rule/add', {
      effect,
      scope: 'workspace',
      match: { kind: 'tool', tool },
      by: 'test',
    });

  it('A3 a rule for a tool of Belay’s covers nothing that an agent names so; its own rule says whose call it covers', async () => {
    await rule('allow', 'shell');
    const puppet = await begun();
    await asks(puppet, 7, 'shell');
    const asked = await scene.host.next('approval_requested');
    assert.deepEqual(
      asked.data.offers.map((offer) => offer.label),
      Array(2).fill('every call that the agent acp:puppet names shell'),
    );
    await scene.verdict(asked.data, 'allow', { scope: 'workspace' });
    const yes = { outcome: { outcome: 'selected', optionId: 'yes' } };
    assert.deepEqual(await answered(puppet, 7), yes);
    await asks(puppet, 8, 'shell');
    assert.deepEqual(await answered(puppet, 8), yes);
    assert.equal(scene.host.events.filter((event) => event.type === 'approval_requested').length, 1);
  });

  it('A1 a rule that denies a name denies it to everybody', async () => {
    await rule('deny', 'shell');
    const puppet = await begun();
    await asks(puppet, 7, 'shell');
    assert.deepEqual(await answered(puppet, 7), { outcome: { outcome: 'selected', optionId: 'no' } });
  });
});
