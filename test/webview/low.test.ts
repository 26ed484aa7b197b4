/** A low view, as the chat has it beside other open views: what was said stays readable. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Browsing } from './support/openPage';
import { withEdit, worked } from './support/sessions';

/** Five lines of text. */
const READABLE = 95;

describe('a low view', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const heights = (page: Page) =>
    page.evaluate(() =>
      Object.fromEntries(
        ['.log', '.header', '.request-bar', '.composer'].map((name) => [
          name,
          document.querySelector(name)?.getBoundingClientRect().height ?? 0,
        ]),
      ),
    );

  for (const [width, height] of [
    [300, 430],
    [300, 390],
    [600, 390],
  ] as const)
    it(`of ${width} × ${height} px leaves a readable part of the conversation beside a request`, async () => {
      const { editor, story } = withEdit();
      story.asksCommand('a2', 'npm test');
      const page = await browsing.open(editor, { width, height });
      await page.locator('.request[data-settled="yes"]').waitFor();
      const found = await heights(page);
      assert.ok((found['.log'] ?? 0) >= READABLE, JSON.stringify(found));
    });

  for (const height of [300, 260])
    it(`of 300 × ${height} px leaves a readable part of the conversation where nothing waits`, async () => {
      const { editor, story } = worked();
      story.ended('completed');
      const page = await browsing.open(editor, { width: 300, height });
      await page.getByText(/Done/).first().waitFor();
      const found = await heights(page);
      assert.ok((found['.log'] ?? 0) >= READABLE, JSON.stringify(found));
    });
});
