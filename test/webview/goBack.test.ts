/** Going back to before a message: nothing of the conversation is lost, and files only where the person says so. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { PIXEL } from './support/acts';
import { Browsing } from './support/openPage';
import { begun } from './support/sessions';
import { Story } from './support/story';

const BACK = 'Go back to before this message…';

describe('going back to before a message', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  /** Two turns; the second began with two messages, and changed two files. */
  function twoTurns() {
    const { editor, story } = begun();
    story.ask('first').said('Done first.').ended('completed');
    const images = [{ mediaType: 'image/png' as const, data: PIXEL }];
    story.ask('second', { images }).read('m9', 'and this too').said('On it.');
    story.ran('c1', 'edit', 'Edit a.ts', {}, {}).changed('c1', '/w/shop/a.ts').changed('c1', '/w/shop/b.ts');
    editor.answer('session/fork', ({ title }) => {
      new Story(editor, 's2').begin(title);
      const session = editor.snapshot.sessions.find(({ id }) => id === 's2');
      return { session, warnings: [] };
    });
    return { editor, story };
  }

  it('shows a session that ends there, with all that began the turn in its composer, and archives this one', async () => {
    const { editor, story } = twoTurns();
    story.said('Done second.').ended('completed');
    let refuses = true;
    editor.answer('change/revert', () => {
      const left = { path: '/w/shop/a.ts', outcome: 'refused', detail: 'It was edited since.' };
      return { items: refuses ? [left, { path: '/w/shop/b.ts', outcome: 'reverted' }] : [] };
    });
    const page = await browsing.open(editor);
    await page.getByText('Done second.').waitFor();
    assert.equal(await button(page, BACK).count(), 2, 'once for each turn, not for each message');
    await button(page, BACK).last().click();
    await page.keyboard.press('Escape');
    await page.getByText('Go back to before this message?').waitFor({ state: 'detached' });
    await button(page, BACK).last().press('Enter');
    await button(page, 'Go back, keep the files').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('It was edited since.').waitFor();
    assert.deepEqual(await editor.heard('change/revert'), [
      { session: 's1', since: 's1t2', by: 'you from the chat' },
    ]);
    assert.equal(editor.asked('session/fork').length, 0, 'it is said before anything else changes');
    refuses = false;
    await page.keyboard.press('Enter');
    const composer = page.getByLabel('Message to the agent');
    await page.locator('.composer .chip, .composer img').first().waitFor();
    assert.deepEqual(editor.asked('session/fork'), [{ session: 's1', before: 's1t2', title: 'Fix login' }]);
    assert.equal(await composer.inputValue(), 'second\nand this too');
    assert.deepEqual(await editor.heard('session/update'), [{ session: 's1', archived: true }]);
    assert.equal(editor.opened.at(-1), 's2');
  });

  it('keeps a session in its place of which something still waits, and is not there while a turn is at work', async () => {
    const { editor, story } = twoTurns();
    const page = await browsing.open(editor);
    const busy = 'Go back to before this message: once the turn has ended';
    await button(page, busy).first().waitFor();
    assert.ok(await button(page, busy).first().isDisabled());
    story.said('Done second.').ended('completed').send('for later', { delivery: 'queue' });
    await button(page, BACK).first().click();
    await button(page, 'Go back, keep the files').click();
    await editor.heard('session/fork');
    await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
    assert.equal(await page.getByLabel('Message to the agent').inputValue(), 'first');
    assert.deepEqual(editor.asked('session/update'), []);
    assert.deepEqual(editor.asked('change/revert'), []);
  });
});
