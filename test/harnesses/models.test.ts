/** The model of an outside agent is chosen from what it says it has, or named by its id, and it is told of it. */
import assert from 'node:assert/strict';
import { agentScenes, isAlive } from '../support/agents/scene';
import { init, result } from '../support/agents/claudeWords';
import { answer, THREAD } from '../support/agents/serverWords';
import type { Puppet } from '../support/agents/stage';

/** The same in the Agent Client Protocol, whose frames say their version. */
async function tell(puppet: Puppet, method: string, result: object): Promise<Record<string, unknown>> {
  const asked = await puppet.messageLike((message) => message['method'] === method);
  await puppet.say({ jsonrpc: '2.0', id: asked['id'], result });
  return asked;
}

describe('the models of an outside agent', () => {
  const scene = agentScenes('codex');

  it('H1 codex is asked for them, page by page, by a program that ends with the answer; the list is kept', async () => {
    const asked = scene.host.request('harness/models', { harness: 'codex' });
    const puppet = await scene.stage.next();
    await answer(puppet, 'initialize', { userAgent: 'codex' });
    const first = await answer(puppet, 'model/list', {
      data: [
        {
          id: 'a',
          model: 'gpt-6-sol',
          displayName: 'GPT-6 Sol',
          description: 'For most work',
          isDefault: true,
        },
        { id: 'h', model: 'hidden', displayName: 'Hidden', hidden: true },
      ],
      nextCursor: 'next',
    });
    assert.deepEqual(first['params'], { limit: 100 });
    const second = await answer(puppet, 'model/list', {
      data: [{ id: 'b', model: 'gpt-6-luna', displayName: 'GPT-6 Luna', description: '' }],
      nextCursor: null,
    });
    assert.deepEqual(second['params'], { limit: 100, cursor: 'next' });
    assert.deepEqual(await asked, {
      items: [
        { id: 'gpt-6-sol', name: 'GPT-6 Sol', detail: 'For most work', usual: true },
        { id: 'gpt-6-luna', name: 'GPT-6 Luna' },
      ],
    });
    await puppet.until(() => puppet.eof || undefined);
    await puppet.exit(0);
    assert.equal((await scene.host.request('harness/models', { harness: 'codex' })).items.length, 2);
    assert.equal(scene.stage.runs.length, 1);
  });

  it('R11 one that refuses leaves the list empty, with a sentence why', async () => {
    const asked = scene.host.request('harness/models', { harness: 'codex' });
    const puppet = await scene.stage.next();
    await answer(puppet, 'initialize', {});
    const call = await puppet.messageLike((message) => message['method'] === 'model/list');
    await puppet.say({ id: call['id'], error: { code: -32601, message: 'no such method' } });
    const { items, note } = await asked;
    assert.deepEqual(items, []);
    assert.match(note ?? '', /could not be asked for its models: no such method/);
  });

  it('P1 a pause ends a program that is being asked, and none is started while it holds, nor without trust', async () => {
    const asked = scene.host.request('harness/models', { harness: 'codex' });
    const puppet = await scene.stage.next();
    await puppet.messageLike((message) => message['method'] === 'initialize');
    const { ended, stopping } = await scene.host.request('host/pause', { by: 'test' });
    const program = [{ kind: 'agent', id: 'codex', title: 'Models of codex' }];
    assert.deepEqual([ended, stopping], [program, program]);
    assert.equal((await asked).note, 'Paused: it was not asked for its models.');
    await puppet.until(() => puppet.eof || undefined);
    assert.ok(isAlive(puppet.pid));
    assert.ok(!scene.host.events.some(({ type }) => type === 'host_quiet'));
    await puppet.exit(0);
    await scene.host.next('host_quiet');
    assert.ok(!isAlive(puppet.pid));
    const { items, note } = await scene.host.request('harness/models', { harness: 'codex' });
    assert.deepEqual(items, []);
    assert.match(note ?? '', /Paused/);
    await scene.host.request('host/resume', { by: 'test' });
    await scene.host.request('settings/update', { trusted: false });
    assert.deepEqual(await scene.host.request('harness/models', { harness: 'codex' }), { items: [] });
    assert.equal(scene.stage.runs.length, 1);
  });

  it('L7 H1 a model that is named later is that of the next process of the same conversation', async () => {
    await scene.host.request('session/update', {
      session: scene.session,
      agent: { kind: 'harness', harness: 'codex', model: 'gpt-6-luna' },
    });
    await scene.say('go');
    const puppet = await scene.stage.next();
    await answer(puppet, 'initialize', {});
    const started = await answer(puppet, 'thread/start', { thread: { id: THREAD } });
    assert.equal((started['params'] as { model: string }).model, 'gpt-6-luna');
  });
});

describe('the models of Claude Code', () => {
  const scene = agentScenes('claude');

  it('H1 are told with its initialize, before any prompt; its default stands for none', async () => {
    const asked = scene.host.request('harness/models', { harness: 'claude' });
    const puppet = await scene.stage.next();
    const request = await puppet.messageLike((message) => message['type'] === 'control_request');
    assert.deepEqual(request['request'], { subtype: 'initialize', hooks: null });
    await puppet.say({
      type: 'control_response',
      response: {
        subtype: 'success',
        request_id: request['request_id'],
        response: {
          models: [
            { value: 'default', displayName: 'Default (recommended)' },
            { value: 'opus[1m]', displayName: 'Opus', description: 'Opus with 1M context' },
          ],
        },
      },
    });
    assert.deepEqual(await asked, {
      items: [{ id: 'opus[1m]', name: 'Opus', detail: 'Opus with 1M context' }],
    });
    await puppet.until(() => puppet.eof || undefined);
    await puppet.exit(0);
    const { session } = await scene.host.request('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'harness', harness: 'claude', model: 'opus[1m]' },
    });
    await scene.host.request('message/send', { session: session.id, text: 'go' });
    const worker = await scene.stage.next();
    assert.equal(worker.argv[worker.argv.indexOf('--model') + 1], 'opus[1m]');
    await worker.say(init(), result('Done.'));
    await scene.host.next('turn_ended');
  });
});

describe('the models of an ACP agent', () => {
  const scene = agentScenes('acp:puppet');

  const OPTION = {
    id: 'model',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: 'fast',
    options: [
      { value: 'fast', name: 'Fast' },
      { value: 'deep', name: 'Deep', description: 'thinks longer' },
    ],
  };
  const withModel = async (model: string) => {
    await scene.host.request('session/update', {
      session: scene.session,
      agent: { kind: 'harness', harness: 'acp:puppet', model },
    });
    await scene.say('go');
    const puppet = await scene.stage.next();
    await tell(puppet, 'initialize', { protocolVersion: 1, agentCapabilities: {} });
    return puppet;
  };

  it('H1 are those of its sessions: the one that is named is set, and they are listed from then on', async () => {
    const puppet = await withModel('deep');
    await tell(puppet, 'session/new', { sessionId: 'acp-1', configOptions: [OPTION] });
    const set = await tell(puppet, 'session/set_config_option', { configOptions: [OPTION] });
    assert.deepEqual(set['params'], { sessionId: 'acp-1', configId: 'model', value: 'deep' });
    await puppet.messageLike((message) => message['method'] === 'session/prompt');
    assert.deepEqual(await scene.host.request('harness/models', { harness: 'acp:puppet' }), {
      items: [
        { id: 'fast', name: 'Fast' },
        { id: 'deep', name: 'Deep', detail: 'thinks longer' },
      ],
    });
  });

  it('H1 without a model, the next process of a conversation is set back to what it had before', async () => {
    const puppet = await withModel('deep');
    await tell(puppet, 'session/new', { sessionId: 'acp-1', configOptions: [OPTION] });
    await tell(puppet, 'session/set_config_option', { configOptions: [OPTION] });
    const prompt = await puppet.messageLike((message) => message['method'] === 'session/prompt');
    await puppet.say({ jsonrpc: '2.0', id: prompt['id'], result: { stopReason: 'end_turn' } });
    await scene.host.next('turn_ended');
    await scene.host.request('session/update', {
      session: scene.session,
      agent: { kind: 'harness', harness: 'acp:puppet' },
    });
    const { mark } = scene.host;
    await scene.say('again');
    await puppet.until(() => puppet.eof || undefined);
    await puppet.exit(0);
    const next = await scene.stage.next();
    await tell(next, 'initialize', { protocolVersion: 1, agentCapabilities: { loadSession: true } });
    await tell(next, 'session/load', { configOptions: [{ ...OPTION, currentValue: 'deep' }] });
    const back = await tell(next, 'session/set_config_option', { configOptions: [OPTION] });
    assert.deepEqual(back['params'], { sessionId: 'acp-1', configId: 'model', value: 'fast' });
    const second = await next.messageLike((message) => message['method'] === 'session/prompt');
    await next.say({ jsonrpc: '2.0', id: second['id'], result: { stopReason: 'end_turn' } });
    await scene.host.next('turn_ended', mark);
  });

  it('R11 one that takes no model is not prompted with another: the turn says so', async () => {
    const puppet = await withModel('deep');
    await tell(puppet, 'session/new', { sessionId: 'acp-1' });
    const { data } = await scene.host.next('turn_ended');
    assert.equal(data.status, 'failed');
    assert.match(data.detail ?? '', /does not take the model deep/);
  });
});

describe('the sign-in of an ACP agent', () => {
  const scene = agentScenes('acp:puppet');

  const METHODS = [
    { id: 'browser', name: 'Sign in with the browser', description: 'opens a page' },
    { id: 'key', name: 'An API key of the environment' },
  ];
  async function wanting(authMethods: object[]) {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await tell(puppet, 'initialize', { protocolVersion: 1, agentCapabilities: {}, authMethods });
    const opened = await puppet.messageLike((message) => message['method'] === 'session/new');
    await puppet.say({
      jsonrpc: '2.0',
      id: opened['id'],
      error: { code: -32000, message: 'Authentication required' },
    });
    return puppet;
  }
  async function asked() {
    await scene.host.next('question_asked');
    const [need] = (await scene.host.request('need/list', {})).items;
    assert.ok(need?.kind === 'question');
    return need.question;
  }

  it('R11 its ways are a choice; the chosen one is taken, and the session begins', async () => {
    const puppet = await wanting(METHODS);
    const question = await asked();
    assert.equal(question.title, 'puppet wants you to sign in. Which way?');
    const { form } = question.args as { form: { fields: { options: { label: string }[] }[] } };
    assert.deepEqual(
      form.fields[0]?.options.map((one) => one.label),
      ['Sign in with the browser: opens a page', 'An API key of the environment'],
    );
    await scene.host.request('question/answer', {
      question: question.id,
      answer: { text: 'Sign in with the browser' },
      by: 'test',
    });
    const signIn = await tell(puppet, 'authenticate', {});
    assert.deepEqual(signIn['params'], { methodId: 'browser' });
    await tell(puppet, 'session/new', { sessionId: 'acp-1' });
    const prompt = await puppet.messageLike((message) => message['method'] === 'session/prompt');
    await puppet.say({ jsonrpc: '2.0', id: prompt['id'], result: { stopReason: 'end_turn' } });
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
  });

  it('R11 a declined one fails the turn with its ways in words', async () => {
    await wanting(METHODS);
    const question = await asked();
    await scene.host.request('question/answer', {
      question: question.id,
      answer: { error: 'The person declined.' },
      by: 'test',
    });
    const { data } = await scene.host.next('turn_ended');
    assert.equal(data.status, 'failed');
    assert.match(
      data.detail ?? '',
      /puppet wants you to sign in first\. Its ways: Sign in with the browser \(opens a page\); An API key/,
    );
  });

  it('R11 ways in a terminal are told in words at once', async () => {
    await wanting([
      { id: 'login', name: 'Log in', description: 'run `puppet login` in a terminal', type: 'terminal' },
    ]);
    const { data } = await scene.host.next('turn_ended');
    assert.match(data.detail ?? '', /Log in \(run `puppet login` in a terminal\)/);
    assert.deepEqual((await scene.host.request('need/list', {})).items, []);
  });

  it('R5 an interrupt withdraws the question and ends the agent', async () => {
    const puppet = await wanting(METHODS);
    await asked();
    const { turn } = await scene.host.next('turn_started');
    void scene.host.request('turn/interrupt', { session: scene.session, turn: turn as never });
    await puppet.until(() => puppet.eof || undefined);
    await puppet.exit(0);
    assert.equal((await scene.host.next('turn_ended')).data.status, 'interrupted');
    assert.deepEqual((await scene.host.request('need/list', {})).items, []);
  });
});
