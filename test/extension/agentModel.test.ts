/** The second step of choosing an outside agent: its model. */
import { editor } from './vscodeStub';
import assert from 'node:assert/strict';
import type { Belay } from '../../extension/belay';
import { withModel } from '../../extension/commands/agentModel';

interface Item {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

describe('the model of an outside agent', () => {
  let models: { items: object[]; note?: string };
  const belay = { host: { request: () => Promise.resolve(models) } } as unknown as Belay;
  const items = (): readonly Item[] => editor.lists.at(0)?.items as readonly Item[];
  const CODEX = { id: 'codex', name: 'Codex' };

  beforeEach(() => {
    models = { items: [{ id: 'gpt-6-sol', name: 'GPT-6 Sol', detail: 'For most work', usual: true }] };
    editor.lists = [];
    editor.asked = [];
    editor.chooses = [];
    editor.answers = [];
  });

  it('is as the agent is set, by default', async () => {
    editor.chooses = [0];
    assert.deepEqual(await withModel(belay, CODEX), { kind: 'harness', harness: 'codex' });
    assert.deepEqual(
      items().map(({ label }) => label),
      ['As Codex is set', 'GPT-6 Sol', '$(edit) Another model…'],
    );
  });

  it('is one of those that the agent lists', async () => {
    editor.chooses = [1];
    assert.deepEqual(await withModel(belay, CODEX), {
      kind: 'harness',
      harness: 'codex',
      model: 'gpt-6-sol',
    });
    assert.equal(items()[1]?.description, 'gpt-6-sol · what it takes by itself');
    assert.equal(items()[1]?.detail, 'For most work');
  });

  it('is any other by its name, also where none is listed, which says why', async () => {
    models = { items: [], note: 'Paused: it was not asked for its models.' };
    editor.chooses = [1];
    editor.answers = [' my-model '];
    assert.deepEqual(await withModel(belay, CODEX), {
      kind: 'harness',
      harness: 'codex',
      model: 'my-model',
    });
    assert.equal(items()[1]?.detail, 'Paused: it was not asked for its models.');
  });

  it('is not chosen where the person goes back', async () => {
    editor.chooses = [-1];
    assert.equal(await withModel(belay, CODEX), undefined);
  });
});
