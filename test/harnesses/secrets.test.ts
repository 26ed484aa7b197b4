/** Keys of Belay's in what an agent says and prints, cut anywhere (X8). */
import assert from 'node:assert/strict';
import { agentScenes } from '../support/agents/scene';
import { begin, command, item, of, told, turnTold, words } from '../support/agents/serverWords';

const KEY = 'sk-live-0123456789abcdef';
const NAME = 'BELAY_TEST_AGENT_KEY';

describe('a key of a provider in what codex tells in pieces', () => {
  const scene = agentScenes('codex', {
    settings: {
      models: {
        providers: { far: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9', apiKeyEnv: NAME } },
      },
    },
  });
  before(() => (process.env[NAME] = KEY));
  after(() => Reflect.deleteProperty(process.env, NAME));

  const put = (...pieces: string[]) =>
    pieces.map((delta) => told('item/commandExecution/outputDelta', { ...of(), itemId: 'call_1', delta }));
  const said = (...pieces: string[]) =>
    pieces.map((delta) => told('item/agentMessage/delta', { ...of(), itemId: 'm1', delta }));
  const progress = () =>
    scene.host.events.flatMap((event) => (event.type === 'tool_progress' ? [event.data.text] : [])).join('');
  const spokenLive = () =>
    scene.host.events.flatMap((event) => (event.type === 'text_delta' ? [event.data.text] : [])).join('');

  it('X8 a key that is cut between two pieces of output is neither told nor kept, and nothing else is lost', async () => {
    const { puppet } = await begin(scene);
    await puppet.say(
      item('started', command('call_1', 'env', { processId: '7' })),
      ...put('TOKEN=sk-live-01', '23456789abcdef\nrest s', 'k-li'),
      turnTold('turn/completed', 'failed'),
    );
    const { data } = await scene.host.next('tool_completed');
    await scene.host.next('turn_ended');
    assert.equal((data.result as { stdout?: string }).stdout, 'TOKEN=[REDACTED]\nrest sk-li');
    assert.equal(progress(), 'TOKEN=[REDACTED]\nrest sk-li');
    assert.ok(!JSON.stringify(scene.host.events).includes('23456789abcdef'));
  });

  it('X8 nor is one in the output of work that goes on behind its run', async () => {
    const { puppet } = await begin(scene);
    await puppet.say(
      item('started', command('call_1', 'npm run dev', { processId: '9' })),
      ...put('TOKEN=sk-live-0123'),
      item('completed', words('m1', 'It runs.')),
      turnTold('turn/completed', 'completed'),
    );
    const { handle } = (await scene.host.next('handle_started')).data;
    await scene.host.next('turn_ended');
    await puppet.say(...put('456789abcdef\nready'));
    await scene.host.next('tool_progress', 0, (event) => event.data.text.endsWith('ready'));
    const { output } = await scene.host.request('handle/read', { handle });
    assert.equal(output, 'TOKEN=[REDACTED]\nready');
  });

  it('X8 nor one in what it says while it speaks', async () => {
    const { puppet } = await begin(scene);
    await puppet.say(
      ...said('Use sk-', 'live-0123456789abc', 'def now, s'),
      turnTold('turn/completed', 'completed'),
    );
    await scene.host.next('turn_ended');
    assert.equal(spokenLive(), 'Use [REDACTED] now, s');
  });
});
