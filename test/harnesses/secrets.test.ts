/** Keys of Belay's in what an agent says and prints, cut anywhere (X8). */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canUse, init, use } from '../support/agents/claudeWords';
import { agentScenes } from '../support/agents/scene';
import { begin, command, item, of, told, turnTold, words } from '../support/agents/serverWords';

const KEY = 'sk-live-0123456789abcdef';
const NAME = 'BELAY_TEST_AGENT_KEY';

const KEYED = {
  settings: {
    models: {
      providers: { far: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9', apiKeyEnv: NAME } },
    },
  },
};

describe('a key of a provider in what codex tells in pieces', () => {
  const scene = agentScenes('codex', KEYED);
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

describe('a key of a provider in what Claude Code asks the person', () => {
  const scene = agentScenes('claude', KEYED);
  before(() => (process.env[NAME] = KEY));
  after(() => Reflect.deleteProperty(process.env, NAME));

  async function ask(questions: object[]) {
    await scene.say('go');
    const puppet = await scene.stage.next();
    const input = { questions };
    await puppet.say(
      init(),
      use('toolu_1', 'AskUserQuestion', input),
      canUse('r1', 'toolu_1', 'AskUserQuestion', input),
    );
    return puppet;
  }

  /** Every word of it that a client can come by, and every byte that is kept. */
  async function everything(): Promise<string> {
    const audit = await scene.host.request('audit/list', {});
    const needs = await scene.host.request('need/list', {});
    const { storeDir } = scene.host;
    const files = readdirSync(storeDir, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => readFileSync(join(one.parentPath, one.name), 'latin1'));
    return [JSON.stringify([scene.host.events, audit, needs]), ...files].join('\n');
  }

  it('X8 a question that is told as a call before it is asked leaves it nowhere', async () => {
    const puppet = await ask([{ question: `Is it ${KEY}?`, header: 'Key', options: [{ label: KEY }] }]);
    const { data } = await scene.host.next('tool_completed');
    assert.match(JSON.stringify(data.result), /names a secret/);
    await puppet.messageLike((message) => message['type'] === 'control_response');
    const kept = await everything();
    assert.match(kept, /Is it \[REDACTED\]\?/);
    assert.ok(!kept.includes(KEY));
  });

  it('X8 nor does one that is cut with the title of what is asked, or with the name of a field', async () => {
    await ask([{ question: `${'x'.repeat(190)} ${KEY}?`, header: '', options: [{ label: 'Yes' }] }]);
    const { data } = await scene.host.next('tool_completed');
    assert.match(JSON.stringify(data.result), /names a secret/);
    assert.ok(!(await everything()).includes('sk-live'));
  });
});
