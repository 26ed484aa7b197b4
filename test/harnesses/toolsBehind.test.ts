/** Client tools that an agent's work calls behind its turn (R5, C2). */
import assert from 'node:assert/strict';
import { init, result, said, task, toolResult, use } from '../support/agents/claudeWords';
import { agentScenes } from '../support/agents/scene';
import type { Puppet } from '../support/agents/stage';

describe('a client tool that work of Claude’s calls behind its turn', () => {
  const scene = agentScenes('claude');

  const calls = (puppet: Puppet, id: string, question: string) =>
    puppet.say({
      type: 'control_request',
      request_id: id,
      request: {
        subtype: 'mcp_message',
        server_name: 'belay',
        message: {
          jsonrpc: '2.0',
          id: 9,
          method: 'tools/call',
          params: { name: 'ask', arguments: { question }, _meta: { 'claudecode/toolUseId': id } },
        },
      },
    });
  const reply = async (puppet: Puppet, id: string) =>
    JSON.stringify(
      await puppet.messageLike(
        (message) => message['type'] === 'control_response' && JSON.stringify(message).includes(`"${id}"`),
      ),
    );

  async function begun(): Promise<Puppet> {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.say(
      init(),
      use('toolu_1', 'Agent', { prompt: 'clean up', run_in_background: true }),
      { ...task('k1', 'clean up'), tool_use_id: 'toolu_1' },
      toolResult('toolu_1', 'started'),
    );
    return puppet;
  }

  it('R5 C2 is answered at once with what happened', async () => {
    const puppet = await begun();
    await puppet.say(said('ok'), result('ok'));
    await scene.host.next('turn_ended');
    await calls(puppet, 'm1', 'Which?');
    assert.match(await reply(puppet, 'm1'), /turn_ended.*so it was not run/);
  });

  it('R5 C5 one that a person was asked before the turn ended is told that the answer comes later', async () => {
    const puppet = await begun();
    await calls(puppet, 'm2', 'Which?');
    await scene.host.next('question_asked');
    await puppet.say(said('ok'), result('ok'));
    await scene.host.next('turn_ended');
    assert.match(await reply(puppet, 'm2'), /asked in the editor|was asked/);
    assert.equal((await scene.host.request('need/list', {})).items.length, 1);
  });
});
