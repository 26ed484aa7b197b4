import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { giveWork, openBelay, wants, type BelayWindow } from './window';

/** In Restricted Mode a person can read what was done and deny what waits, and nothing runs. */
describe('a workspace that is not trusted', () => {
  let window: BelayWindow;

  before(async () => {
    window = await openBelay({
      trustDisabled: false,
      settings: { 'security.workspace.trust.startupPrompt': 'never' },
    });
  });

  after(() => window.close());

  const palette = async (title: string): Promise<boolean> => {
    const { page } = window.workbench;
    await page.keyboard.press('Escape');
    await page.keyboard.press('F1');
    const widget = page.locator('.quick-input-widget');
    await widget.getByRole('textbox').fill(`>${title}`);
    await widget.locator('.monaco-list-row').first().waitFor();
    const listed = await widget.getByRole('option', { name: title, exact: false }).first().isVisible();
    await page.keyboard.press('Escape');
    return listed;
  };

  /** VS Code's own editor of workspace trust. */
  async function changeTrust(act: (editor: Locator) => Promise<void>): Promise<void> {
    const { workbench } = window;
    await workbench.runCommand('Workspaces: Manage Workspace Trust');
    await act(workbench.page.locator('.workspace-trust-editor'));
  }

  it('offers no work, and says why', async () => {
    const { workbench } = window;
    await workbench.container('Belay');
    await workbench.view('Needs you').welcome().getByText('Restricted Mode').waitFor();
    await workbench.screenshot('restricted');
    assert.ok(!(await palette('Belay: New session')));
    assert.ok(await palette('Belay: Show log'));
  });

  it('that loses trust while a request waits lets it be denied and not allowed', async () => {
    const { workbench, models, folder } = window;
    await changeTrust((editor) => editor.getByRole('button', { name: 'Trust', exact: true }).click());
    await workbench.runCommand('View: Close All Editors');
    await giveWork(workbench, 'make it', models, [wants('echo done > made.txt'), { text: 'As you like.' }]);
    await workbench.view('Needs you').row('made.txt').waitFor();
    await changeTrust(async (editor) => {
      const remove = editor.locator('.codicon-workspace-trust-editor-remove-folder').first();
      // It is drawn only under the pointer, in a row that may be below the edge. VS Code then loads the window anew.
      await Promise.all([workbench.page.waitForEvent('load'), remove.dispatchEvent('click')]);
      await workbench.ready();
    });
    await workbench.statusItem('Restricted Mode').waitFor();
    await workbench.view('Needs you').row('made.txt').waitFor();
    await workbench.screenshot('restricted-waiting');
    assert.ok(!(await palette('Belay: Approve…')));
    await workbench.view('Needs you').row('made.txt').action('Deny');
    await workbench.view('Needs you').row('made.txt').gone();
    assert.ok(!existsSync(join(folder, 'made.txt')));
  });
});
