/** What codex asks the person in its own protocol: answered once, by the person, wherever it waits (R5, H2). */
import assert from 'node:assert/strict';
import { answered, COLOUR, onlyQuestion } from '../support/agents/questions';
import { agentScenes, type AgentScene } from '../support/agents/scene';
import { answer, begin, command, item, of, told, turnTold, words } from '../support/agents/serverWords';
import type { Puppet } from '../support/agents/stage';

async function audited(scene: AgentScene, title: string) {
  const { items } = await scene.host.request('audit/list', {});
  const entry = items.find((one) => one.title === title);
  assert.ok(entry !== undefined, JSON.stringify(items.map((one) => one.title)));
  return entry;
}

describe('questions of codex app-server', () => {
  const scene = agentScenes('codex');

  const input = (id: number, ...questions: object[]) => ({
    ...told('item/tool/requestUserInput', { ...of(), itemId: 'call_9', isBlocking: true, questions }),
    id,
  });
  const WHICH = {
    id: 'q1',
    header: 'Database',
    question: 'Which database shall I use?',
    isOther: true,
    isSecret: false,
    options: [
      { label: 'SQLite', description: 'one file' },
      { label: 'Postgres', description: '' },
    ],
  };
  const HOW = {
    id: 'q2',
    header: 'Name',
    question: 'How shall it be called?',
    isOther: false,
    options: null,
  };
  const reply = (puppet: Puppet, id: number) =>
    puppet.messageLike((message) => message['id'] === id && 'result' in message);

  it('H2 R5 reach the person, each with its choices and room for own words, and their answers codex', async () => {
    const { puppet } = await begin(scene);
    await puppet.say(input(0, WHICH, HOW));
    await scene.host.next('question_asked');
    const question = await onlyQuestion(scene);
    assert.equal(question.title, 'Which database shall I use?');
    const { form, server } = question.args as {
      server: string;
      form: { fields: { name: string; kind: string; required: boolean; options?: { label: string }[] }[] };
    };
    assert.equal(server, 'Codex');
    assert.deepEqual(
      form.fields.map(({ name, kind, required }) => [name, kind, required]),
      [
        ['Database', 'choice', false],
        ['Database (in your own words)', 'text', false],
        ['Name', 'text', true],
      ],
    );
    assert.deepEqual(
      form.fields[0]?.options?.map((one) => one.label),
      ['SQLite: one file', 'Postgres'],
    );
    await assert.rejects(answered(scene, question, { text: '{"Database":"SQLite"}' }), /Name is missing/);
    await answered(scene, question, {
      text: JSON.stringify({ Database: 'SQLite', 'Database (in your own words)': 'in memory', Name: 'x' }),
    });
    assert.deepEqual((await reply(puppet, 0))['result'], {
      answers: { q1: { answers: ['SQLite', 'in memory'] }, q2: { answers: ['x'] } },
    });
    await puppet.say(turnTold('turn/completed', 'completed'));
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
    assert.equal((await audited(scene, question.title)).by, 'test');
    assert.deepEqual((await scene.host.request('need/list', {})).items, []);
  });

  it('R5 a decline is told as one, and a second answer is refused with the first one’s fate', async () => {
    const { puppet } = await begin(scene);
    await puppet.say(input(0, HOW));
    await scene.host.next('question_asked');
    const question = await onlyQuestion(scene);
    await answered(scene, question, { error: 'The person declined.' });
    assert.deepEqual((await reply(puppet, 0))['result'], { answers: {} });
    await assert.rejects(answered(scene, question, { text: 'late' }), /Already answered/);
  });

  it('R9 one that codex no longer waits for is withdrawn, and nothing is written to it', async () => {
    const { puppet } = await begin(scene);
    await puppet.say(input(3, HOW));
    await scene.host.next('question_asked');
    const question = await onlyQuestion(scene);
    await puppet.say(told('serverRequest/resolved', { threadId: 't', requestId: 3 }));
    await scene.host.next('question_closed');
    await assert.rejects(answered(scene, question, { text: 'late' }));
    await puppet.say(turnTold('turn/completed', 'completed'));
    await scene.host.next('turn_ended');
    assert.ok(!puppet.lines.some((line) => line.startsWith('{"id":3,"result"')));
  });

  it('R5 one that is open when the turn ends is declined to codex and withdrawn here', async () => {
    const { puppet } = await begin(scene);
    await puppet.say(input(3, HOW));
    await scene.host.next('question_asked');
    await puppet.say(turnTold('turn/completed', 'completed'));
    await scene.host.next('turn_ended');
    assert.deepEqual((await scene.host.request('need/list', {})).items, []);
    assert.deepEqual((await reply(puppet, 3))['result'], { answers: {} });
  });

  it('H2 the form of a server of Codex is asked, and accepted with what was filled in', async () => {
    const { puppet } = await begin(scene);
    const form = {
      ...of(),
      serverName: 'shop',
      mode: 'form',
      _meta: null,
      message: 'Which colour?',
      requestedSchema: COLOUR,
    };
    await puppet.say({ ...told('mcpServer/elicitation/request', form), id: 0 });
    await scene.host.next('question_asked');
    const question = await onlyQuestion(scene);
    assert.equal(question.title, 'shop: Which colour?');
    await answered(scene, question, { text: 'green' });
    assert.deepEqual((await reply(puppet, 0))['result'], {
      action: 'accept',
      content: { colour: 'green' },
      _meta: null,
    });
    const { mark } = scene.host;
    await puppet.say({ ...told('mcpServer/elicitation/request', form), id: 1 });
    await scene.host.next('question_asked', mark);
    await answered(scene, await onlyQuestion(scene), { error: 'no' });
    assert.deepEqual((await reply(puppet, 1))['result'], { action: 'decline', content: null, _meta: null });
  });

  it('R5 R11 what nobody is asked for stands in the chat and in the audit with its answer and why', async () => {
    const { puppet } = await begin(scene);
    await puppet.say(
      {
        ...told('item/permissions/requestApproval', {
          ...of(),
          itemId: 'call_1',
          reason: 'write to /etc',
          permissions: { fileSystem: { write: ['/etc'] } },
        }),
        id: 0,
      },
      input(1, { ...HOW, isSecret: true }),
      {
        ...told('mcpServer/elicitation/request', {
          ...of(),
          serverName: 'shop',
          mode: 'url',
          message: 'Pay here',
          url: 'https://example.org',
        }),
        id: 2,
      },
      { ...told('item/holiday/requestApproval', { ...of(), itemId: 'call_2' }), id: 3 },
      { ...told('attestation/generate', {}), id: 4 },
      { ...told('execCommandApproval', { callId: 'call_3', command: ['rm', 'x'] }), id: 5 },
      { ...told('applyPatchApproval', { callId: 'call_4' }), id: 6 },
    );
    assert.deepEqual((await reply(puppet, 0))['result'], { permissions: {}, scope: 'turn' });
    assert.deepEqual((await reply(puppet, 1))['result'], { answers: {} });
    assert.deepEqual((await reply(puppet, 2))['result'], { action: 'decline', content: null, _meta: null });
    for (const id of [3, 4, 5, 6])
      await puppet.messageLike((message) => message['id'] === id && 'error' in message);
    await puppet.say(turnTold('turn/completed', 'completed'));
    await scene.host.next('turn_ended');
    const results = scene.host.events.flatMap((event) =>
      event.type === 'tool_completed' ? [event.data.result as { error: string; detail: string }] : [],
    );
    assert.deepEqual(
      results.map(({ error }) => error),
      Array.from({ length: 6 }, () => 'approval_denied'),
    );
    assert.match(results[0]?.detail ?? '', /more permissions .* Belay gave none/);
    assert.match(results[1]?.detail ?? '', /asked for a secret/);
    assert.match(results[2]?.detail ?? '', /server shop of Codex .* Belay declined/);
    for (const { detail } of results.slice(3)) assert.match(detail, /does not know/);
    for (const method of ['execCommandApproval', 'applyPatchApproval'])
      assert.equal((await audited(scene, method)).decision, 'deny');
    const entry = await audited(scene, 'More permissions for the turn: write to /etc');
    assert.equal(entry.decision, 'deny');
    assert.match(entry.why ?? '', /Belay gave none/);
    assert.deepEqual((await scene.host.request('need/list', {})).items, []);
  });

  it('A6 C8 one whose process is gone waits on, and its answer goes on with the conversation', async () => {
    const { puppet } = await begin(scene);
    await puppet.say(input(0, HOW));
    await scene.host.next('question_asked');
    const question = await onlyQuestion(scene);
    await puppet.die('SIGKILL');
    await scene.host.next('turn_waiting');
    assert.equal((await onlyQuestion(scene)).id, question.id);
    await answered(scene, question, { text: 'belay' });
    const second = await scene.stage.next();
    await answer(second, 'initialize', { userAgent: 'codex' });
    await answer(second, 'thread/resume', { thread: { id: of().threadId } });
    const prompt = await second.messageLike((message) => message['method'] === 'turn/start');
    assert.match(JSON.stringify(prompt), /answered your question.*How shall it be called\?.*Name: belay/s);
  });

  it('R6 T10 one survives the crash of the host, answerable, and its answer is told', async () => {
    const { puppet } = await begin(scene);
    await puppet.say(input(0, HOW));
    await scene.host.next('question_asked');
    const question = await onlyQuestion(scene);
    await scene.crash();
    assert.equal((await onlyQuestion(scene)).id, question.id);
    await answered(scene, question, { text: 'belay' });
    const second = await scene.stage.next();
    await answer(second, 'initialize', { userAgent: 'codex' });
    await answer(second, 'thread/resume', { thread: { id: of().threadId } });
    const prompt = await second.messageLike((message) => message['method'] === 'turn/start');
    assert.match(JSON.stringify(prompt), /belay/);
  });

  /** Codex's next process, up to what it is told first. */
  async function resumedPrompt(): Promise<string> {
    const next = await scene.stage.next();
    await answer(next, 'initialize', { userAgent: 'codex' });
    await answer(next, 'thread/resume', { thread: { id: of().threadId } });
    const asked = await answer(next, 'turn/start', { turn: { id: of().turnId, status: 'inProgress' } });
    return JSON.stringify(asked);
  }

  it('C8 R6 an answer that was written and not heard when the host crashed is told when it goes on', async () => {
    const { puppet } = await begin(scene);
    await puppet.say(input(0, HOW));
    await scene.host.next('question_asked');
    await answered(scene, await onlyQuestion(scene), { text: 'belay' });
    await reply(puppet, 0);
    await scene.crash();
    await scene.host.request('turn/continue', { session: scene.session });
    assert.match(await resumedPrompt(), /answered your question.*How shall it be called\?.*Name: belay/s);
  });

  it('C8 R6 nor is one lost when the run is interrupted before codex goes on', async () => {
    const { puppet, turn } = await begin(scene);
    await puppet.say(input(0, HOW));
    await scene.host.next('question_asked');
    await answered(scene, await onlyQuestion(scene), { text: 'belay' });
    await reply(puppet, 0);
    const interrupted = scene.host.request('turn/interrupt', { session: scene.session, turn });
    await answer(puppet, 'turn/interrupt', {});
    await puppet.say(turnTold('turn/completed', 'interrupted'));
    await interrupted;
    await scene.host.next('turn_ended');
    await scene.say('and now?');
    await puppet.messageLike(
      (message) => message['method'] === 'turn/start' && JSON.stringify(message).includes('Name: belay'),
    );
  });

  for (const [how, shown] of [
    ['says so', told('serverRequest/resolved', { threadId: 't', requestId: 0 })],
    ['speaks on', item('completed', words('m1', 'So be it.'))],
  ] as const)
    it(`C8 one that codex has heard is not told again after a crash: it ${how}`, async () => {
      const { puppet } = await begin(scene);
      await puppet.say(input(0, HOW));
      await scene.host.next('question_asked');
      await answered(scene, await onlyQuestion(scene), { text: 'belay' });
      await reply(puppet, 0);
      await puppet.say(shown, item('started', command('call_2', 'true')));
      await scene.host.next('calls_planned', 0, ({ data }) =>
        data.calls.some((one) => one.call_id === 'call_2'),
      );
      await scene.crash();
      await scene.host.request('turn/continue', { session: scene.session });
      assert.doesNotMatch(await resumedPrompt(), /Name: belay/);
    });

  it('P5 one that is answered while everything is paused is told after the release', async () => {
    const { puppet } = await begin(scene);
    await puppet.say(input(0, HOW));
    await scene.host.next('question_asked');
    const question = await onlyQuestion(scene);
    const paused = scene.host.request('host/pause', { by: 'test' });
    await puppet.messageLike((message) => message['method'] === 'turn/interrupt');
    await answered(scene, question, { text: 'belay' });
    await puppet.exit(0);
    await paused;
    assert.ok(!puppet.lines.some((line) => line.startsWith('{"id":0,')));
    await scene.host.request('host/resume', { by: 'test' });
    const second = await scene.stage.next();
    await answer(second, 'initialize', { userAgent: 'codex' });
    await answer(second, 'thread/resume', { thread: { id: of().threadId } });
    const prompt = await second.messageLike((message) => message['method'] === 'turn/start');
    assert.match(JSON.stringify(prompt), /Name: belay/);
  });
});
