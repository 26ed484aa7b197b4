/** What a provider keeps for itself between rounds, and what it is asked for: Anthropic and Responses. */
import assert from 'node:assert/strict';
import type { ContextItem, Settings } from '../../protocol';
import type { ModelAnswer, ModelPort } from '../../host/engine/ports';
import { at, listAt, startModelServer, type ModelServer } from '../support/modelServer';
import { callOf, failing, modelsFor, readTool, result, run, sent, user } from './bench';

const asItem = (answer: ModelAnswer): ContextItem => ({
  kind: 'assistant',
  text: answer.text,
  calls: [...answer.calls],
  ...(answer.native === undefined ? {} : { native: answer.native }),
});

/** A provider `local` of this kind, with a model that the tables know. */
function models(server: ModelServer, kind: 'anthropic' | 'openai', id: string): ModelPort {
  const settings: Settings['models'] = {
    providers: { local: { kind, baseUrl: server.url, models: [{ id }, { id: 'other' }] } },
  };
  return modelsFor(server, kind, { settings: () => settings });
}

describe('models: Anthropic', () => {
  let server: ModelServer;
  beforeEach(async () => void (server = await startModelServer()));
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.violations, []);
  });
  const model = 'local/claude-opus-5-5';
  const port = (): ModelPort => models(server, 'anthropic', 'claude-opus-5-5');

  it('sends the key and asks for reasoning that can be shown, with room for the answer', async () => {
    server.script([{ text: 'ok' }]);
    await run(port(), callOf({ model, items: [user('hello')] }));
    assert.equal(sent(server).headers['x-api-key'], 'key-1');
    assert.equal(sent(server).headers.authorization, 'Bearer key-1');
    assert.ok(sent(server).headers['anthropic-version']);
    const [request] = server.requests;
    assert.deepEqual(
      [at(request, 'thinking'), at(request, 'max_tokens')],
      [{ type: 'adaptive', display: 'summarized' }, 128_000],
    );
    assert.deepEqual([at(request, 'system'), at(request, 'tools')], [undefined, undefined]);
  });

  it('marks tools, system text and the last two messages of the user for the cache', async () => {
    server.script([{ text: 'ok' }]);
    const items = [
      user('one'),
      asItem({ text: 'a', calls: [] } as never),
      user('two'),
      asItem({ text: 'b', calls: [] } as never),
      user('three'),
    ];
    await run(
      port(),
      callOf({ model, items, system: 'Be brief.', tools: [readTool, { ...readTool, name: 'list' }] }),
    );
    const [request] = server.requests;
    const marks = (blocks: Record<string, unknown>[]): boolean[] =>
      blocks.map((block) => block['cache_control'] !== undefined);
    assert.deepEqual(marks(listAt(request, 'tools')), [false, true]);
    assert.deepEqual(marks(listAt(request, 'system')), [true]);
    assert.deepEqual(
      listAt(request, 'messages').map((_, n) => marks(listAt(request, 'messages', n, 'content'))),
      [[false], [false], [true], [false], [true]],
    );
  });

  it('gives signed reasoning back in its place, with the ids of now', async () => {
    server.script([
      {
        reasoning: 'hm',
        signature: 'sig-1',
        text: 'I look.',
        calls: [{ id: 'a', tool: 'read', args: { path: 'x' } }],
      },
      { text: 'ok' },
      { text: 'ok' },
    ]);
    const { answer } = await run(port(), callOf({ model, items: [user('go')] }));
    const items = [user('go'), asItem(answer), result('a', {}), asItem(answer), result('a', {})];
    await run(port(), callOf({ model, items }));
    assert.deepEqual(at(server.requests[1], 'messages', 1, 'content'), [
      { type: 'thinking', thinking: 'hm', signature: 'sig-1' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'a', name: 'read', input: { path: 'x' } },
    ]);
    assert.equal(at(server.requests[1], 'messages', 3, 'content', 2, 'id'), 'a_2');
    await run(port(), callOf({ model: 'local/other', items }));
    assert.ok(!JSON.stringify(server.requests[2]?.body).includes('sig-1'));
  });

  it('keeps reasoning that the provider has sealed', async () => {
    const events = [
      { type: 'message_start', message: { usage: { input_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'redacted_thinking', data: 'sealed' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: 'hi' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ];
    server.script([
      { raw: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('') },
      { text: 'ok' },
    ]);
    const { answer } = await run(port(), callOf({ model, items: [user('go')] }));
    assert.equal(answer.text, 'hi');
    await run(port(), callOf({ model, items: [user('go'), asItem(answer), user('more')] }));
    assert.deepEqual(at(server.requests[1], 'messages', 1, 'content', 0), {
      type: 'redacted_thinking',
      data: 'sealed',
    });
  });

  it('tells a failed result as one', async () => {
    server.script([{ text: 'ok' }]);
    const call = { callId: 'a', tool: 'read', args: '{}' };
    const failed: ContextItem = {
      kind: 'result',
      callId: 'a',
      tool: 'read',
      output: '{"error":"tool_failed"}',
      failed: true,
    };
    await run(
      port(),
      callOf({ model, items: [user('go'), asItem({ text: '', calls: [call] } as never), failed] }),
    );
    assert.equal(at(server.requests[0], 'messages', 2, 'content', 0, 'is_error'), true);
  });

  it('has earlier reasoning dropped once a changed conversation was refused', async () => {
    const message =
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.';
    server.script([
      { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } },
      { text: 'ok' },
    ]);
    const one = port();
    assert.equal((await failing(run(one, callOf({ model, items: [user('go')] })))).retry, true);
    await run(one, callOf({ model, items: [user('go')] }));
    assert.deepEqual(at(server.requests[1], 'thinking', 'block_binding'), {
      prefix_mismatch_behavior: 'drop_block',
    });
    assert.match(String(server.requests[1]?.headers['anthropic-beta']), /thinking-binding-controls/);
  });

  it('leaves out what it asks of reasoning once that was refused', async () => {
    const error = {
      type: 'invalid_request_error',
      message: 'adaptive thinking is not supported on this model',
    };
    server.script([{ status: 400, body: { type: 'error', error } }, { text: 'ok' }]);
    const one = port();
    assert.equal((await failing(run(one, callOf({ model, items: [user('go')] })))).retry, true);
    await run(one, callOf({ model, items: [user('go')] }));
    assert.equal(at(server.requests[1], 'thinking'), undefined);
  });

  it('tries again after an overload that comes inside the stream', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    server.script([{ raw: `event: error\ndata: ${JSON.stringify(error)}\n\n` }]);
    const failure = await failing(run(port(), callOf({ model, items: [user('go')] })));
    assert.deepEqual([failure.code, failure.retry], ['model_overloaded', true]);
  });
});

describe('models: OpenAI Responses', () => {
  let server: ModelServer;
  beforeEach(async () => void (server = await startModelServer()));
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.violations, []);
  });
  const model = 'local/gpt-6.2-sol';
  const port = (): ModelPort => models(server, 'openai', 'gpt-6.2-sol');

  it('stores nothing over there and asks for sealed reasoning with a summary', async () => {
    server.script([{ text: 'ok' }]);
    await run(port(), callOf({ model, items: [user('hello')] }));
    assert.deepEqual(server.requests[0]?.body, {
      model: 'gpt-6.2-sol',
      stream: true,
      store: false,
      prompt_cache_key: 's1',
      include: ['reasoning.encrypted_content'],
      reasoning: { summary: 'auto' },
      input: [{ role: 'user', content: 'hello' }],
    });
    assert.equal(sent(server).headers.authorization, 'Bearer key-1');
  });

  it('asks a model that does not reason for none of it', async () => {
    server.script([{ text: 'ok' }]);
    await run(port(), callOf({ model: 'local/other', items: [user('hello')] }));
    assert.deepEqual(
      [at(server.requests[0], 'include'), at(server.requests[0], 'reasoning')],
      [undefined, undefined],
    );
  });

  it('gives sealed reasoning back in its place, and not without its seal', async () => {
    server.script([
      {
        reasoning: 'hm',
        signature: 'sealed-9',
        text: 'I look.',
        calls: [{ id: 'a', tool: 'read', args: { path: 'x' } }],
      },
      { text: 'ok' },
      { text: 'ok' },
    ]);
    const { answer } = await run(port(), callOf({ model, items: [user('go')] }));
    await run(port(), callOf({ model, items: [user('go'), asItem(answer), result('a', {})] }));
    const input = listAt(server.requests[1], 'input');
    assert.deepEqual(
      input.map((item) => item['type'] ?? item['role']),
      ['user', 'reasoning', 'message', 'function_call', 'function_call_output'],
    );
    assert.equal(input[1]?.['encrypted_content'], 'sealed-9');
    await run(port(), callOf({ model: 'local/other', items: [user('go'), asItem(answer), result('a', {})] }));
    assert.ok(!JSON.stringify(server.requests[2]?.body).includes('sealed-9'));
  });

  it('takes arguments that come only with the finished call', async () => {
    const item = { type: 'function_call', call_id: 'a', name: 'read', arguments: '{"path":"x"}' };
    const events = [
      { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 1, item: { ...item, call_id: 'b' } },
      { type: 'response.something_new.delta', delta: { not: 'text' } },
      { type: 'response.completed', response: { status: 'completed', usage: null } },
    ];
    server.script([{ raw: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') }]);
    const { answer } = await run(port(), callOf({ model, items: [user('go')] }));
    assert.deepEqual(
      answer.calls.map(({ callId, args }) => callId + args),
      ['a{"path":"x"}', 'b{"path":"x"}'],
    );
  });

  it('fails with the reason of a response that failed', async () => {
    const failed = (error: object): string =>
      `event: response.failed\ndata: ${JSON.stringify({ type: 'response.failed', response: { status: 'failed', error } })}\n\n`;
    server.script([
      { raw: failed({ code: 'rate_limit_exceeded', message: 'later' }) },
      { raw: failed({ code: 'invalid_prompt', message: 'not this' }) },
      {
        raw: `event: error\ndata: ${JSON.stringify({ type: 'error', code: 'server_error', message: 'oops' })}\n\n`,
      },
    ]);
    const codes: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const failure = await failing(run(port(), callOf({ model, items: [user('go')] })));
      codes.push(`${failure.code} ${failure.retry} ${/later|not this|oops/.exec(failure.message)?.[0]}`);
    }
    assert.deepEqual(codes, [
      'model_overloaded true later',
      'model_rejected false not this',
      'model_unreachable true oops',
    ]);
  });

  it('leaves out summaries once an account was refused them', async () => {
    const error = {
      message: 'Your organization must be verified to generate reasoning summaries.',
      code: 'unsupported_value',
    };
    server.script([{ status: 400, body: { error } }, { text: 'ok' }]);
    const one = port();
    assert.equal((await failing(run(one, callOf({ model, items: [user('go')] })))).retry, true);
    await run(one, callOf({ model, items: [user('go')] }));
    assert.equal(at(server.requests[1], 'reasoning'), undefined);
    assert.deepEqual(at(server.requests[1], 'include'), ['reasoning.encrypted_content']);
  });
});
