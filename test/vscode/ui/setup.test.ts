import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workbench } from '../page';
import { giveWork, openBelay, type BelayWindow } from './window';

describe('setting Belay up in VS Code', () => {
  let window: BelayWindow;

  before(async () => {
    window = await openBelay();
    mkdirSync(join(window.folder, '.vscode'));
    writeFileSync(join(window.folder, '.vscode', 'settings.json'), '{ "belay.approvals.mode": "full" }');
    await window.workbench.container('Belay');
  });

  after(() => window.close());

  it('a key is typed once, kept secret, and sent to its provider', async () => {
    const { workbench, models } = window;
    await workbench.runCommand('Belay: Set model key…');
    await workbench.answerInput('very-secret-key');
    await workbench.statusItem('The key of local is stored.').waitFor();
    await giveWork(workbench, 'hello', models, [{ text: 'Good morning.' }]);
    await workbench.view('Sessions').row('done').waitFor();
    assert.equal(models.requests[0]?.headers.authorization, 'Bearer very-secret-key');
    await workbench.runCommand('Belay: Remove model key…');
    await workbench.notification('was removed').waitFor();
    await workbench.statusItem('The key of local is stored.').waitFor({ state: 'hidden' });
  });

  it('a key that VS Code could not keep over a reload is told of when it is needed', async () => {
    const { workbench, models } = window;
    await workbench.runCommand('Belay: Set model key…');
    await workbench.answerInput('another-key');
    await workbench.statusItem('The key of local is stored.').waitFor();
    await workbench.reload();
    models.script([{ text: 'Good evening.' }]);
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('and now?');
    await workbench.webview().getByText('Good evening.').waitFor();
    await told(workbench, 'has lost the key of local');
  });

  it('a setting of the workspace counts for nothing, and the person is told', async () => {
    const { workbench } = window;
    await told(workbench, 'This workspace sets belay.approvals.mode');
  });

  /** Whether the steps of the open walkthrough are done, by their titles. */
  async function steps(): Promise<Record<string, boolean>> {
    const buttons = window.workbench.page.locator('button.getting-started-step');
    await buttons.first().waitFor();
    const done: Record<string, boolean> = {};
    for (const button of await buttons.all()) {
      const title = await button.locator('.step-title').textContent();
      done[title ?? ''] = (await button.getAttribute('aria-checked')) === 'true';
    }
    return done;
  }

  const atFirst = {
    'Choose a model': true,
    'See what is here': false,
    'Give it work': true,
    'Allow or deny': false,
    'Say something while it works': false,
    'Pull the cord': false,
    'See what was done': false,
  };

  it('the walkthrough opens, with what was done before as done', async () => {
    const { workbench } = window;
    await workbench.runCommand('Belay: Open walkthrough');
    await workbench.page.getByText('Get started with Belay').first().waitFor();
    await workbench.page.getByText('Pull the cord').first().waitFor();
    await workbench.screenshot('walkthrough');
    assert.deepEqual(await steps(), atFirst);
  });

  it('a step of the walkthrough is done by doing it, and no other with it', async () => {
    const { workbench } = window;
    await workbench.runCommand('Belay: Pause');
    await workbench.statusItem('Belay paused').waitFor();
    await workbench.runCommand('Belay: Open walkthrough');
    const pulled = workbench.page.locator('button.getting-started-step', { hasText: 'Pull the cord' });
    await pulled.and(workbench.page.locator('[aria-checked="true"]')).waitFor();
    assert.deepEqual(await steps(), { ...atFirst, 'Pull the cord': true });
    await workbench.runCommand('Belay: Resume');
    await workbench.statusItem('Belay paused').waitFor({ state: 'hidden' });
  });

  it('a step that was done is done after a reload too', async () => {
    const { workbench } = window;
    await workbench.reload();
    await workbench.statusItem('Belay').waitFor();
    await workbench.runCommand('Belay: Open walkthrough');
    const pulled = workbench.page.locator('button.getting-started-step', { hasText: 'Pull the cord' });
    await pulled.and(workbench.page.locator('[aria-checked="true"]')).waitFor();
    assert.deepEqual(await steps(), { ...atFirst, 'Pull the cord': true });
  });

  it('what was found on this machine is one list, with the way to get the rest', async () => {
    const { workbench } = window;
    await workbench.runCommand('Belay: Agents and servers on this machine…');
    const list = workbench.page.locator('.quick-input-widget');
    await list.getByText('MCP servers').first().waitFor();
    await list.getByText('Claude Code').first().waitFor();
    await workbench.screenshot('found');
    await workbench.page.keyboard.press('Escape');
  });
});

/** Whenever it came: it stands among the notifications, on the screen or behind the bell. */
async function told(workbench: Workbench, text: string): Promise<void> {
  const centre = workbench.page.locator('.notifications-center.visible');
  if (!(await centre.isVisible())) await workbench.page.locator('[id="status.notifications"]').click();
  await workbench.page.locator('.notification-list-item', { hasText: text }).first().waitFor();
}
