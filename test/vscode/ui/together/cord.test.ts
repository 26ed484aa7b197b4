import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, giveWork, goOnInBelay, wants, type BelayWindow } from '../window';

describe('the cord in VS Code', () => {
  let window: BelayWindow;

  before(async () => {
    window = await goOnInBelay();
    await window.workbench.container('Belay');
  });

  after(() => window.close());

  it('ends what runs, stays pulled over a reload, and resumes only after showing what was ended', async () => {
    const { workbench, models } = window;
    await giveWork(workbench, 'wait long', models, [wants('sleep 60'), { text: 'I was stopped.' }]);
    await workbench.view('Needs you').row('sleep 60').action('Allow');
    await workbench.view('Sessions').row('running').waitFor();
    await workbench.runCommand('Belay: Pause');
    await workbench.statusItem('Belay paused').waitFor();
    await workbench.notification('This was ended: sleep 60').waitFor();
    await workbench.view('Needs you').welcome().getByText('Paused.').waitFor();
    await workbench.screenshot('paused');
    await workbench.container('Explorer');
    await workbench.reload();
    await workbench.statusItem('Belay paused').click();
    const dialog = workbench.page.getByRole('dialog');
    await dialog.getByText('sleep 60').waitFor();
    await workbench.screenshot('resume');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await workbench.statusItem('Belay paused').waitFor({ state: 'hidden' });
    await workbench.container('Belay');
    await workbench
      .view('Sessions')
      .row(/wait long.*done/)
      .waitFor();
    assert.equal(models.requests.length, 2);
  });

  it('lets a request be allowed while it is pulled, and starts it only after the release', async () => {
    const { workbench, models, folder } = window;
    models.script([wants('echo done > later.txt'), { text: 'Made.' }]);
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('go on');
    await workbench.view('Needs you').row('later.txt').waitFor();
    await workbench.page.keyboard.press('Shift+Alt+P');
    await workbench.statusItem('Belay paused').waitFor();
    await workbench.view('Needs you').row('later.txt').action('Allow');
    await workbench.view('Needs you').row('later.txt').gone();
    assert.ok(!existsSync(join(folder, 'later.txt')));
    await workbench.runCommand('Belay: Resume');
    const dialog = workbench.page.getByRole('dialog');
    await dialog.getByText('Starts now:').waitFor();
    assert.ok(!existsSync(join(folder, 'later.txt')));
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await workbench
      .view('Sessions')
      .row(/wait long.*done/)
      .waitFor();
    assert.ok(existsSync(join(folder, 'later.txt')));
  });

  it('P1 P5 is pulled from the palette while a script runs; what is allowed meanwhile runs after the release', async () => {
    const { workbench, models, folder } = window;
    const forever = 'for (;;) await new Promise((go) => setTimeout(go, 20));';
    await giveWork(workbench, 'run the script', models, [
      { calls: [{ id: 'c1', tool: 'exec', args: { code: forever } }] },
    ]);
    await workbench.view('Sessions').row('running').waitFor();
    await giveWork(workbench, 'make it', models, [wants('echo made > meanwhile.txt')]);
    await workbench.view('Needs you').row('meanwhile.txt').waitFor();
    models.reply(() => ({ text: 'Done.' }));
    await workbench.runCommand('Belay: Pause');
    await workbench.notification('This was ended: for (;;)').waitFor();
    const banner = workbench.webview().getByRole('region', { name: 'paused' });
    await banner.getByText('Paused. Nothing starts until you resume.').waitFor();
    await banner.getByText('Stopped by the pause: 1').waitFor();
    await workbench.screenshot('paused-script');
    await workbench.view('Needs you').row('meanwhile.txt').action('Allow');
    await workbench.view('Needs you').row('meanwhile.txt').gone();
    assert.ok(!existsSync(join(folder, 'meanwhile.txt')));
    await workbench.runCommand('Belay: Resume');
    const dialog = workbench.page.getByRole('dialog');
    await dialog.getByText('• for (;;)').waitFor();
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await eventually('the command that was allowed has run', () => existsSync(join(folder, 'meanwhile.txt')));
    await banner.waitFor({ state: 'detached' });
  });
});
