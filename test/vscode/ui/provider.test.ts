import assert from 'node:assert/strict';
import { openBelay, type BelayWindow } from './window';

describe('a provider that is added in VS Code', () => {
  let window: BelayWindow;

  before(async () => {
    window = await openBelay({
      settings: { 'belay.models.providers': undefined, 'belay.models.default': undefined },
    });
    await window.workbench.container('Belay');
  });

  after(() => window.close());

  it('is added by its address and key where the model is chosen, tells its models, and answers the first message', async () => {
    const { workbench, models } = window;
    models.lists(() => ({ body: { data: [{ id: 'm1' }, { id: 'm2' }] } }));
    const list = workbench.page.locator('.quick-input-widget');
    await workbench.runCommand('Belay: Choose default model…');
    await list.getByText('Rehearsal').first().waitFor();
    await workbench.pick('Add a provider…');
    await workbench.pick('OpenAI-compatible server…');
    await list.getByText('Address of the service').waitFor();
    await workbench.answerInput(models.url);
    await list.getByText('Key for 127.0.0.1').waitFor();
    await workbench.answerInput('very-secret-key');
    await list.getByText('127.0.0.1 has 2 models: which one?').waitFor();
    await workbench.screenshot('provider-models');
    await workbench.pick('127.0.0.1/m2');
    await list.waitFor({ state: 'hidden' });
    models.script([{ text: 'Good morning.' }]);
    await workbench.runCommand('Belay: New session');
    const field = workbench.webview().getByRole('textbox', { name: 'Message to the agent' });
    await field.fill('hello');
    await field.press('Enter');
    await workbench.webview().getByText('Good morning.').waitFor();
    assert.equal(models.requests[0]?.headers.authorization, 'Bearer very-secret-key');
    const keys = models.looks.map(({ headers }) => headers.authorization);
    assert.ok(keys.includes('Bearer very-secret-key'));
  });

  it('R11 whose models nobody knows says why, and is a row of the list that takes one by its id', async () => {
    const { workbench, models } = window;
    models.lists(() => ({ status: 404 }));
    const list = workbench.page.locator('.quick-input-widget');
    await workbench.runCommand('Belay: Choose default model…');
    await workbench.pick('Add a provider…');
    await workbench.pick('OpenAI-compatible server…');
    await workbench.answerInput(models.url);
    await list.getByText('Key for 127.0.0.1-2').waitFor();
    await workbench.answerInput('');
    await list.getByText('Id of a model of 127.0.0.1-2').waitFor();
    await list.getByText('has no list of models').waitFor();
    await workbench.page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    await workbench.runCommand('Belay: Choose default model…');
    await workbench.pick('A model of 127.0.0.1-2, by its id…');
    await list.getByText('has no list of models').waitFor();
    await workbench.answerInput('m7');
    await list.waitFor({ state: 'hidden' });
    // The list shows what was known when it was opened: a person looks again.
    const added = list.getByText('127.0.0.1-2/m7');
    for (let look = 1; !(await added.isVisible()); look++) {
      assert.ok(look <= 10, 'it is in the list');
      await workbench.page.keyboard.press('Escape');
      await workbench.runCommand('Belay: Choose default model…');
      await list.getByText('Add a provider…').waitFor();
    }
    await workbench.page.keyboard.press('Escape');
  });
});
