/** What servers that imitate Chat Completions do differently, each as it was seen. */
import assert from 'node:assert/strict';
import type { ContextItem } from '../../protocol';
import { at, listAt, startModelServer, type ModelServer } from '../support/modelServer';
import { assistant, callOf, failing, modelsFor, planned, result, run, user } from './bench';

const chunk = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, ...choice }], ...more })}\n\n`;
const delta = (value: object): string => chunk({ delta: value });
const stop = chunk({ finish_reason: 'stop' });
const done = 'data: [DONE]\n\n';

describe('models: chat completions of many makers', () => {
  let server: ModelServer;
  beforeEach(async () => void (server = await startModelServer()));
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.violations, []);
  });
  const hello = callOf({ items: [user('hello')] });
  const raw = async (text: string): ReturnType<typeof run> => {
    server.script([{ raw: text }]);
    return run(modelsFor(server), hello);
  };

  it('sends no authorization without a key, and the key as a bearer with one', async () => {
    server.reply(() => ({ text: 'ok' }));
    await run(modelsFor(server), hello);
    await run(modelsFor(server, 'openai-compatible', { secret: () => Promise.resolve('key-7') }), hello);
    assert.deepEqual(
      server.requests.map(({ headers }) => headers.authorization),
      [undefined, 'Bearer key-7'],
    );
  });

  it('sends nothing in a first request that it does not need', async () => {
    server.script([{ text: 'ok' }]);
    await run(modelsFor(server), hello);
    assert.deepEqual(server.requests[0]?.body, {
      model: 'm1',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'hello' }],
    });
  });

  it('takes an end without [DONE], an end without a reason, and comments between', async () => {
    const noMarker = await raw(
      `: keep-alive\n\n${delta({ content: 'a' })}: OPENROUTER PROCESSING\n\n${stop}`,
    );
    assert.equal(noMarker.answer.text, 'a');
    const noReason = await raw(delta({ content: 'b' }) + done);
    assert.equal(noReason.answer.text, 'b');
    const crlf = await raw((delta({ content: 'c' }) + stop + done).replaceAll('\n', '\r\n'));
    assert.equal(crlf.answer.text, 'c');
    const noLastLine = await raw(delta({ content: 'd' }) + stop + 'data: [DONE]');
    assert.equal(noLastLine.answer.text, 'd');
  });

  it('does not take a bare [DONE] for an answer', async () => {
    const failure = await failing(raw(done));
    assert.deepEqual([failure.code, failure.retry], ['model_malformed', true]);
  });

  it('takes half of a last event for a cut, not for nonsense', async () => {
    const failure = await failing(raw(`${delta({ content: 'a' })}data: {"choices":[{"ind`));
    assert.equal(failure.code, 'model_unreachable');
  });

  it('tells calls apart that all have the index 0, or none', async () => {
    const call = (id: string, tool: string, args: unknown, index?: number): object => ({
      ...(index === undefined ? {} : { index }),
      id,
      type: 'function',
      function: { name: tool, arguments: args },
    });
    const zero = await raw(
      delta({ tool_calls: [call('a', 'read', '{"path":"x"}', 0)] }) +
        delta({ tool_calls: [call('b', 'list', { path: 'y' }, 0)] }) +
        stop +
        done,
    );
    assert.deepEqual(zero.answer.calls, [
      { callId: 'a', tool: 'read', args: '{"path":"x"}' },
      { callId: 'b', tool: 'list', args: '{"path":"y"}' },
    ]);
    assert.equal(zero.answer.stop, 'calls');
    const none = await raw(
      delta({ tool_calls: [call('a', 'read', '{"pa')] }) +
        delta({ tool_calls: [{ function: { arguments: 'th":1}' } }] }) +
        delta({ tool_calls: [call('b', 'list', '')] }) +
        done,
    );
    assert.deepEqual(none.answer.calls, [
      { callId: 'a', tool: 'read', args: '{"path":1}' },
      { callId: 'b', tool: 'list', args: '{}' },
    ]);
  });

  it('fails with the reason of an error that comes inside the stream', async () => {
    const limited = await failing(
      raw(`data: ${JSON.stringify({ error: { message: 'slow down', code: 429 } })}\n\n`),
    );
    assert.deepEqual([limited.code, limited.retry], ['model_overloaded', true]);
    assert.match(limited.message, /slow down/);
    const unnamed = await failing(raw(`data: ${JSON.stringify({ error: 'out of memory' })}\n\n`));
    assert.deepEqual([unnamed.code, unnamed.retry], ['model_unreachable', true]);
    const late = await failing(raw(delta({ content: 'a' }) + chunk({ finish_reason: 'error' }) + done));
    assert.deepEqual([late.code, late.retry], ['model_unreachable', true]);
  });

  it('reads an error that comes with status 200', async () => {
    server.script([
      {
        raw: JSON.stringify({ error: { message: 'no endpoints', code: 404 } }),
        headers: { 'content-type': 'application/json' },
      },
    ]);
    const failure = await failing(run(modelsFor(server), hello));
    assert.equal(failure.code, 'model_rejected');
    assert.match(failure.message, /no endpoints/);
  });

  it('takes an answer that comes whole although a stream was asked for', async () => {
    const calls = ['a', 'b'].map((id) => ({
      id,
      type: 'function',
      function: { name: 'read', arguments: '{}' },
    }));
    const message = { role: 'assistant', content: 'I look.', tool_calls: calls };
    const body = {
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    };
    server.script([
      { raw: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
      { raw: '{"hello":1}', headers: { 'content-type': 'application/json; charset=utf-8' } },
    ]);
    const { answer } = await run(modelsFor(server), hello);
    assert.deepEqual(
      [answer.text, answer.calls.map(({ callId }) => callId), answer.usage.inputTokens],
      ['I look.', ['a', 'b'], 3],
    );
    assert.equal((await failing(run(modelsFor(server), hello))).code, 'model_malformed');
  });

  it('counts the cache and the cost as the server names them', async () => {
    const usage = { prompt_tokens: 50, completion_tokens: 2, prompt_cache_hit_tokens: 30, cost: 0.0125 };
    const { answer } = await raw(stop + chunk({}, { choices: [], usage }) + done);
    assert.deepEqual(answer.usage, { inputTokens: 50, outputTokens: 2, cachedTokens: 30, costUsd: 0.0125 });
    assert.deepEqual((await raw(stop + done)).answer.usage, {
      inputTokens: 0,
      outputTokens: 0,
      cachedTokens: 0,
    });
  });

  it('gives reasoning back under its name, with calls, to the same model only', async () => {
    const reasoned = await raw(
      delta({ reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'h' }] }) +
        delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'm', signature: 'sig' }] }) +
        delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '{}' } }] }) +
        chunk({ finish_reason: 'tool_calls' }) +
        done,
    );
    assert.equal(reasoned.answer.reasoning, 'hm');
    const { native } = reasoned.answer;
    assert.ok(native);
    const before: ContextItem = { ...assistant('', [planned('a', 'read', {})]), native } as ContextItem;
    const items = [user('go'), before, result('a', {})];
    server.reply(() => ({ text: 'ok' }));
    await run(modelsFor(server), callOf({ items }));
    const other = { providers: { local: { kind: 'openai-compatible' as const, baseUrl: server.url } } };
    await run(
      modelsFor(server, 'openai-compatible', { settings: () => other }),
      callOf({ items, model: 'local/m2' }),
    );
    const [own, foreign] = server.requests.slice(1).map((request) => listAt(request, 'messages')[1]);
    assert.equal(own?.['reasoning'], 'hm');
    assert.deepEqual(own['reasoning_details'], [
      { type: 'reasoning.text', index: 0, text: 'hm', signature: 'sig' },
    ]);
    assert.ok(foreign && !('reasoning' in foreign));
    assert.equal((await raw(delta({ reasoning_content: 'x' }) + stop + done)).answer.native, undefined);
  });

  it('shows the pictures of a round after all of its results', async () => {
    server.script([{ text: 'ok' }]);
    const image = { mediaType: 'image/png' as const, data: 'AAAA' };
    const items: ContextItem[] = [
      user('go'),
      assistant('', [planned('a', 'shot', {}), planned('b', 'shot', {})]),
      { kind: 'result', callId: 'a', tool: 'shot', output: '{}', images: [image], failed: false },
      result('b', {}),
      user('next'),
    ];
    await run(modelsFor(server), callOf({ items }));
    const roles = listAt(server.requests[0], 'messages').map(({ role }) => role);
    assert.deepEqual(roles, ['user', 'assistant', 'tool', 'tool', 'user', 'user']);
  });

  it('learns that a model wants user and assistant in turn', async () => {
    const error = { message: 'Conversation roles must alternate user/assistant/user/assistant/...' };
    server.script([{ status: 400, body: { error } }, { text: 'ok' }]);
    const models = modelsFor(server);
    const call = callOf({ items: [user('one'), user('two')] });
    assert.equal((await failing(run(models, call))).retry, true);
    await run(models, call);
    assert.deepEqual(at(server.requests[1], 'messages'), [{ role: 'user', content: 'one\n\ntwo' }]);
  });

  it('says that a provider without address needs one', async () => {
    const settings = { providers: { local: { kind: 'openai-compatible' as const } } };
    const failure = await failing(
      run(modelsFor(server, 'openai-compatible', { settings: () => settings }), hello),
    );
    assert.match(failure.message, /base address/);
    assert.equal(failure.retry, false);
  });
});
