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
    models.list(['m1', 'm2']);
    const list = workbench.page.locator('.quick-input-widget');
    await workbench.runCommand('Belay: Choose default model…');
    await list.getByText('Rehearsal').first().waitFor();
    await workbench.pick('Add a provider…');
    await workbench.pick('OpenAI-compatible server…');
    await list.getByText('Address of the service').waitFor();
    await workbench.answerInput(models.url);
    await list.getByText('Key for 127.0.0.1').waitFor();
    await workbench.answerInput('very-secret-key');
    await list.getByText('Which models of 127.0.0.1 do you want to use?').waitFor();
    await workbench.screenshot('provider-models');
    await list.getByRole('textbox').press('Enter');
    await list.getByText('Which model do new sessions begin with?').waitFor();
    await workbench.screenshot('provider-choose');
    await workbench.pick('127.0.0.1/m2');
    await list.waitFor({ state: 'hidden' });
    models.script([{ text: 'Good morning.' }]);
    await workbench.runCommand('Belay: New session');
    const field = workbench.webview().getByRole('textbox', { name: 'Message to the agent' });
    await field.fill('hello');
    await field.press('Enter');
    await workbench.webview().getByText('Good morning.').waitFor();
    assert.equal(models.requests[0]?.headers.authorization, 'Bearer very-secret-key');
    assert.deepEqual(
      models.asked.map(({ authorization }) => authorization),
      ['Bearer very-secret-key'],
    );
  });

  it('whose models nobody knows is a way in the list to name them', async () => {
    const { workbench, models } = window;
    models.list([]);
    const list = workbench.page.locator('.quick-input-widget');
    await workbench.runCommand('Belay: Choose default model…');
    await workbench.pick('Add a provider…');
    await workbench.pick('OpenAI-compatible server…');
    await workbench.answerInput(models.url);
    await list.getByText('Key for 127.0.0.1-2').waitFor();
    await workbench.answerInput('');
    await list.getByText('Models of 127.0.0.1-2').waitFor();
    await workbench.page.keyboard.press('Escape');
    await workbench.pick('Models of 127.0.0.1-2…');
    await list.getByText('It does not tell which it has.').waitFor();
    await workbench.answerInput('m7');
    await workbench.pick('127.0.0.1-2/m7');
    await list.waitFor({ state: 'hidden' });
  });
});
