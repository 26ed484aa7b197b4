/** A script in the conversation: its code, its log, its steps, and where it failed. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Browsing, screenshot } from './support/openPage';
import { begun } from './support/sessions';
import type { Story } from './support/story';

const CODE = [
  '// Read what the tests import',
  "const files = await tools.list({ path: 'test' });",
  ...Array.from({ length: 15 }, (_, n) => `const part${n} = files.entries[${n}];`),
  "await tools.shell({ command: 'npm test' });",
  'return files.entries.length;',
].join('\n');

describe('a script in the conversation', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const script = (story: Story) =>
    story
      .ask('go')
      .plan({ id: 'c1', tool: 'exec', title: 'Read what the tests import', args: { code: CODE } })
      .started('c1', 'exec');
  const step = (story: Story, n: number, tool: string, title: string, args: object = {}) =>
    story.plan({ id: `c1.${n}`, tool, title, args, parent: 'c1' });
  const card = (page: Page) => page.getByRole('button', { name: /^Read what the tests import/ });

  it('A8 its steps stand under it, a line each; one that waits is shown although the card is closed', async () => {
    const { editor, story } = begun();
    script(story);
    step(story, 1, 'list', 'List test')
      .started('c1.1', 'list')
      .done('c1.1', { entries: [] }, { tool: 'list' });
    step(story, 2, 'shell', 'npm test', { command: 'npm test' });
    story.asks('a1', { call: 'c1.2', parent: 'c1', title: 'npm test', args: { command: 'npm test' } });
    const page = await browsing.open(editor);
    const steps = page.getByRole('group', { name: '2 steps' });
    await steps.getByRole('button', { name: /npm test/ }).waitFor();
    assert.equal(
      await steps.getByRole('button', { name: /List test/ }).count(),
      0,
      'closed: only what waits or runs',
    );
    await card(page).click();
    await steps.getByRole('button', { name: /List test/ }).waitFor();
    assert.equal(
      await page.locator('.row').filter({ hasText: 'List test' }).count(),
      1,
      'in no row of its own',
    );
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await screenshot(page, 'script-steps');
  });

  it('A8 the request of a step says which script it is one of, also when its turn is read later', async () => {
    const { editor, story } = begun();
    script(story);
    step(story, 1, 'shell', 'npm test', { command: 'npm test' });
    story.asks('a1', { call: 'c1.1', parent: 'c1', title: 'npm test', args: { command: 'npm test' } });
    const release = editor.hold('transcript/read');
    const page = await browsing.open(editor);
    await page.locator('.request-why', { hasText: 'step of a script' }).waitFor();
    release();
    await page.locator('.request-why', { hasText: 'step of “Read what the tests import”' }).waitFor();
    assert.ok(!((await page.locator('.request').textContent()) ?? '').includes('c1'));
  });

  it('S1 it opens to the first lines of its code and its log as it runs', async () => {
    const { editor, story } = begun();
    script(story).wrote('c1', 'looked at 3 files\n');
    const page = await browsing.open(editor);
    await card(page).click();
    await page.getByText('looked at 3 files').waitFor();
    assert.equal(await page.locator('.script-line').count(), 12);
    assert.ok((await page.locator('.script-line .hljs-keyword').count()) > 5, 'in colours');
    await page.getByRole('button', { name: 'Show all 19 lines' }).click();
    assert.equal(await page.locator('.script-line').count(), 19);
    story.wrote('c1', 'and at 4\n');
    await page.getByText('and at 4').waitFor();
    await screenshot(page, 'script-running');
  });

  it('S4 a failed one names the line, marks it, and leads to it', async () => {
    const { editor, story } = begun();
    script(story).done(
      'c1',
      {
        error: 'tool_failed',
        detail: 'ToolError: No such file (line 18, column 13)',
        class: 'failed',
        message: 'ToolError: No such file',
        line: 18,
        column: 13,
        log: 'before\n',
      },
      { tool: 'exec', failed: true },
    );
    const page = await browsing.open(editor);
    await card(page).click();
    await page.getByText('ToolError: No such file').waitFor();
    const marked = page.locator('.script-line.failed');
    assert.match((await marked.textContent()) ?? '', /^18.*npm test/);
    await page.getByRole('button', { name: 'Line 18, column 13' }).click();
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Script');
    await screenshot(page, 'script-failed');
  });

  it('R10 a thousand steps are drawn as thirty until more are asked for', async () => {
    const { editor, story } = begun();
    script(story);
    for (let n = 1; n <= 1000; n++)
      step(story, n, 'read', `Read file ${n}`)
        .started(`c1.${n}`, 'read')
        .done(`c1.${n}`, {}, { tool: 'read' });
    const page = await browsing.open(editor);
    await card(page).click();
    await page.getByRole('button', { name: /^Read file 1000/ }).waitFor();
    assert.equal(await page.locator('.steps .call').count(), 30);
    await page.getByRole('button', { name: 'Show 970 earlier steps' }).waitFor();
  });
});
