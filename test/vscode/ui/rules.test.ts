import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../support/modelServer';
import { giveWork, openBelay, wants, type BelayWindow } from './window';

describe('rules in VS Code', () => {
  let window: BelayWindow;
  const command = 'touch ruled.txt';

  before(async () => {
    window = await openBelay();
    await window.workbench.container('Belay');
  });

  after(() => window.close());

  const made = (): boolean => existsSync(join(window.folder, 'ruled.txt'));

  async function again(...after: readonly Answer[]): Promise<void> {
    rmSync(join(window.folder, 'ruled.txt'), { force: true });
    window.models.script([wants(command), ...after, { text: 'Touched.' }]);
    await window.workbench.runCommand('Belay: Steer…');
    await window.workbench.answerInput('again');
  }

  it('an allow for the workspace says what it covers, and the same command runs without asking', async () => {
    const { workbench, models } = window;
    await giveWork(workbench, 'touch it', models, [wants(command), { text: 'Touched.' }]);
    await workbench.view('Needs you').row(command).menu('Allow for…');
    await workbench.screenshot('allow-for');
    await workbench.pick('In this workspace');
    await workbench.view('Sessions').row('done').waitFor();
    assert.ok(made());
    const seen = models.requests.length;
    await again();
    await workbench.webview().getByText('Touched.').nth(1).waitFor();
    await workbench.view('Sessions').row('done').waitFor();
    assert.equal(models.requests.length, seen + 2);
    assert.ok(made());
  });

  it('what a rule answers never flashes as a notification', async () => {
    const { workbench } = window;
    await workbench.container('Explorer');
    const notifications = await workbench.followNotifications();
    await again(wants('echo unruled', 'call_2'));
    await workbench.notification('wants to run: echo unruled').getByRole('button', { name: 'Deny' }).click();
    assert.deepEqual(await notifications(), ['touch it wants to run: echo unruled']);
    assert.ok(made());
    await workbench.container('Belay');
    await workbench.view('Sessions').row('done').waitFor();
  });

  it('a rule that is removed is gone: the command asks again', async () => {
    const { workbench } = window;
    await workbench.runCommand('Belay: Manage rules…');
    await workbench.screenshot('rules');
    await workbench.pick(command);
    const dialog = workbench.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await again();
    await workbench.view('Needs you').row(command).waitFor();
    assert.ok(!made());
  });

  it('explains what would become of a command', async () => {
    const { workbench } = window;
    await workbench.runCommand('Belay: Explain a command…');
    await workbench.answerInput('ls | tee out.txt');
    const dialog = workbench.page.getByRole('dialog');
    await dialog.getByText('It would wait for you.').waitFor();
    await workbench.screenshot('explain');
    await workbench.page.keyboard.press('Escape');
  });
});
