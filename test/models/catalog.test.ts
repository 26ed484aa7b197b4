/** Which models there are, which can be used now, and with which key. */
import assert from 'node:assert/strict';
import type { ModelInfo, Settings } from '../../protocol';
import { usage } from '../../host/adapters/models/collector';
import { knownModel } from '../../host/adapters/models/catalog';
import { retryAfterMs } from '../../host/adapters/models/failures';
import { createModels, type ModelsNeed } from '../../host/adapters/models/models';
import { startModelServer, type ModelServer } from '../support/modelServer';
import { callOf, failing, handClock, run, sent, user } from './bench';
import { directWeb } from '../support/directWeb';

const need = (
  providers: NonNullable<NonNullable<Settings['models']>['providers']>,
  more: Partial<ModelsNeed> = {},
): ModelsNeed => ({
  settings: () => ({ providers }),
  secret: () => Promise.resolve(undefined),
  env: {},
  editor: { offered: () => [], request: () => Promise.reject(new Error('no editor')) },
  clock: handClock(),
  stallMs: () => 1000,
  log: () => undefined,
  secrets: () => ({ names: [], values: [] }),
  web: directWeb(),
  ...more,
});
const brief = (models: readonly ModelInfo[]): string[] => models.map(({ id, ready }) => `${id} ${ready}`);

describe('models: the list', () => {
  it('always has the rehearsal, and nothing else without settings', async () => {
    assert.deepEqual(brief((await createModels(need({})).list()).items), ['rehearsal/demo true']);
  });

  it('names what a provider sets, and is ready when it needs no key or has one', async () => {
    const models = createModels(
      need(
        {
          local: {
            kind: 'openai-compatible',
            baseUrl: 'http://x/v1',
            models: [{ id: 'a/b', contextWindow: 9 }],
          },
          proxy: {
            kind: 'openai-compatible',
            baseUrl: 'http://x/v1',
            apiKeyEnv: 'PROXY_KEY',
            models: [{ id: 'c' }],
          },
          own: { kind: 'anthropic', baseUrl: 'http://x', models: [{ id: 'd' }] },
        },
        { secret: (name) => Promise.resolve(name === 'model/own' ? 'k' : undefined) },
      ),
    );
    assert.deepEqual(brief((await models.list()).items), [
      'local/a/b true',
      'proxy/c false',
      'own/d true',
      'rehearsal/demo true',
    ]);
    const proxy = (await models.list()).items.find(({ provider }) => provider === 'proxy');
    assert.match(proxy?.note ?? '', /PROXY_KEY/);
    assert.equal(models.contextWindow('local/a/b'), 9);
    assert.equal(models.contextWindow('own/d'), undefined);
    assert.equal(models.contextWindow('nobody/x'), undefined);
  });

  it('offers known models of the providers themselves, with their windows', async () => {
    const models = createModels(
      need({ anthropic: { kind: 'anthropic' } }, { env: { ANTHROPIC_API_KEY: 'k' } }),
    );
    const { items: listed } = await models.list();
    assert.ok(
      listed.some(
        ({ id, ready, contextWindow }) =>
          id === 'anthropic/claude-opus-5-5' && ready && contextWindow === 1_000_000,
      ),
    );
    assert.equal(models.contextWindow('anthropic/claude-haiku-4-5'), 200_000);
  });

  it('does not let settings take the names of the built-in providers', async () => {
    const models = createModels(need({ rehearsal: { kind: 'openai-compatible', models: [{ id: 'x' }] } }));
    assert.deepEqual(brief((await models.list()).items), ['rehearsal/demo true']);
  });

  it('refuses a model that nobody has', async () => {
    const models = createModels(need({}));
    for (const model of ['nobody/x', 'rehearsal/other', 'x', 'constructor/x', '']) {
      const failure = await failing(run(models, callOf({ model, items: [user('x')] })));
      assert.deepEqual([failure.code, failure.retry], ['model_unknown', false]);
    }
  });

  it('knows a price only at the provider’s own address', () => {
    const own = knownModel({ kind: 'anthropic' }, 'claude-opus-5-5', undefined);
    assert.deepEqual(own.price, { input: 4, output: 20, cached: 0.2, written: 5 });
    assert.equal(
      knownModel({ kind: 'anthropic', baseUrl: 'https://proxy.example' }, 'claude-opus-5-5', undefined).price,
      undefined,
    );
  });

  it('T9: counts cost by what was read, cached, written to the cache and answered', () => {
    const price = { input: 4, output: 20, cached: 0.2, written: 5 };
    const counted = usage({ input: 1_000_000, output: 100_000, cached: 500_000, written: 250_000 }, price);
    assert.equal(counted.costUsd, 1 + 0.1 + 1.25 + 2);
    assert.deepEqual(usage({ input: NaN, output: -1, cached: 9 }, undefined), {
      inputTokens: 0,
      outputTokens: 0,
      cachedTokens: 0,
    });
  });

  it('reads what a provider asks to wait', () => {
    const now = Date.parse('2026-11-29T12:00:00Z');
    const asked = (headers: Record<string, string>): number | undefined =>
      retryAfterMs(new Headers(headers), now);
    assert.equal(asked({ 'retry-after': '1.5' }), 1500);
    assert.equal(asked({ 'retry-after': 'Sun, 29 Nov 2026 12:00:10 GMT' }), 10_000);
    assert.equal(asked({ 'retry-after': 'Sun, 29 Nov 2026 11:00:00 GMT' }), 0);
    assert.equal(asked({ 'retry-after': '-3' }), undefined);
    assert.equal(asked({ 'retry-after-ms': '20', 'retry-after': '9' }), 20);
    assert.equal(asked({}), undefined);
  });
});

describe('models: keys', () => {
  let server: ModelServer;
  beforeEach(async () => void (server = await startModelServer()));
  afterEach(() => server.stop());
  const hello = callOf({ model: 'p/m', items: [user('hello')] });
  const provider = (): { p: { kind: 'openai'; baseUrl: string; apiKeyEnv: string } } => ({
    p: { kind: 'openai', baseUrl: server.url, apiKeyEnv: 'P_KEY' },
  });

  it('are missed before anything is sent', async () => {
    const failure = await failing(run(createModels(need(provider())), hello));
    assert.deepEqual([failure.code, failure.retry], ['model_key_missing', false]);
    assert.match(failure.message, /P_KEY/);
    assert.equal(server.requests.length, 0);
  });

  it('come from the client first, then from the environment', async () => {
    server.reply(() => ({ text: 'ok' }));
    const env = { P_KEY: 'from-env' };
    await run(createModels(need(provider(), { env, secret: () => Promise.resolve('from-client') })), hello);
    await run(createModels(need(provider(), { env })), hello);
    await run(
      createModels(need(provider(), { env, secret: () => Promise.reject(new Error('client has gone')) })),
      hello,
    );
    const keys = [0, 1, 2].map((n) => sent(server, n).headers.authorization);
    assert.deepEqual(keys, ['Bearer from-client', 'Bearer from-env', 'Bearer from-env']);
  });

  it('are asked for once in a minute, and anew after a refusal', async () => {
    const clock = handClock();
    let asked = 0;
    const secret = (): Promise<string> => Promise.resolve(`key-${(asked += 1)}`);
    const models = createModels(need(provider(), { clock, secret }));
    server.script([
      { text: 'ok' },
      { text: 'ok' },
      { text: 'ok' },
      { status: 401, body: {} },
      { text: 'ok' },
    ]);
    await run(models, hello);
    await run(models, hello);
    clock.pass(60_000);
    await run(models, hello);
    await failing(run(models, hello));
    await run(models, hello);
    const keys = server.requests.map(({ headers }) => headers.authorization?.slice('Bearer '.length));
    assert.deepEqual(keys, ['key-1', 'key-1', 'key-2', 'key-2', 'key-3']);
  });

  it('X8 are asked for anew where the provider has another address', async () => {
    const told = ['of the old', undefined];
    let baseUrl = `${server.root}/old`;
    const models = createModels(
      need(
        {},
        {
          settings: () => ({ providers: { p: { kind: 'openai-compatible', baseUrl } } }),
          secret: () => Promise.resolve(told.shift()),
        },
      ),
    );
    server.reply(() => ({ text: 'ok' }));
    await Promise.allSettled([run(models, hello)]);
    baseUrl = server.url;
    await run(models, hello);
    assert.equal(sent(server, server.requests.length - 1).headers.authorization, undefined);
    assert.deepEqual(told, []);
  });

  it('do not hold a turn that is ended while the client does not answer', async () => {
    const controller = new AbortController();
    const models = createModels(need(provider(), { secret: () => new Promise(() => undefined) }));
    const answering = run(models, hello, { signal: controller.signal });
    controller.abort('cancelled');
    await assert.rejects(answering, (error) => error === 'cancelled');
  });

  it('X8: do not appear in what a person reads', async () => {
    server.script([
      { status: 400, body: { error: { message: 'Bad header: Bearer sk-secret-1 is not allowed' } } },
    ]);
    const models = createModels(need(provider(), { secret: () => Promise.resolve('sk-secret-1') }));
    const failure = await failing(run(models, hello));
    assert.match(failure.message, /Bearer \[key\] is not allowed/);
  });
});
