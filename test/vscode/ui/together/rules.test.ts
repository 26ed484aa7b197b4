import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../../support/modelServer';
import { giveWork, goOnInBelay, wants, type BelayWindow } from '../window';

describe('rules in VS Code', () => {
  let window: BelayWindow;
  const command = 'touch ruled.txt';

  before(async () => {
    window = await goOnInBelay();
    await window.workbench.container('Belay');
  });

  after(() => window.close());

  const made = (): boolean => existsSync(join(window.folder, 'ruled.txt'));

  async function again(...after: readonly Answer[]): Promise<void> {
    rmSync(join(window.folder, 'ruled.txt'), { force: true });
    window.models.script([wants(command), ...after, { text: 'Touched.' }]);
    const { workbench } = window;
    await workbench.runCommand('Belay: Steer…');
    // While the chat is out of sight it asks which one, where a file before has left sessions.
    const which = workbench.page.getByText('Steer which session?');
    await which.or(workbench.page.getByText('It rests: your message starts a turn.')).first().waitFor();
    if (await which.isVisible()) await workbench.pick('touch it');
    await workbench.answerInput('again');
  }

  it('an allow for the workspace says what it covers, and the same command runs without asking', async () => {
    const { workbench, models } = window;
    await giveWork(workbench, 'touch it', models, [wants(command), { text: 'Touched.' }]);
    await workbench.view('Needs you').row(command).menu('Allow for…');
    await workbench.screenshot('allow-for');
    await workbench.pick('In this workspace');
    await workbench
      .view('Sessions')
      .row(/touch it.*done/)
      .waitFor();
    assert.ok(made());
    const seen = models.requests.length;
    await again();
    await workbench.webview().getByText('Touched.').nth(1).waitFor();
    await workbench
      .view('Sessions')
      .row(/touch it.*done/)
      .waitFor();
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
    await workbench
      .view('Sessions')
      .row(/touch it.*done/)
      .waitFor();
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

  it('A10 a deny rule of two words is added by keyboard, the command is refused, and the rule stands in the list', async () => {
    const { workbench, models, folder } = window;
    await workbench.view('Needs you').row(command).action('Deny');
    await workbench
      .view('Sessions')
      .row(/touch it.*done/)
      .waitFor();
    const widget = workbench.page.locator('.quick-input-widget');
    const { keyboard } = workbench.page;
    const step = (number: number) => widget.getByText(`Add a rule (${number}/5)`).waitFor();
    await workbench.runCommand('Belay: Manage rules…');
    await widget.getByRole('option', { name: 'Add a rule…' }).waitFor();
    await keyboard.press('Enter');
    await step(1);
    await workbench.screenshot('add-rule-effect');
    await keyboard.type('Deny');
    await keyboard.press('Enter');
    await step(2);
    await keyboard.press('Enter');
    await step(3);
    await keyboard.press('Enter');
    await step(4);
    await keyboard.type('touch never.txt');
    const words = `\`touch never.txt\` exactly, in ${folder}`;
    await widget.getByText(words).waitFor();
    await workbench.screenshot('add-rule-command');
    await keyboard.press('Enter');
    await step(5);
    await widget.getByRole('option', { name: words }).waitFor();
    await workbench.screenshot('add-rule-confirm');
    await keyboard.press('Enter');
    await widget.getByText('Rules: choose one to remove it').waitFor();
    await widget.getByRole('option', { name: words }).waitFor();
    await workbench.screenshot('rules');
    await keyboard.press('Escape');

    models.script([wants('touch   "never.txt"', 'call_9'), { text: 'Refused.' }]);
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('touch what is denied');
    await workbench.webview().getByText('Refused.').waitFor();
    await workbench
      .view('Sessions')
      .row(/touch it.*done/)
      .waitFor();
    assert.ok(!existsSync(join(folder, 'never.txt')));
    const told = models.requests
      .at(-1)
      ?.items.find((item) => item.role === 'tool' && item.callId === 'call_9');
    assert.match(JSON.stringify(told), /approval_denied/);
  });

  it('R11 an allow rule that could never hold says why under what was typed, which stays to be mended', async () => {
    const { workbench } = window;
    const widget = workbench.page.locator('.quick-input-widget');
    const { keyboard } = workbench.page;
    await workbench.runCommand('Belay: Manage rules…');
    await workbench.pick('Add a rule…');
    for (const number of [1, 2, 3]) {
      await widget.getByText(`Add a rule (${number}/5)`).waitFor();
      await keyboard.press('Enter');
    }
    await widget.getByText('Add a rule (4/5)').waitFor();
    await keyboard.type('node *');
    await keyboard.press('Enter');
    await widget.getByText('No rule can allow this.').waitFor();
    await workbench.screenshot('add-rule-refused');
    assert.equal(await widget.getByRole('textbox').inputValue(), 'node *');
    await widget.getByRole('button', { name: 'Back' }).click();
    await widget.getByText('Add a rule (3/5)').waitFor();
    await keyboard.press('Enter');
    await widget.getByText('Add a rule (4/5)').waitFor();
    assert.equal(await widget.getByRole('textbox').inputValue(), 'node *');
    await workbench.answerInput('ls');
    await widget.getByText('Add a rule (5/5)').waitFor();
    await keyboard.press('Enter');
    await widget.getByText('Rules: choose one to remove it').waitFor();
    await widget.getByRole('option', { name: '`ls` exactly' }).waitFor();
    await keyboard.press('Escape');
  });

  it('A10 explains part by part what would become of a command, with the rule that decides', async () => {
    const { workbench, folder } = window;
    await workbench.runCommand('Belay: Explain a command…');
    await workbench.answerInput('ls | tee out.txt && (touch never.txt)');
    const dialog = workbench.page.getByRole('dialog');
    await dialog.getByText('It would be denied.').waitFor();
    await workbench.screenshot('explain');
    const text = await dialog.innerText();
    assert.match(text, /✓ `ls`\s+A rule allows it: `ls` exactly/);
    assert.match(text, /\? `tee out\.txt`\s+No rule allows this command\./);
    assert.match(text, /✗ `touch never\.txt`/);
    assert.ok(text.includes(`A rule denies it: \`touch never.txt\` exactly, in ${folder}.`), text);
    await workbench.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  it('A3 Allow ▾ in the chat offers a command with further words as well, and another such runs without asking', async () => {
    const { workbench, models } = window;
    const chat = workbench.webview();
    models.script([wants('ls -a', 'call_10'), { text: 'Listed.' }]);
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('list it');
    await chat.getByRole('button', { name: 'More ways to allow' }).click();
    const wider = chat.getByRole('menuitem', { name: /^Allow in this workspace: ls with further names/ });
    await wider.waitFor();
    await workbench.screenshot('allow-wider');
    await wider.click();
    await chat.getByText('Listed.', { exact: true }).waitFor();
    await workbench
      .view('Sessions')
      .row(/touch it.*done/)
      .waitFor();
    const seen = models.requests.length;
    models.script([wants('ls -l', 'call_11'), { text: 'Listed again.' }]);
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('and again');
    await chat.getByText('Listed again.').waitFor();
    assert.equal(models.requests.length, seen + 2);
  });
});
