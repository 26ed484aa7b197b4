import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECRET_STORED, type ClientParamsOf } from '../../protocol';
import { done, scenes, toldOf } from '../support/scene';

type Run = ClientParamsOf<'clientTool/run'>;

const OUTSIDE = 'It reads outside the workspace, and no rule allows that.';

const lookup = {
  name: 'lookup',
  description: 'Look a word up.',
  schema: {
    type: 'object',
    properties: { word: { type: 'string', minLength: 1 } },
    required: ['word'],
    additionalProperties: false,
  },
  readOnly: true,
};

describe('client tools over the protocol', () => {
  const runs: Run[] = [];
  const answers: ((answer: unknown) => void)[] = [];
  const scene = scenes({
    settings: { limits: { clientGraceMs: 300 } },
    host: {
      serve: (method, params) => {
        if (method !== 'clientTool/run') return {};
        runs.push(params as Run);
        return new Promise((resolve) => answers.push(resolve));
      },
    },
  });
  beforeEach(() => {
    runs.length = 0;
    answers.length = 0;
  });

  const register = (client: string, tools: object[] = [lookup]) =>
    scene.host.request('clientTool/register', { client, tools: tools as never });
  const call = (args: object, id = 'c1') => ({ calls: [{ tool: 'lookup', args, id }] });
  const run = (place: number) => scene.host.until(() => runs[place]);

  it('A1 A12 what a client is asked to read is judged by where it leads; what names the store is refused', async () => {
    const { server, host } = scene;
    await register('w1', [lookup, { name: 'open_diff' }]);
    const diff = (path: string, id: string) => ({ tool: 'open_diff', args: { path, text: '' }, id });
    server.script([
      {
        calls: [
          diff(join(host.storeDir, 'belay.db'), 'c1'),
          { tool: 'lookup', args: { word: `cat ${host.storeDir}/belay.db` }, id: 'c2' },
        ],
      },
      { calls: [diff('/etc/hostname', 'c3')] },
      done(),
    ]);
    await scene.say('go');
    const asked = await host.next('approval_requested');
    assert.deepEqual([asked.data.call_id, asked.data.why], ['c3', OUTSIDE]);
    await scene.deny(asked.data);
    await host.next('turn_ended');
    for (const id of ['c1', 'c2']) assert.match(String(toldOf(server, id)['detail']), /Belay's own records/);
    assert.deepEqual(runs, [], 'nothing of it came to a client');
  });

  it('A1 a file of the workspace is shown, and the person is asked, without an approval', async () => {
    const { server, host } = scene;
    await register('w1', [{ name: 'open_diff' }, { name: 'ask' }]);
    server.script([
      { calls: [{ tool: 'open_diff', args: { path: 'a.txt', text: host.storeDir }, id: 'c1' }] },
      { calls: [{ tool: 'ask', args: { question: `May I look at ${host.storeDir}?` }, id: 'c2' }] },
    ]);
    await scene.say('go');
    assert.equal((await run(0)).tool, 'open_diff');
    answers[0]?.({ text: '{}' });
    await host.next('question_asked', 0, (event) => event.data.call_id === 'c2');
    assert.ok(!host.types().includes('approval_requested'));
  });

  it('C1 C2 a registered tool is advertised, its count logged, called at its client, and its answer told', async () => {
    const { server, host } = scene;
    await register('w1');
    server.script([call({ word: 'cord' }), done()]);
    await scene.say('go');
    const asked = await run(0);
    assert.deepEqual(
      [asked.client, asked.tool, asked.args, asked.attempt],
      ['w1', 'lookup', { word: 'cord' }, 1],
    );
    const listed = await host.request('question/list', { session: scene.session });
    assert.deepEqual(
      listed.items.map((item) => [item.owner, item.person]),
      [['w1', false]],
    );
    assert.deepEqual((await host.request('need/list', {})).items, []);
    answers[0]?.({ text: 'a thin rope' });
    await host.next('turn_ended');
    assert.deepEqual(toldOf(server, 'c1'), { answer: 'a thin rope' });
    assert.ok(host.logs.some((line) => /t1: \d+ tools are advertised to its agent/.test(line)));
    const tools = await host.request('clientTool/list', {});
    assert.deepEqual(
      tools.items.map((tool) => [tool.name, tool.person, tool.owner]),
      [
        ['ask', true, undefined],
        ['pick_files', true, undefined],
        ['request_secret', true, undefined],
        ['lookup', false, 'w1'],
      ],
    );
  });

  it('C1 arguments that do not fit its schema never reach the client', async () => {
    const { server, host } = scene;
    await register('w1');
    server.script([call({ word: 1 }), done()]);
    await scene.say('go');
    await host.next('turn_ended');
    assert.equal(toldOf(server, 'c1')['error'], 'tool_arguments_invalid');
    assert.equal(runs.length, 0);
    assert.ok(!host.types().includes('question_asked'));
  });

  it('C1 a name that is taken and a schema that cannot be checked are refused, and nothing changes', async () => {
    await register('w1');
    for (const tool of [
      { ...lookup, name: 'shell' },
      { ...lookup, name: 'a__b' },
      { ...lookup, name: 'elicit' },
      { ...lookup, schema: { type: 'string' } },
      { ...lookup, schema: { type: 'object', properties: { a: { $ref: 'https://example.com/x' } } } },
    ]) {
      const refused = await scene.host.refused('clientTool/register', { client: 'w1', tools: [tool] });
      assert.equal(refused.code, 'invalid_params');
    }
    const { items } = await scene.host.request('clientTool/list', {});
    assert.ok(items.some((tool) => tool.name === 'lookup' && tool.owner === 'w1'));
  });

  it('R5 arguments that look like a form of a server are arguments: the answer ends the call', async () => {
    const { server, host } = scene;
    await register('w1', [{ ...lookup, schema: { type: 'object' } }]);
    const field = { kind: 'number', name: 'n', title: 'N', required: true, integer: true };
    server.script([call({ question: 'q', server: 's', form: { fields: [field] } }), done()]);
    await scene.say('go');
    await run(0);
    answers[0]?.({ text: 'fine' });
    await host.next('turn_ended');
    assert.deepEqual(toldOf(server, 'c1'), { answer: 'fine' });
  });

  it('C2 an owner that goes and comes back within the grace gets the call again', async () => {
    const { server, host } = scene;
    await register('w1');
    server.script([call({ word: 'x' }), done()]);
    await scene.say('go');
    await run(0);
    await host.request('clientTool/unregister', { client: 'w1' });
    await register('w1');
    answers[0]?.({ error: 'dropped, since it was called off' });
    const again = await run(1);
    assert.equal(again.attempt, 2);
    answers[1]?.({ text: 'found' });
    await host.next('turn_ended');
    assert.deepEqual(toldOf(server, 'c1'), { answer: 'found' });
  });

  it('C2 R3 one that stays away is told as unserved, and that nobody knows whether the call has run', async () => {
    const { server, host } = scene;
    await register('w1');
    server.script([call({ word: 'x' }), done()]);
    await scene.say('go');
    await run(0);
    await host.request('clientTool/unregister', { client: 'w1' });
    await host.next('turn_ended');
    assert.equal(toldOf(server, 'c1')['error'], 'unserved');
    assert.match(String(toldOf(server, 'c1')['detail']), /whether it has run is unknown/);
  });

  it('C2 R6 a question is durable: after a crash another client that registers the tool serves it', async () => {
    const { server } = scene;
    await register('w1');
    server.script([call({ word: 'x' }), done()]);
    await scene.say('go');
    await run(0);
    await scene.host.next('question_taken');
    await scene.crash({ settings: { ...scene.settings, limits: { clientGraceMs: 30_000 } } });
    await register('w2');
    const again = await run(1);
    assert.deepEqual([again.client, again.attempt], ['w2', 2]);
    answers[1]?.({ text: 'after all' });
    await scene.host.next('turn_ended');
    assert.deepEqual(toldOf(server, 'c1'), { answer: 'after all' });
  });

  it('question/take is refused to a second client, and an answer after the end has its fate', async () => {
    const { server, host } = scene;
    server.script([{ calls: [{ tool: 'ask', args: { question: 'Which?' }, id: 'q' }] }, done()]);
    await scene.say('go');
    const { data } = await host.next('question_asked');
    await host.request('question/take', { question: data.id, client: 'w1' });
    assert.equal(
      (await host.refused('question/take', { question: data.id, client: 'w2' })).code,
      'question_answered',
    );
    await host.request('question/answer', { question: data.id, answer: { text: 'this' }, by: 'w1' });
    const late = await host.refused('question/answer', { question: data.id, answer: { text: 'that' } });
    assert.deepEqual([late.code, late.data['by']], ['question_answered', 'w1']);
    await host.next('turn_ended');
    assert.deepEqual(toldOf(server, 'q'), { answer: 'this' });
  });

  it('C1 X8 what is sent as a secret in place of the word for it is in no store, log, event or prompt', async () => {
    const { server, host } = scene;
    const value = 'hunter2-value-of-the-secret';
    server.script([
      { calls: [{ tool: 'request_secret', args: { name: 'TOKEN', why: 'To sign in.' }, id: 's1' }] },
      { calls: [{ tool: 'request_secret', args: { name: 'TOKEN', why: 'To sign in.' }, id: 's2' }] },
      done(),
    ]);
    await scene.say('go');
    const first = await host.next('question_asked');
    const { mark } = host;
    await host.request('question/answer', { question: first.data.id, answer: { text: value } });
    const second = await host.next('question_asked', mark);
    await host.request('question/answer', { question: second.data.id, answer: { text: SECRET_STORED } });
    await host.next('turn_ended');
    assert.match(String(toldOf(server, 's1')['error']), /tool_failed/);
    assert.deepEqual(toldOf(server, 's2'), { answer: 'The person has stored it.' });
    const { items } = await host.request('audit/list', {});
    const told = [host.events, host.turns, host.logs, items, server.requests.map((one) => one.body)];
    await host.request('shutdown', {});
    await host.exited;
    const kept = readdirSync(host.storeDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    assert.ok(
      kept.some((bytes) => bytes.includes('request_secret')),
      'the store is what was looked at',
    );
    assert.ok(!kept.some((bytes) => bytes.includes(value)));
    assert.ok(!JSON.stringify(told).includes(value));
  });
});
