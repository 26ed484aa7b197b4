/** What can be done with a block of code in an answer, and that it stays code whatever is written around it. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Browsing } from './support/openPage';
import { begun } from './support/sessions';

const CODE = "const answer: number = 42;\nconsole.log('done');";

describe('a block of code', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());
  after(() => browsing.stop());

  async function shown(fence: string) {
    const { editor, story } = begun();
    story.ask('go').said(`Here:\n\n\`\`\`${fence}\n${CODE}\n\`\`\``).ended('completed');
    const page = await browsing.open(editor);
    await page.locator('.code-block').waitFor();
    return { editor, page };
  }
  const tool = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('is copied, inserted and opened with its language by its buttons', async () => {
    const { editor, page } = await shown('ts');
    await page.locator('.code-block').hover();
    await tool(page, 'Copy').click();
    await tool(page, 'Copied').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), CODE);
    await tool(page, 'Insert at cursor').click();
    await tool(page, 'Open as a new document').click();
    assert.deepEqual(
      editor.commands.map(({ command, args }) => ({ command, args })),
      [
        { command: 'insertText', args: { text: CODE } },
        { command: 'openText', args: { text: CODE, language: 'ts' } },
      ],
    );
  });

  it('shows its buttons to the keyboard, in the order in which they stand', async () => {
    const { editor, page } = await shown('');
    await tool(page, 'Copy').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const button = tool(page, 'Open as a new document');
    assert.ok(await button.evaluate((one) => one === document.activeElement));
    assert.ok(
      Number(await button.evaluate((one) => getComputedStyle(one.parentElement ?? one).opacity)) > 0.9,
    );
    await page.keyboard.press('Enter');
    assert.deepEqual((await editor.commanded())[0]?.args, { text: CODE });
  });
});
