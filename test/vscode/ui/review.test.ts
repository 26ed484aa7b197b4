import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { giveWork, openBelay, type BelayWindow } from './window';

/** What the agent has changed, looked at and put back from the tree and from the chat. */
describe('the review of changes in VS Code', () => {
  let window: BelayWindow;

  before(async () => {
    window = await openBelay({ settings: { 'belay.approvals.mode': 'edits' } });
    await window.workbench.container('Belay');
  });

  after(() => window.close());

  const changes = () => window.workbench.view('Changes');
  const file = (name: string) => join(window.folder, name);
  const edits = [
    { tool: 'edit', args: { path: 'a.txt', old: 'two', new: 'zwei' } },
    { tool: 'write', args: { path: 'made/b.txt', text: 'new\n' } },
  ];

  it('a changed file is listed, and its diff opens in the editor', async () => {
    const { workbench, models } = window;
    await giveWork(workbench, 'translate it', models, [{ calls: edits }, { text: 'Translated.' }]);
    await workbench.webview().getByText('2 files changed').waitFor();
    await workbench.runCommand('Belay: Show changed files');
    await changes()
      .row(/b\.txt.*made/)
      .waitFor();
    await changes().row('a.txt').click();
    const diff = workbench.page.locator('.monaco-diff-editor');
    await diff.getByText('zwei').first().waitFor();
    await workbench.page.getByRole('tab', { name: /a\.txt \(changed in this session\)/ }).waitFor();
    await workbench.screenshot('review');
  });

  it('one that was edited since is kept, and the others are put back', async () => {
    const { workbench } = window;
    writeFileSync(file('a.txt'), 'one\nzwei\nmine\n');
    await workbench.webview().getByRole('button', { name: 'Revert…', exact: true }).click();
    await workbench.webview().getByRole('button', { name: 'Revert', exact: true }).click();
    await workbench
      .webview()
      .getByText(/It was edited since/)
      .waitFor();
    await changes()
      .row(/a\.txt.*edited since/)
      .waitFor();
    await changes().row('b.txt').gone();
    assert.equal(readFileSync(file('a.txt'), 'utf8'), 'one\nzwei\nmine\n');
    assert.equal(existsSync(file('made/b.txt')), false);
  });

  it('a file goes back from its row, after one more question', async () => {
    const { workbench, models } = window;
    models.script([
      { calls: [{ tool: 'edit', args: { path: 'a.txt', old: 'mine', new: 'ours' } }] },
      { text: 'Done.' },
    ]);
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('go on');
    await workbench.webview().getByText('1 file changed').last().waitFor();
    writeFileSync(file('c.txt'), 'c\n');
    models.script([
      { calls: [{ tool: 'edit', args: { path: 'c.txt', old: 'c', new: 'C' } }] },
      { text: 'Done too.' },
    ]);
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('and c');
    await changes().row('c.txt').waitFor();
    await changes().row('c.txt').action('Revert…');
    await workbench.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Revert' }).click();
    await changes().row('c.txt').gone();
    assert.equal(readFileSync(file('c.txt'), 'utf8'), 'c\n');
  });
});
