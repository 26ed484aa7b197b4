/** What every wire does alike: each test runs on all three, over real HTTP. */
import assert from 'node:assert/strict';
import type { ContextItem } from '../../protocol';
import { gate, listAt, startModelServer, type ModelServer } from '../support/modelServer';
import { assistant, callOf, modelsFor, planned, readTool, result, run, user } from './bench';

const pixel = { mediaType: 'image/png' as const, data: 'iVBORw0KGgo=' };
const pixelUrl = 'data:image/png;base64,iVBORw0KGgo=';

for (const kind of ['openai-compatible', 'openai', 'anthropic'] as const) {
  describe(`models: what all wires do (${kind})`, () => {
    let server: ModelServer;
    beforeEach(async () => void (server = await startModelServer()));
    afterEach(async () => {
      await server.stop();
      assert.deepEqual(server.violations, []);
    });
    const models = (more = {}): ReturnType<typeof modelsFor> => modelsFor(server, kind, more);
    const hello = callOf({ items: [user('hello')], system: 'Be brief.' });

    it('streams text in order and counts tokens', async () => {
      server.script([{ text: 'Grüße, 世界 🌍!', pieces: 6, usage: { input: 100, output: 7, cached: 40 } }]);
      const { answer, pieces } = await run(models(), hello);
      assert.equal(answer.text, 'Grüße, 世界 🌍!');
      assert.equal(pieces.length, 6);
      assert.equal(pieces.map((piece) => piece.slice('text:'.length)).join(''), answer.text);
      assert.deepEqual(answer.usage, { inputTokens: 100, outputTokens: 7, cachedTokens: 40 });
      assert.equal(answer.stop, 'end');
      const said = server.requests[0]?.items.map(({ role, text }) => `${role}: ${text}`);
      assert.deepEqual(said, ['system: Be brief.', 'user: hello']);
    });

    it('gives a piece while the answer is still under way', async () => {
      const middle = gate();
      server.script([{ text: 'first second', pieces: 2, gates: [{ after: 6, gate: middle }] }]);
      const seen: string[] = [];
      let first = (): void => undefined;
      const came = new Promise<void>((resolve) => (first = resolve));
      const answering = models().answer(
        hello,
        (effect) => effect(),
        new AbortController().signal,
        (piece) => {
          seen.push(piece.text);
          first();
        },
      );
      await came;
      assert.equal(seen[0], 'first ');
      middle.open();
      assert.equal((await answering).text, 'first second');
    });

    it('streams reasoning apart from text', async () => {
      server.script([{ reasoning: 'Let me think.', text: 'Done.', pieces: 2 }]);
      const { answer, pieces } = await run(models(), hello);
      assert.equal(answer.reasoning, 'Let me think.');
      assert.equal(answer.text, 'Done.');
      assert.equal(pieces.filter((piece) => piece.startsWith('reasoning:')).length, 2);
      assert.ok(pieces[0]?.startsWith('reasoning:'));
    });

    it('takes parallel calls whose arguments come in pieces, with their ids and names', async () => {
      server.script([
        {
          text: 'I look.',
          pieces: 3,
          calls: [
            { id: 'one', tool: 'read', args: { path: 'a.ts' } },
            { id: 'two', tool: 'SERVER__TOOL', args: {} },
            { id: 'three', tool: 'read', args: '{"path": broken' },
          ],
        },
      ]);
      const { answer } = await run(models(), callOf({ items: [user('go')], tools: [readTool] }));
      assert.deepEqual(answer.calls, [
        { callId: 'one', tool: 'read', args: '{"path":"a.ts"}' },
        { callId: 'two', tool: 'SERVER__TOOL', args: '{}' },
        { callId: 'three', tool: 'read', args: '{"path": broken' },
      ]);
      assert.equal(answer.stop, 'calls');
      assert.equal(answer.text, 'I look.');
    });

    it('fills missing ids and tells doubled ones apart', async () => {
      server.script([
        {
          calls: [
            { id: '', tool: 'read', args: {} },
            { id: 'same', tool: 'read', args: {} },
            { id: 'same', tool: 'list', args: {} },
            { id: 'used', tool: 'list', args: {} },
          ],
        },
      ]);
      const items = [user('go'), assistant('', [planned('used', 'read', {})]), result('used', { text: '' })];
      const { answer } = await run(models(), callOf({ items }));
      assert.deepEqual(
        answer.calls.map((call) => `${call.callId} ${call.tool}`),
        ['call_0 read', 'same read', 'call_1 list', 'call_2 list'],
      );
    });

    it('sends a tool round as the provider wants it: results in order, then the message that came between', async () => {
      server.script([{ text: 'ok' }]);
      const items: ContextItem[] = [
        user('go'),
        assistant('I look.', [planned('a', 'read', { path: 'x' }), planned('b', 'shell', { command: 'ls' })]),
        result('b', { handle: 'proc:7', steered: true }),
        user('first tell me'),
        { ...result('a', { error: 'approval_denied' }), failed: true } as ContextItem,
      ];
      await run(models(), callOf({ items, tools: [readTool] }));
      const sent = server.requests[0]?.items ?? [];
      assert.deepEqual(
        sent
          .map(({ role, text, callId }) => `${role} ${callId ?? ''} ${text}`.trim())
          .filter((line) => line !== 'assistant'),
        [
          'user  go',
          'assistant  I look.',
          'tool a {"error":"approval_denied"}',
          'tool b {"handle":"proc:7","steered":true}',
          'user  first tell me',
        ],
      );
      assert.deepEqual(
        sent.flatMap(({ calls }) => calls).map(({ id, tool, args }) => [id, tool, args]),
        [
          ['a', 'read', '{"path":"x"}'],
          ['b', 'shell', '{"command":"ls"}'],
        ],
      );
      assert.equal(listAt(server.requests[0], 'tools').length, 1);
    });

    it('makes any transcript valid: a call without result, an id used again, text that is nothing, broken arguments', async () => {
      server.script([{ text: 'ok' }]);
      const items: ContextItem[] = [
        assistant('It began earlier.'),
        result('gone', { text: 'kept as a message' }),
        user(''),
        assistant('', [{ callId: 'a', tool: 'no such tool!', args: 'not json' }]),
        result('a', { text: '1' }),
        assistant('', [planned('a', 'read', {}), planned('never', 'read', {})]),
        result('a', { text: '2' }),
        result('a', { text: 'twice' }),
        assistant(''),
        assistant('The end.'),
      ];
      await run(models(), callOf({ items }));
      const all = JSON.stringify(server.requests[0]?.items);
      for (const text of [
        'kept as a message',
        'outcome_unknown',
        'twice',
        'not json',
        'no_such_tool_',
        'a_2',
      ]) {
        assert.ok(all.includes(text), `${text} in ${all}`);
      }
    });

    it('shows images of the person and of a tool', async () => {
      server.script([{ text: 'ok' }]);
      const items: ContextItem[] = [
        { kind: 'user', text: 'see', images: [pixel] },
        assistant('', [planned('a', 'shot', {}), planned('b', 'shot', {})]),
        {
          kind: 'result',
          callId: 'a',
          tool: 'shot',
          output: '{"ok":true}',
          images: [pixel, pixel],
          failed: false,
        },
        result('b', { ok: true }),
      ];
      await run(models(), callOf({ items }));
      const sent = server.requests[0]?.items ?? [];
      assert.equal(sent.flatMap(({ images }) => images).filter((url) => url === pixelUrl).length, 3);
      const shown = sent.findIndex(({ role, images }) =>
        role !== 'user' || images.length === 2 ? images.length === 2 : false,
      );
      assert.equal(sent[shown]?.role, kind === 'openai-compatible' ? 'user' : 'tool');
    });

    it('is done when the answer is, and not when the connection is', async () => {
      const end = gate();
      server.script([{ text: 'whole', usage: { input: 1, output: 1 }, endGate: end }]);
      const answering = run(models(), hello);
      await end.reached;
      end.open();
      assert.equal((await answering).answer.text, 'whole');
    });

    it('goes on using its connections', async () => {
      server.reply(() => ({ text: 'ok' }));
      const port = models();
      const ports = new Set<string | undefined>();
      for (let n = 0; n < 5; n += 1) {
        await run(port, hello);
        ports.add(server.requests[n]?.connection);
      }
      // Two: `fetch` itself goes back and forth between two.
      assert.ok(ports.size <= 2);
    });

    it('tells an empty answer from a broken one', async () => {
      server.script([{ text: '' }, {}]);
      for (let n = 0; n < 2; n += 1) {
        const { answer } = await run(models(), hello);
        assert.deepEqual([answer.text, answer.calls, answer.stop], ['', [], 'end']);
      }
    });

    it('tells why an answer stopped', async () => {
      server.script([
        { text: 'half', stop: 'length' },
        { text: 'I will not.', stop: 'refusal' },
      ]);
      assert.equal((await run(models(), hello)).answer.stop, 'length');
      const refused = (await run(models(), hello)).answer;
      assert.equal(refused.stop, 'refusal');
      assert.equal(refused.text, 'I will not.');
    });
  });
}
