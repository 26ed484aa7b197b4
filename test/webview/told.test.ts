/** What the host tells in words of its own, as the page shows it. */
import assert from 'node:assert/strict';
import { Browsing } from './support/openPage';
import { begun } from './support/sessions';

describe('what the host tells', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  it('why a request asks has its commands as code, and no mark around them', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a', 'sudo ls', { why: '`sudo` runs another command, so it always asks.' });
    const page = await browsing.open(editor);
    const why = page.getByRole('group', { name: 'Approval: sudo ls' }).locator('.request-why');
    await why.locator('code', { hasText: /^sudo$/ }).waitFor();
    assert.ok(!(await why.innerText()).includes('`'));
  });

  it('which file of its folder the model is told, that it was cut, or why not; its name opens it', async () => {
    const { editor, story } = begun();
    story.ask('go').emit('project_read', { path: 'AGENTS.md', bytes: 32_000, of: 50_000 });
    const page = await browsing.open(editor);
    const line = page.locator('.event-line');
    await line.filter({ hasText: 'AGENTS.md goes to the model in part: 32,000 of 50,000 bytes.' }).waitFor();
    await line.getByRole('button', { name: 'AGENTS.md' }).click();
    assert.equal((await editor.commanded()).at(-1)?.command, 'openFile');
    story.emit('project_read', { path: 'AGENTS.md', bytes: 12 });
    await line.filter({ hasText: 'goes to the model with each request: 12 bytes.' }).waitFor();
    story.emit('project_read', { path: 'AGENTS.md', bytes: 0, why: 'it leads out of the workspace.' });
    await line.filter({ hasText: 'does not go to the model: it leads out of the workspace.' }).waitFor();
  });
});
