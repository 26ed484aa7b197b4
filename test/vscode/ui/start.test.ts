import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../paths';
import { openBelay, type BelayWindow } from './window';

describe('Belay beside an extension that offers a model', () => {
  let window: BelayWindow;

  before(async () => {
    window = await openBelay({
      alongside: [join(repository, 'test/fixtures/editor-model')],
      settings: { 'chat.disableAIFeatures': false, 'belay.models.default': 'editor/fixed-words' },
    });
  });

  after(() => window.end());

  it('M1 that model answers in a session, its command waits for a click, and it hears the result', async () => {
    const { workbench, folder } = window;
    await workbench.container('Belay');
    await workbench.runCommand('Belay: New session');
    await workbench.view('Sessions').expand();
    await workbench.view('Sessions').row('editor/fixed-words').waitFor();
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('make the file');
    await workbench.view('Needs you').row('echo made > made.txt').action('Allow');
    await workbench.webview().getByText('The editor’s model has heard.').waitFor();
    assert.equal(readFileSync(join(folder, 'made.txt'), 'utf8'), 'made\n');
  });

  it('shows its log from the palette', async () => {
    const { workbench } = window;
    await workbench.runCommand('Belay: Show log');
    const output = workbench.page.getByRole('combobox', { name: 'Switch Output' });
    await output.waitFor();
    assert.equal(await output.inputValue(), 'Belay');
    await workbench.screenshot('log');
  });

  it('leaves no process behind when VS Code ends', async () => {
    const { workbench, code } = window;
    await workbench.close();
    assert.deepEqual(await code.stop(), []);
    assert.deepEqual(code.processes(), []);
  });
});
