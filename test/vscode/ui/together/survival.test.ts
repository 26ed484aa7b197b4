import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { giveWork, goOnInBelay, wants, type BelayWindow } from '../window';

/** What waits for a person outlives the window, and is seen again without a view being opened. */
describe('a request that waits', () => {
  let window: BelayWindow;

  before(open);

  /** What failed may have left a request, and is run again where there is none. */
  afterEach(async function () {
    if (this.currentTest?.state === 'passed') return;
    await window.workbench.screenshot('survival-failed');
    await window.end();
    await open();
  });

  after(() => window.close());

  async function open(): Promise<void> {
    window = await goOnInBelay();
    await window.workbench.container('Belay');
  }

  /** A session of its own asks for this file, and nothing of Belay's is open. */
  async function askFor(file: string): Promise<void> {
    const { workbench, models } = window;
    await workbench.container('Belay');
    await giveWork(workbench, 'make it', models, [
      wants(`echo done > ${file}`),
      { text: `${file} is there.` },
    ]);
    await workbench.view('Needs you').row(file).waitFor();
    await workbench.container('Explorer');
  }

  /** Badge and status bar show it; then it is allowed in the tree, and the task goes on to its end. */
  async function answerAndFinish(file: string): Promise<void> {
    const { workbench, models } = window;
    await workbench.badgeOf('Belay').getByText('1').waitFor();
    await workbench.statusItem('Belay 1').waitFor();
    assert.ok(!existsSync(join(window.folder, file)));
    const { length } = models.requests;
    await workbench.container('Belay');
    await workbench.view('Needs you').row(file).action('Allow');
    await workbench.webview().getByText(`${file} is there.`).waitFor();
    await workbench.view('Needs you').welcome().getByText('Nothing waits for you.').waitFor();
    assert.ok(existsSync(join(window.folder, file)));
    assert.equal(models.requests.length, length + 1);
  }

  it('survives a reload of the window', async () => {
    await askFor('reload.txt');
    await window.workbench.reload();
    await answerAndFinish('reload.txt');
  });

  it('survives a kill -9 of the extension host', async () => {
    await askFor('crash.txt');
    await window.workbench.crashAndReload(window.code);
    await answerAndFinish('crash.txt');
  });

  it('and what the person writes meanwhile survive a reload right after the last key', async () => {
    await askFor('draft.txt');
    await window.workbench.container('Belay');
    const composer = () => window.workbench.webview().getByLabel('Message to the agent');
    await composer().click();
    const typed = 'first tell me wh';
    await composer().pressSequentially(typed);
    await window.workbench.reload();
    await window.workbench.container('Belay');
    const steer = window.workbench.webview().getByRole('button', { name: 'Steer', exact: true });
    await steer.and(window.workbench.webview().locator(':enabled')).waitFor();
    assert.equal(await composer().inputValue(), typed);
    await window.workbench.container('Explorer');
    await answerAndFinish('draft.txt');
  });

  it('survives a restart of the host, which says that nothing was lost', async () => {
    await askFor('restart.txt');
    await window.workbench.runCommand('Belay: Restart host');
    await answerAndFinish('restart.txt');
  });
});
