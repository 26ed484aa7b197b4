/** Client tools that are registered while an agent's process is there (C2). */
import assert from 'node:assert/strict';
import { init, result, said, SESSION, task, toolResult, use } from '../support/agents/claudeWords';
import { agentScenes } from '../support/agents/scene';
import { answer, begin, turnTold } from '../support/agents/serverWords';
import type { Puppet } from '../support/agents/stage';

describe('a client tool that comes after Claude has started', () => {
  const scene = agentScenes('claude');
  const register = () =>
    scene.host.request('clientTool/register', {
      client: 'w1',
      tools: [{ name: 'lookup', schema: { type: 'object' } }] as never,
    });

  async function ended(rest: readonly object[] = []): Promise<Puppet> {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.say(init(), ...rest, said('ok'), result('ok'));
    await scene.host.next('turn_ended');
    return puppet;
  }

  it('C2 the next prompt goes to a new process, which goes on with the conversation and has the tool', async () => {
    const first = await ended();
    await register();
    await scene.say('more');
    await first.until(() => (first.eof ? true : undefined));
    void first.exit(0);
    const second = await scene.stage.next();
    assert.ok(second.argv.includes(SESSION), 'it is the same conversation');
    await second.messageLike((message) => message['type'] === 'user');
    await second.say({
      type: 'control_request',
      request_id: 'm1',
      request: {
        subtype: 'mcp_message',
        server_name: 'belay',
        message: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      },
    });
    const reply = await second.messageLike((message) => message['type'] === 'control_response');
    assert.match(JSON.stringify(reply), /"lookup"/);
  });

  it('H3 work that goes on in the process is not ended for it, and the log says so', async () => {
    const first = await ended([
      use('toolu_1', 'Agent', { prompt: 'clean up', run_in_background: true }),
      { ...task('k1', 'clean up'), tool_use_id: 'toolu_1' },
      toolResult('toolu_1', 'started'),
    ]);
    await register();
    await scene.say('more');
    for (const text of ['go', 'more'])
      await first.messageLike(
        (message) => message['type'] === 'user' && JSON.stringify(message).includes(text),
      );
    assert.equal(scene.stage.runs.length, 1);
    assert.ok(scene.host.logs.some((line) => line.endsWith('cannot get them: lookup.')));
  });
});

describe('a client tool that comes after a thread of codex app-server has begun', () => {
  const scene = agentScenes('codex');

  const register = () =>
    scene.host.request('clientTool/register', {
      client: 'w1',
      tools: [{ name: 'lookup', schema: { type: 'object' } }] as never,
    });
  const logged = () =>
    scene.host.logs.filter((line) => line.includes('client tools are advertised')).at(-1) ?? '';

  it('C2 is out of its reach, in the same process and in the next one, and the log says so', async () => {
    const { puppet } = await begin(scene);
    assert.match(logged(), /^info: t1: \d+ client tools are advertised to its agent\.$/);
    await puppet.say(turnTold('turn/completed', 'completed'));
    await scene.host.next('turn_ended');
    await register();
    await scene.say('more');
    await answer(puppet, 'turn/start', { turn: { id: 'second', status: 'inProgress' } });
    assert.match(logged(), /^warn: t2: .*cannot get them: lookup\.$/);
    await scene.crash();
    await register();
    await scene.say('again');
    await scene.stage.next();
    assert.match(logged(), /^warn: t3: .*cannot get them: lookup\.$/);
  });
});
