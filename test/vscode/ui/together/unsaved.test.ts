import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toldOf } from '../../../support/scene';
import { eventually, giveWork, goOnInBelay, type BelayWindow } from '../window';

/** What the person types into an editor of VS Code is not written over behind their back. */
describe('unsaved editors in VS Code', () => {
  let window: BelayWindow;

  before(async () => {
    window = await goOnInBelay();
    await window.workbench.container('Belay');
  });

  after(() => window.close());

  it('an edit of a file that is being typed in says so, is refused, and runs once the file is saved', async () => {
    const { workbench, models, folder } = window;
    const { page } = workbench;
    const read = () => readFileSync(join(folder, 'a.txt'), 'utf8');
    const args = { path: 'a.txt', old: 'two', new: 'zwei' };
    const edit = (id: string) => ({ calls: [{ id, tool: 'edit', args }] });
    await giveWork(workbench, 'translate it', models, [edit('c1'), edit('c2'), { text: 'Translated.' }]);
    const note = workbench.webview().getByText('You have unsaved changes in this file.');
    const allow = workbench.webview().getByRole('button', { name: 'Allow', exact: true });
    await allow.waitFor();
    assert.equal(await note.count(), 0);
    // Opened and typed into while the request waits.
    await page.keyboard.press('Control+P');
    await page.locator('.quick-input-widget').getByRole('textbox').fill('a.txt');
    await workbench.pick('a.txt');
    await page.locator('.monaco-editor .view-line', { hasText: 'one' }).first().click();
    await page.keyboard.type('mine ');
    await note.waitFor();
    await workbench.screenshot('unsaved');
    await allow.click();
    await eventually('the refusal is told', () => models.requests.length === 2);
    assert.equal(toldOf(models, 'c1')['error'], 'file_unsaved');
    assert.equal(read(), 'one\ntwo\n');
    // The next request is one of the same file; saved, it runs.
    await note.waitFor();
    await page.locator('.monaco-editor .view-line', { hasText: 'mine' }).first().click();
    await page.keyboard.press('Control+S');
    await note.waitFor({ state: 'detached' });
    await allow.click();
    await workbench.webview().getByText('Translated.').waitFor();
    assert.match(read(), /mine/);
    assert.match(read(), /zwei/);
  });
});
