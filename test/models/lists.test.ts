/** What a provider lists of its models: asked for, read, kept, and what is said where that fails. */
import assert from 'node:assert/strict';
import { MODEL_LIST_BYTES, MODEL_LIST_KEPT_MS, MODEL_LIST_MS, type Provider } from '../../protocol';
import { createModels, type Models, type ModelsNeed } from '../../host/adapters/models/models';
import { readList } from '../../host/adapters/models/listed';
import { CordPulled } from '../../host/base/launch';
import { gate, startModelServer, type ModelServer } from '../support/modelServer';
import { free, handClock } from './bench';
import { directWeb } from '../support/directWeb';

const ids = async (models: Models, look = free): Promise<string[]> =>
  (await models.list(look)).items.flatMap(({ id }) => (id === 'rehearsal/demo' ? [] : [id]));
const noteOf = async (models: Models): Promise<string> => (await models.list()).providers[0]?.note ?? '';
const list = (...names: string[]): object => ({ data: names.map((id) => ({ id })) });

describe('models: the lists of providers', () => {
  let server: ModelServer;
  let clock: ReturnType<typeof handClock>;
  beforeEach(async () => {
    server = await startModelServer();
    clock = handClock();
  });
  afterEach(() => server.stop());

  const models = (provider: Partial<Provider> = {}, more: Partial<ModelsNeed> = {}): Models => {
    const p: Provider = { kind: 'openai-compatible', baseUrl: server.url, ...provider };
    return createModels({
      settings: () => ({ providers: { p } }),
      secret: () => Promise.resolve(undefined),
      env: {},
      editor: { offered: () => [], request: () => Promise.reject(new Error('no editor')) },
      clock,
      stallMs: () => 1000,
      log: () => undefined,
      secrets: () => ({ names: [], values: [] }),
      web: directWeb(),
      ...more,
    });
  };

  it('M1 a provider with an address of its own is asked what it has, with its key, and its windows are known', async () => {
    server.lists(() => ({ body: { data: [{ id: 'qwen', max_model_len: 32_768 }, { id: 'a/b' }] } }));
    const own = models({}, { secret: () => Promise.resolve('k1') });
    assert.deepEqual((await own.list()).items.length, 1, 'unasked it asks nobody');
    assert.equal(server.looks.length, 0);
    assert.deepEqual(await ids(own), ['p/qwen', 'p/a/b']);
    assert.equal(server.looks[0]?.path, '/v1/models');
    assert.equal(server.looks[0]?.headers.authorization, 'Bearer k1');
    assert.equal(own.contextWindow('p/qwen'), 32_768);
    assert.equal(await noteOf(own), '');
  });

  it('M1 Anthropic is asked in its own way, for all at once', async () => {
    server.lists(() => ({
      body: { data: [{ id: 'claude-opus-5-5', display_name: 'Opus', max_input_tokens: 7 }] },
    }));
    const own = models({ kind: 'anthropic', baseUrl: server.root }, { secret: () => Promise.resolve('k1') });
    const { items } = await own.list(free);
    assert.deepEqual(items[0], {
      id: 'p/claude-opus-5-5',
      name: 'Claude Opus 5.5',
      provider: 'p',
      ready: true,
      contextWindow: 7,
    });
    assert.equal(server.looks[0]?.path, '/v1/models?limit=1000');
    assert.equal(server.looks[0]?.headers['x-api-key'], 'k1');
    assert.equal(server.looks[0]?.headers['anthropic-version'], '2023-06-01');
  });

  it('M1 models of the settings come first, and what they say of one wins', async () => {
    server.lists(() => ({ body: { data: [{ id: 'x', context_length: 5 }, { id: 'y' }] } }));
    const own = models({ models: [{ id: 'z' }, { id: 'x', contextWindow: 9 }] });
    assert.deepEqual(await ids(own), ['p/z', 'p/x', 'p/y']);
    assert.equal(own.contextWindow('p/x'), 9);
  });

  it('M1 the model that sessions begin with is in the list whatever its provider says of it', async () => {
    const settings = {
      providers: { p: { kind: 'openai-compatible' as const, baseUrl: server.url } },
      default: 'p/own/one',
    };
    assert.deepEqual(await ids(models({}, { settings: () => settings })), ['p/own/one']);
  });

  it('P1 nothing is asked once the cord is pulled, and a look that is under way is ended by a pull', async () => {
    let pulled: (pulled: boolean) => void = () => undefined;
    const own = models();
    own.follow({
      cord: { watch: (listener) => void (pulled = listener) },
      recallModels: () => undefined,
      rememberModels: () => Promise.reject(new Error('full')),
    });
    server.lists(() => ({ body: list('a') }));
    await ids(own);
    clock.pass(MODEL_LIST_KEPT_MS);
    const refuse = () => {
      throw new CordPulled();
    };
    assert.deepEqual(await ids(own, refuse), ['p/a'], 'the last list stays');
    assert.match(await noteOf(own), /^Paused: "p" is asked/);
    assert.equal(server.looks.length, 1);
    const held = gate();
    server.lists(() => ({ body: list('b'), gate: held }));
    const looking = ids(own);
    await held.reached;
    pulled(true);
    assert.deepEqual(await looking, ['p/a']);
    assert.equal(await server.looks[1]?.aborted, true);
  });

  it('R10 a list is kept for some minutes, for its address and its key; two looks at once are one', async () => {
    let key = 'k1';
    server.lists((_look, n) => ({ body: list(`m${String(n)}`) }));
    const own = models({}, { secret: () => Promise.resolve(key) });
    assert.deepEqual(await Promise.all([ids(own), ids(own)]), [['p/m0'], ['p/m0']]);
    clock.pass(MODEL_LIST_KEPT_MS - 1);
    assert.deepEqual(await ids(own), ['p/m0']);
    clock.pass(1);
    assert.deepEqual(await ids(own), ['p/m1']);
    key = 'k2';
    assert.deepEqual(await ids(own), ['p/m2']);
    assert.equal(server.looks.length, 3);
  });

  it('R9 a key that was stored since is used at once', async () => {
    const keys: string[] = [];
    server.lists(({ headers }) =>
      headers.authorization === undefined ? { status: 401 } : { body: list('a') },
    );
    const own = models({}, { secret: () => Promise.resolve(keys[0]) });
    assert.deepEqual(await ids(own), []);
    assert.match(await noteOf(own), /asks for a key/);
    keys.push('k1');
    assert.deepEqual(await ids(own), ['p/a']);
  });

  it('R11 what fails is a sentence with a way on, and the last list stays', async () => {
    const own = models({}, { secret: () => Promise.resolve('sk-1') });
    server.lists(() => ({ body: list('a') }));
    await ids(own);
    const failures: readonly [object, RegExp][] = [
      [{ status: 401 }, /does not accept the key .* Set a valid one\./],
      [{ status: 403 }, /does not list its models for this key\. Name a model by its id\./],
      [{ status: 404 }, /has no list of models at http:\S+\/v1\/models\. Check the address/],
      [{ status: 302, headers: { location: '/elsewhere?key=1' } }, /leads to http:\S+\/elsewhere\. Belay/],
      [{ status: 500 }, /with status 500\. Try again/],
      [{ body: '<html>' }, /is no list of models\. Check the address/],
      [{ body: { data: [1, 2] } }, /is no list of models/],
      [{ body: `{"data":[${'[]'.repeat(MODEL_LIST_BYTES / 2)}]}` }, /more than 4 MiB/],
      [{ body: list() }, /has no models yet\. Load one/],
    ];
    for (const [answer, words] of failures) {
      clock.pass(MODEL_LIST_KEPT_MS);
      server.lists(() => answer);
      const left = await ids(own);
      assert.match(await noteOf(own), words);
      assert.deepEqual(left, answer === failures.at(-1)?.[0] ? [] : ['p/a']);
    }
  });

  it('R10 a provider that does not answer is not waited for longer than a few seconds', async () => {
    const held = gate();
    server.lists(() => ({ gate: held }));
    const own = models();
    const looking = ids(own);
    await held.reached;
    clock.pass(MODEL_LIST_MS);
    assert.deepEqual(await looking, []);
    assert.match(await noteOf(own), /has not listed its models within 5 s\. Try again/);
    assert.equal(await server.looks[0]?.aborted, true);
  });

  it('R11 a provider that is not there is named with its address', async () => {
    await server.stop();
    const own = models();
    assert.deepEqual(await ids(own), []);
    const note = await noteOf(own);
    assert.ok(note.startsWith(`"p" does not run: nothing listens at ${server.url}. Start it`), note);
  });
});

describe('models: reading a list', () => {
  const read = (kind: Provider['kind'], data: readonly unknown[]) => readList(kind, JSON.stringify({ data }));

  it('takes the newest first, each once, and passes over what has no id', () => {
    const listed = read('openai-compatible', [
      { id: 'old', created: 1 },
      { id: '' },
      7,
      { id: 'new', created: 2, context_window: -1, name: 'New' },
      { id: 'old', created: 1 },
    ]);
    assert.deepEqual(listed?.models, [{ id: 'new', name: 'New' }, { id: 'old' }]);
  });

  it('leaves out of OpenAI’s list what cannot hold a conversation, and nothing of anybody else’s', () => {
    const data = [{ id: 'gpt-6-luna' }, { id: 'text-embedding-9' }, { id: 'whisper-2' }];
    assert.deepEqual(
      read('openai', data)?.models.map(({ id }) => id),
      ['gpt-6-luna'],
    );
    assert.equal(read('openai-compatible', data)?.models.length, 3);
  });

  it('takes `max_tokens` for the limit of an answer in Anthropic’s list alone', () => {
    const data = [{ id: 'a', max_tokens: 32_768 }];
    assert.equal(read('anthropic', data)?.models[0]?.maxOutput, 32_768);
    assert.equal(read('openai-compatible', data)?.models[0]?.maxOutput, undefined);
    assert.equal(read('openai', data)?.models[0]?.maxOutput, undefined);
  });

  it('R10 takes a thousand models, and counts the rest', () => {
    const listed = read(
      'openai-compatible',
      Array.from({ length: 1_003 }, (_one, n) => ({ id: `m${n}` })),
    );
    assert.deepEqual([listed?.models.length, listed?.left], [1_000, 3]);
  });
});
