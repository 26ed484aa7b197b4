/** Many requests at once: all are reached, in their order, and nothing moves under the pointer. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Browsing } from './support/openPage';
import { manyApprovals } from './support/sessions';

describe('twenty approvals at once from three sessions', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const title = async (page: Page) => (await page.locator('.request-title').textContent()) ?? '';
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const settled = (page: Page) => page.locator('.request[data-settled="yes"]').waitFor();
  const boxes = async (page: Page) =>
    Promise.all(['Allow', 'Deny…'].map(async (name) => button(page, name).boundingBox()));

  for (const width of [220, 420, 1000])
    it(`the page shows those of its session in their order, each with its buttons in sight (${width} px)`, async () => {
      const { editor } = manyApprovals();
      const page = await browsing.open(editor, { width, height: 600 });
      await page.getByText('1 of 7').waitFor();
      for (let n = 0; n < 7; n++) {
        assert.ok((await title(page)).startsWith(`npm run step-${n * 3} `), await title(page));
        await settled(page);
        for (const box of await boxes(page)) {
          assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= 600);
        }
        await button(page, 'Next').or(button(page, 'Next request')).click();
      }
      await page.getByText('1 of 7').waitFor();
    });

  it('what comes and what is answered elsewhere moves no button, and a click answers what was read', async () => {
    const { editor, stories } = manyApprovals();
    const page = await browsing.open(editor, { height: 600 });
    await page.getByText('1 of 7').waitFor();
    await settled(page);
    const before = await boxes(page);
    const read = await title(page);
    stories[0]?.asksCommand('late', 'npm run late');
    await page.getByText('1 of 8').waitFor();
    stories[0]?.verdict('a3', 'allow', { call: 'c-a3', by: 'you from the tree' });
    await page.getByText('1 of 7').waitFor();
    stories[1]?.verdict('a1', 'deny', { call: 'c-a1', by: 'you from the tree' });
    assert.equal(await title(page), read);
    assert.deepEqual(await boxes(page), before);
    await button(page, 'Allow').click();
    assert.equal((await editor.heard('approval/answer')).length, 1);
    assert.equal((editor.asked('approval/answer')[0] as { approval: string }).approval, 'a0');
  });
});
