import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { giveWork, openBelay, wants, type BelayWindow } from './window';

/** What waits for a person outlives the window, and is seen again without a view being opened. */
describe('a request that waits', () => {
  let window: BelayWindow;

  beforeEach(async () => {
    window = await openBelay();
    await window.workbench.container('Belay');
    await giveWork(window.workbench, 'make it', window.models, [
      wants('echo done > made.txt'),
      { text: 'It is made.' },
    ]);
    await window.workbench.view('Needs you').row('made.txt').waitFor();
    await window.workbench.container('Explorer');
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.workbench.screenshot('survival-failed');
    await window.close();
  });

  /** Badge and status bar show it; then it is allowed in the tree, and the task goes on to its end. */
  async function answerAndFinish(): Promise<void> {
    const { workbench } = window;
    await workbench.badgeOf('Belay').getByText('1').waitFor();
    await workbench.statusItem('Belay 1').waitFor();
    assert.ok(!existsSync(join(window.folder, 'made.txt')));
    await workbench.container('Belay');
    await workbench.view('Needs you').row('made.txt').action('Allow');
    await workbench.view('Sessions').row('done').waitFor();
    assert.ok(existsSync(join(window.folder, 'made.txt')));
    assert.equal(window.models.requests.length, 2);
    await workbench.webview().getByText('It is made.').waitFor();
  }

  it('survives a reload of the window', async () => {
    await window.workbench.reload();
    await answerAndFinish();
  });

  it('survives a kill -9 of the extension host', async () => {
    await window.workbench.crashAndReload(window.code);
    await answerAndFinish();
  });

  it('survives a restart of the host, which says that nothing was lost', async () => {
    await window.workbench.runCommand('Belay: Restart host');
    await answerAndFinish();
  });
});
