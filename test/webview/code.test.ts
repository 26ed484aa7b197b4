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

  async function shown(fence: string) {
    const { editor, story } = begun();
    story.ask('go').said(`Here:\n\n\`\`\`${fence}\n${CODE}\n\`\`\``).ended('completed');
    const page = await browsing.open(editor);
    await page.locator('.code-block').waitFor();
    return { editor, page };
  }
  const tool = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('is coloured by a script that is read with the first code, and not before', async () => {
    const { editor, story } = begun();
    story.ask('go').said('Nothing but words.\n\n```\nwords\n```');
    const page = await browsing.open(editor);
    await page.locator('.code-block').waitFor();
    assert.equal(await page.locator('script').count(), 1);
    story.said(`\n\n\`\`\`ts\n${CODE}\n\`\`\``);
    await page.locator('.code-block .hljs-keyword').getByText('const').waitFor();
    assert.equal(await page.locator('script').count(), 2);
  });

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

  it('is copied with the whole answer, as the agent wrote it', async () => {
    const { page } = await shown('ts');
    await tool(page, 'Copy answer').click();
    await tool(page, 'Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, `Here:\n\n\`\`\`ts\n${CODE}\n\`\`\``);
  });

  it('stays code among words that run from right to left, which the rest follows', async () => {
    const { editor, story } = begun();
    story
      .ask('שלום')
      .said('1. הקובץ `/home/a` כאן\n\n> ציטוט\n\n| עמודה |\n| --- |\n| ערך |\n\n```ts\nlet a; // הערה\n```');
    const page = await browsing.open(editor);
    const directionOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((one) => getComputedStyle(one).direction);
    await page.locator('.code-block').waitFor();
    for (const selector of ['.log ol', '.log blockquote', '.log table'])
      assert.equal(await directionOf(selector), 'rtl', selector);
    for (const selector of ['.log li code', '.code-block pre'])
      assert.equal(await directionOf(selector), 'ltr', selector);
    const field = page.getByLabel('Message to the agent');
    await field.fill('תודה npm test');
    assert.equal(await field.evaluate((one) => getComputedStyle(one).direction), 'rtl');
    await field.fill('thanks שלום');
    assert.equal(await field.evaluate((one) => getComputedStyle(one).direction), 'ltr');
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
