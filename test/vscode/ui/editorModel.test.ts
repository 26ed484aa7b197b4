import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../paths';
import { openBelay, type BelayWindow } from './window';

describe('a model that the editor offers', () => {
  let window: BelayWindow;

  before(async () => {
    window = await openBelay({
      alongside: [join(repository, 'test/fixtures/editor-model')],
      settings: { 'chat.disableAIFeatures': false, 'belay.models.default': 'editor/fixed-words' },
    });
    await window.workbench.container('Belay');
  });
  after(() => window.close());

  it('M1 answers in a session, its command waits for a click, and it hears the result', async () => {
    const { workbench, folder } = window;
    await workbench.runCommand('Belay: New session');
    await workbench.view('Sessions').expand();
    await workbench.view('Sessions').row('editor/fixed-words').waitFor();
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('make the file');
    await workbench.view('Needs you').row('echo made > made.txt').action('Allow');
    await workbench.webview().getByText('The editor’s model has heard.').waitFor();
    assert.equal(readFileSync(join(folder, 'made.txt'), 'utf8'), 'made\n');
  });
});
