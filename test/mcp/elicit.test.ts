import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formOf, readForm } from '../../protocol';
import { StandIn } from '../support/mcpStandIn';
import { done, scenes, toldOf } from '../support/scene';

const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', minLength: 2 },
    age: { type: 'integer', minimum: 0 },
    colour: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
    sure: { type: 'boolean', default: true },
    tags: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'a', title: 'Alpha' },
          { const: 'b', title: 'Beta' },
        ],
      },
    },
  },
  required: ['name'],
};

describe('mcp: a server asks the person', () => {
  let standIn: StandIn;
  const scene = scenes({
    lazily: () => {
      standIn = new StandIn();
      return { mcp: { servers: { fake: standIn.config() } } };
    },
  });
  afterEach(() => standIn.stop());
  const asked = async (args: object = {}) => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([{ calls: [{ tool: 'fake__ask', args, id: 'c1' }] }]);
    scene.server.reply(() => done());
    await scene.say('go');
    return (await scene.host.next('question_asked')).data;
  };
  const answer = (question: string, given: { text: string } | { error: string }) =>
    scene.host.request('question/answer', { question: question, answer: given, by: 'test' });
  const answered = () => JSON.parse(String(toldOf(scene.server, 'c1')['text'])) as unknown;

  it('M2 A8 its form is a question of its call, listed with the others, and the answer goes back', async () => {
    const question = await asked({ message: 'Who are you?', schema: SCHEMA });
    assert.equal(question.title, 'fake: Who are you?');
    assert.equal(question.parent, 'c1');
    const { items } = await scene.host.request('need/list', {});
    assert.deepEqual(items, scene.host.snapshot?.needs);
    assert.equal(items.length, 1);
    await answer(question.id, {
      text: JSON.stringify({ name: 'Ada', age: 36, colour: 'Green', sure: 'no', tags: ['Alpha'] }),
    });
    await scene.host.next('turn_ended');
    assert.deepEqual(answered(), {
      action: 'accept',
      content: { name: 'Ada', age: 36, colour: 'g', sure: false, tags: ['a'] },
    });
  });

  it('M2 an answer that does not fit is refused with what is wrong, and the question stays', async () => {
    const question = await asked({ schema: SCHEMA });
    for (const [text, problem] of [
      ['{}', /Your name is missing/],
      ['{"name":"x"}', /Your name must have at least 2 characters/],
      ['{"name":"xy","age":1.5}', /age must be a whole number/],
      ['{"name":"xy","colour":"blue"}', /colour must be one of Red, Green/],
      ['just words', /Answer with JSON/],
    ] as const) {
      await assert.rejects(answer(question.id, { text }), problem);
    }
    assert.equal(scene.host.snapshot?.needs.length, 1);
    await answer(question.id, { text: '{"name":"xy"}' });
    await scene.host.next('turn_ended');
    assert.deepEqual(answered(), { action: 'accept', content: { name: 'xy', sure: true } });
  });

  it('M2 a form of one field takes the plain answer; a refusal is a decline', async () => {
    const question = await asked();
    await answer(question.id, { text: 'Ada' });
    await scene.host.next('turn_ended');
    assert.deepEqual(answered(), { action: 'accept', content: { name: 'Ada' } });
  });

  it('R4 a form without fields is confirmed by an empty object alone, and by no words', async () => {
    const question = await asked({ message: 'Delete it?', schema: { type: 'object', properties: {} } });
    for (const text of ['No! Stop.', 'yes', '', '"yes"', '{"no":true}'])
      await assert.rejects(answer(question.id, { text }), /Words are no answer here: confirm or decline/);
    await answer(question.id, { text: '{}' });
    await scene.host.next('turn_ended');
    assert.deepEqual(answered(), { action: 'accept', content: {} });
  });

  it('M2 a refusal is a decline', async () => {
    const question = await asked();
    await answer(question.id, { error: 'That is none of your business.' });
    await scene.host.next('turn_ended');
    assert.deepEqual(answered(), { action: 'decline' });
  });

  it('M2 the time in which the person is asked does not count for the call', async () => {
    await scene.host.request('settings/update', {
      settings: { ...scene.settings, limits: { mcpCallMs: 300, mcpCallMostMs: 300 } },
    });
    const question = await asked();
    // Longer than the call may take, and proven without a clock: another call runs into its own limit meanwhile.
    const { session } = await scene.host.request('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
      mode: 'full',
    });
    scene.server.script([{ calls: [{ tool: 'fake__hang', args: {}, id: 'h1' }] }]);
    await scene.host.request('message/send', { session: session.id, text: 'hang' });
    const hung = await scene.host.next('tool_completed', 0, (event) => event.data.call_id === 'h1');
    assert.equal((hung.data.result as Record<string, unknown>)['error'], 'timed_out');
    await answer(question.id, { text: 'Ada' });
    const completed = await scene.host.next('tool_completed', 0, (event) => event.data.call_id === 'c1');
    assert.match(JSON.stringify(completed.data.result), /accept/);
  });

  it('R5 the question goes with its call: interrupted, it is withdrawn, and its server is told', async () => {
    const question = await asked();
    const started = await scene.host.next('turn_started');
    await scene.host.request('turn/interrupt', { session: scene.session, turn: started.data.turn });
    const closed = await scene.host.next('question_closed');
    assert.deepEqual([closed.data.id, closed.data.fate], [question.id, 'withdrawn']);
    assert.deepEqual(scene.host.snapshot?.needs, []);
    await standIn.has('cancelled ask');
  });

  it('L1 A8 lifted, its question stays under the handle and is answered past the turn', async () => {
    const question = await asked();
    await scene.say('leave it for now');
    const lifted = await scene.host.next('call_lifted');
    await scene.host.next('turn_ended');
    const { items } = await scene.host.request('question/list', {});
    assert.deepEqual(
      items.map((one) => [one.id, one.handle]),
      [[question.id, lifted.data.handle]],
    );
    await answer(question.id, { text: 'Ada' });
    const ended = await scene.host.next('handle_ended');
    assert.equal(ended.data.end, 'completed');
  });

  it('M2 a form reads back whatever of it was read', () => {
    const form = formOf(SCHEMA);
    assert.ok(form);
    fc.assert(
      fc.property(
        fc.record({
          name: fc.string({ minLength: 2, unit: 'grapheme-ascii' }),
          age: fc.nat(),
          colour: fc.constantFrom('r', 'g'),
          sure: fc.boolean(),
          tags: fc.uniqueArray(fc.constantFrom('a', 'b')),
        }),
        (content) => {
          const read = readForm(form, JSON.stringify(content));
          assert.deepEqual(read, { ok: true, content: { ...content } });
        },
      ),
    );
  });

  it('R9 M2 a field may be named like a member of every object', () => {
    const property = { type: 'string' };
    const form = formOf({ type: 'object', properties: { constructor: property, valueOf: property } });
    assert.ok(form);
    assert.deepEqual(readForm(form, '{}'), { ok: true, content: {} });
    const named = { fields: [{ ...form.fields[0]!, name: '__proto__' }] };
    const read = readForm(named, 'x');
    assert.ok(read.ok);
    assert.deepEqual(Object.entries(read.content), [['__proto__', 'x']]);
  });

  it('M2 a schema that is no form of a person is none', () => {
    assert.equal(formOf({ type: 'object', properties: { deep: { type: 'object' } } }), undefined);
    assert.equal(formOf('nonsense'), undefined);
    assert.deepEqual(formOf({ type: 'object' }), { fields: [] });
  });
});
