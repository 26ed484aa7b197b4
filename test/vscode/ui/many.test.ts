import assert from 'node:assert/strict';
import { giveWork, openBelay, type BelayWindow } from './window';

/** How many requests each of three sessions makes at once. */
const ROUNDS = [7, 7, 6];

describe('twenty approvals from three sessions in VS Code', () => {
  let window: BelayWindow;

  before(async () => {
    window = await openBelay();
    await window.workbench.container('Belay');
  });

  after(() => window.close());

  it('are counted by the badge and the status bar, stand in the tree in their order, and make one notification a round', async () => {
    const { workbench, models } = window;
    const { page } = workbench;
    await giveWork(workbench, 'hello', models, [{ text: 'Good morning.' }]);
    await workbench.view('Sessions').row('done').waitFor();
    for (const [session, count] of ROUNDS.entries()) {
      const calls = Array.from({ length: count }, (_, n) => ({
        id: `c${n}`,
        tool: 'shell',
        args: { command: `echo session-${session} call-${n}` },
      }));
      await giveWork(workbench, `work ${session}`, models, [{ calls }]);
      await workbench.container('Explorer');
      const due = ROUNDS.slice(0, session + 1).reduce((sum, one) => sum + one);
      await workbench.statusItem(`Belay ${due}`).waitFor();
      await workbench.container('Belay');
    }
    await workbench.badgeOf('Belay').getByText('20').waitFor();
    await page.locator('[id="status.notifications"]').click();
    const told = page.locator('.notification-list-item', { hasText: /wait|wants to run/ });
    assert.ok((await told.count()) <= ROUNDS.length, 'no notification for each of them');
    await page.keyboard.press('Escape');
    const needs = workbench.view('Needs you');
    await needs.row('session-0 call-0').waitFor();
    assert.equal(await needs.rows().first().getAttribute('aria-setsize'), '20');
    await workbench.runCommand('Belay: Next request');
    const focused = needs.root.locator('.monaco-list-row.focused');
    await focused.filter({ hasText: 'session-0 call-0' }).waitFor();
    await workbench.screenshot('many');
    for (const [session, count] of ROUNDS.entries())
      for (let n = 0; n < count; n++) {
        await focused.filter({ hasText: `session-${session} call-${n}` }).waitFor();
        await page.keyboard.press('ArrowDown');
      }
  });
});
