import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../../support/modelServer';
import { giveWork, goOnInBelay, wants, type BelayWindow } from '../window';

/** One request at a time: each test leaves nothing that waits. */
describe('an approval in VS Code', () => {
  let window: BelayWindow;

  before(async () => {
    window = await goOnInBelay();
    await window.workbench.container('Belay');
    await giveWork(window.workbench, 'hello', window.models, [{ text: 'Good morning.' }]);
    await window.workbench
      .view('Sessions')
      .row(/hello.*done/)
      .waitFor();
  });

  after(() => window.close());

  const made = (file: string): boolean => existsSync(join(window.folder, file));
  const needs = () => window.workbench.view('Needs you');
  const badge = () => window.workbench.badgeOf('Belay');
  const status = (text: string) => window.workbench.statusItem(text);
  const card = () => window.workbench.webview().getByRole('button', { name: 'Allow', exact: true });

  async function ask(...answers: Parameters<BelayWindow['models']['script']>[0]): Promise<void> {
    window.models.script(answers);
    await window.workbench.runCommand('Belay: Steer…');
    await window.workbench.answerInput('go on');
  }

  /** Everything that shows a request is without it. */
  async function allClear(): Promise<void> {
    await needs().welcome().getByText('Nothing waits for you.').waitFor();
    await badge().waitFor({ state: 'hidden' });
    await status('Belay')
      .filter({ hasText: /^\s*Belay\s*$/ })
      .waitFor();
    await card().waitFor({ state: 'hidden' });
  }

  it('is shown by tree, badge, status bar and chat, and leaves all of them with one click on Allow', async () => {
    await ask(wants('echo done > tree.txt'), { text: 'Made.' });
    await needs().row('echo done > tree.txt').waitFor();
    await badge().getByText('1').waitFor();
    await status('Belay 1').waitFor();
    await card().waitFor();
    await window.workbench.screenshot('needs-you');
    await needs().row('echo done > tree.txt').action('Allow');
    await allClear();
    await window.workbench
      .view('Sessions')
      .row(/hello.*done/)
      .waitFor();
    assert.ok(made('tree.txt'));
  });

  it('is denied in the tree at once, and nothing runs', async () => {
    await ask(wants('echo no > denied.txt'), { text: 'As you like.' });
    await needs().row('echo no > denied.txt').action('Deny');
    await allClear();
    await window.workbench
      .view('Sessions')
      .row(/hello.*done/)
      .waitFor();
    assert.ok(!made('denied.txt'));
  });

  it('is denied in the chat with a reason, which the model reads', async () => {
    await ask(wants('echo no > chat.txt'), { text: 'I see.' });
    await needs().row('chat.txt').waitFor();
    const page = window.workbench.webview();
    await page.getByRole('button', { name: 'Deny…' }).click();
    const reason = page.getByRole('textbox', { name: /^Why not/ });
    await reason.fill('not in this folder');
    await reason.press('Enter');
    await allClear();
    await window.workbench
      .view('Sessions')
      .row(/hello.*done/)
      .waitFor();
    assert.ok(!made('chat.txt'));
    assert.match(JSON.stringify(at(window.models.requests.at(-1), 'messages')), /not in this folder/);
  });

  it('is allowed from the palette', async () => {
    await ask(wants('echo done > palette.txt'), { text: 'Made.' });
    await needs().row('palette.txt').waitFor();
    await window.workbench.runCommand('Belay: Approve…');
    await window.workbench.pick('palette.txt');
    await allClear();
    await window.workbench
      .view('Sessions')
      .row(/hello.*done/)
      .waitFor();
    assert.ok(made('palette.txt'));
  });

  it('is denied from the palette; Escape in the field of the reason keeps it', async () => {
    await ask(wants('echo no > kept.txt'), { text: 'As you like.' });
    await needs().row('kept.txt').waitFor();
    await window.workbench.runCommand('Belay: Deny…');
    await window.workbench.pick('kept.txt');
    await window.workbench.page.keyboard.press('Escape');
    await window.workbench.runCommand('Belay: Next request');
    await needs().root.locator('.monaco-list-row.focused', { hasText: 'kept.txt' }).waitFor();
    await window.workbench.runCommand('Belay: Deny…');
    await window.workbench.pick('kept.txt');
    await window.workbench.answerInput('no');
    await allClear();
    assert.ok(!made('kept.txt'));
  });

  it('of an edit opens as a diff, which closes when it is answered', async () => {
    const edit = { path: 'a.txt', old: 'two', new: 'three' };
    await ask({ calls: [{ id: 'e', tool: 'edit', args: edit }] }, { text: 'Changed.' });
    await needs().row('a.txt').menu('Open diff');
    const tab = window.workbench.page.getByRole('tab', { name: /proposed by the agent/ });
    await tab.waitFor();
    await window.workbench.page
      .locator('.monaco-diff-editor .view-lines')
      .getByText('three')
      .first()
      .waitFor();
    await window.workbench.screenshot('diff');
    await card().click();
    await tab.waitFor({ state: 'hidden' });
    await allClear();
  });

  it('is announced by one notification where it is not visible, and is allowed from it', async () => {
    await window.workbench.container('Explorer');
    await ask(wants('echo done > toast.txt'), { text: 'Made.' });
    const toast = window.workbench.notification('echo done > toast.txt');
    await toast.waitFor();
    await badge().getByText('1').waitFor();
    await window.workbench.screenshot('notification');
    await toast.getByRole('button', { name: 'Allow' }).click();
    await badge().waitFor({ state: 'hidden' });
    await window.workbench.container('Belay');
    await allClear();
    await window.workbench
      .view('Sessions')
      .row(/hello.*done/)
      .waitFor();
    assert.ok(made('toast.txt'));
  });

  it('that was answered elsewhere tells its fate to one who answers its notification', async () => {
    await window.workbench.container('Explorer');
    await ask(wants('echo done > late.txt'), { text: 'Made.' });
    const toast = window.workbench.notification('echo done > late.txt');
    await toast.waitFor();
    await window.workbench.runCommand('Belay: Approve…');
    await window.workbench.pick('late.txt');
    await badge().waitFor({ state: 'hidden' });
    await window.workbench.page.locator('[id="status.notifications"]').click();
    const kept = window.workbench.page.locator('.notifications-center .notification-list-item');
    await kept.filter({ hasText: 'late.txt' }).getByRole('button', { name: 'Deny' }).click();
    const fate = window.workbench.page.locator('.notification-list-item', {
      hasText: 'Already allowed by you from the palette',
    });
    await fate.waitFor();
    await window.workbench.screenshot('fate');
    await window.workbench.runCommand('Notifications: Clear All Notifications');
    assert.ok(made('late.txt'));
  });

  it('and others that come together make one notification, which shows them', async () => {
    const calls = ['one', 'two'].map((name) => ({
      id: name,
      tool: 'shell',
      args: { command: `echo x > ${name}.txt` },
    }));
    await ask({ calls }, { text: 'Made.' });
    const toast = window.workbench.notification('2 requests wait');
    await toast.waitFor();
    await toast.getByRole('button', { name: 'Show' }).click();
    await needs().row('one.txt').action('Allow');
    await needs().row('one.txt').gone();
    await window.workbench.webview().getByText('echo x > two.txt').last().waitFor();
    await card().click();
    await allClear();
    await window.workbench
      .view('Sessions')
      .row(/hello.*done/)
      .waitFor();
    assert.ok(made('one.txt') && made('two.txt'));
  });
});
