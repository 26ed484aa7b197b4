/** From no provider at all to a model that sessions begin with, also where a provider lists nothing. */
import { editor } from './vscodeStub';
import assert from 'node:assert/strict';
import type { ModelInfo, ProviderInfo } from '../../protocol';
import type { Belay } from '../../extension/belay';
import { chooseModel } from '../../extension/commands/chooseModel';
import { setModelKey } from '../../extension/commands/setModelKey';

interface Item {
  readonly label: string;
  readonly detail?: string;
}

const model = (id: string, ready = true): ModelInfo => ({
  id,
  name: id.slice(id.indexOf('/') + 1).toUpperCase(),
  provider: id.slice(0, id.indexOf('/')),
  ready,
});
const rehearsal = model('rehearsal/demo');
const providersInSettings = () => editor.settings.get('models.providers');
const labels = (list: number): string[] =>
  (editor.lists.at(list)?.items as readonly Item[]).map(({ label }) => label);

describe('the choice of a model', () => {
  let models: readonly ModelInfo[];
  let providers: readonly ProviderInfo[];
  let kept: Map<string, string>;
  let looked: unknown[];
  const belay = {
    host: {
      request: (_method: string, params: unknown) => {
        looked.push(params);
        return Promise.resolve({ items: [...models, rehearsal], providers });
      },
    },
    settings: { push: () => Promise.resolve(), defaultModel: () => editor.settings.get('models.default') },
    secrets: {
      set: (name: string, value: string) => Promise.resolve(void kept.set(name, value)),
      remove: (name: string) => Promise.resolve(void kept.delete(name)),
    },
  } as unknown as Belay;

  beforeEach(() => {
    models = [];
    providers = [];
    kept = new Map();
    looked = [];
    editor.settings = new Map();
    editor.lists = [];
    editor.asked = [];
    editor.chooses = [];
    editor.answers = [];
  });

  it('M1 a server that is added lists its models, and one of them is chosen', async () => {
    models = [model('127.0.0.1/qwen'), model('127.0.0.1/llama'), model('other/x')];
    providers = [{ name: '127.0.0.1' }, { name: 'other' }];
    editor.chooses = [-1, 2, 1];
    editor.answers = ['http://127.0.0.1:8000/v1', ''];
    assert.equal(await chooseModel(belay), '127.0.0.1/llama');
    assert.equal(editor.settings.get('models.default'), '127.0.0.1/llama');
    assert.deepEqual(providersInSettings(), {
      '127.0.0.1': { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:8000/v1' },
    });
    assert.match(editor.lists.at(-1)?.title ?? '', /127\.0\.0\.1 has 2 models/);
    assert.deepEqual(labels(-1), ['QWEN', 'LLAMA', '$(edit) Another model by its id…']);
    assert.deepEqual(looked, [{ look: true }, { look: true }]);
  });

  it('X8 a key that was kept for another address of that name does not go to the new one', async () => {
    models = [model('127.0.0.1/qwen')];
    providers = [{ name: '127.0.0.1' }];
    kept.set('model/127.0.0.1', 'of port 8000');
    kept.set('model/openai', 'k');
    editor.chooses = [-1, 2, 0];
    editor.answers = ['http://127.0.0.1:9000/v1', ''];
    assert.equal(await chooseModel(belay), '127.0.0.1/qwen');
    assert.deepEqual([...kept.keys()], ['model/openai']);
  });

  it('R11 one that lists none says why, asks for an id, and the id is written to the settings', async () => {
    providers = [{ name: '127.0.0.1', note: 'It has no list of models.' }];
    editor.chooses = [-1, 2];
    editor.answers = ['http://127.0.0.1:8000/v1', 'k1', ' own-model '];
    assert.equal(await chooseModel(belay), '127.0.0.1/own-model');
    assert.match(editor.asked.at(-1)?.prompt ?? '', /^It has no list of models\. As the service/);
    assert.deepEqual([...kept.values()], ['k1']);
    assert.deepEqual(providersInSettings(), {
      '127.0.0.1': {
        kind: 'openai-compatible',
        baseUrl: 'http://127.0.0.1:8000/v1',
        models: [{ id: 'own-model' }],
      },
    });
  });

  it('R11 a provider without models is a row with its reason, not an empty list', async () => {
    const set = {
      kind: 'openai-compatible',
      baseUrl: 'http://x/v1',
      models: [{ id: 'a', contextWindow: 9 }],
    };
    editor.settings.set('models.providers', { x: set });
    providers = [{ name: 'x', note: 'It cannot be reached.' }];
    editor.chooses = [1];
    editor.answers = ['b'];
    assert.equal(await chooseModel(belay), 'x/b');
    const row = editor.lists[0]?.items[1] as Item;
    assert.deepEqual([row.label, row.detail], ['A model of x, by its id…', 'It cannot be reached.']);
    assert.deepEqual(providersInSettings(), { x: { ...set, models: [...set.models, { id: 'b' }] } });
  });

  it('any model can be named by its id, and one that is named twice is written once', async () => {
    const set = { kind: 'anthropic', models: [{ id: 'new' }] };
    editor.settings.set('models.providers', { anthropic: set });
    models = [model('anthropic/new', false)];
    providers = [{ name: 'anthropic', note: 'Needs a key.' }];
    editor.chooses = [-2];
    editor.answers = ['new', 'k1'];
    assert.equal(await chooseModel(belay), 'anthropic/new');
    assert.deepEqual([...kept.values()], ['k1'], 'its key was missing, so it was asked for');
    assert.deepEqual(providersInSettings(), { anthropic: set });
  });

  it('nothing is chosen by a person who goes away, and a provider without its key is not one that works', async () => {
    assert.equal(await chooseModel(belay), undefined);
    editor.chooses = [0];
    assert.equal(await setModelKey(belay), false);
    assert.equal(editor.settings.has('models.default'), false);
    assert.deepEqual(providersInSettings(), { anthropic: { kind: 'anthropic' } });
  });
});
