/** What a turn has changed: looked at, and put back. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Browsing } from './support/openPage';
import { begun } from './support/sessions';
import { pause } from './support/story';

describe('files that a turn has changed', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const changed = () => {
    const { editor, story } = begun();
    story.ask('go').ran('c1', 'edit', 'Edit a.ts', {}, {}).changed('c1', '/w/shop/src/a.ts');
    story.changed('c1', '/w/shop/b.ts', 'created').changed('c1', '/w/shop/src/a.ts');
    return { editor, story };
  };

  it('are listed once the turn has ended, each with its diff in the editor', async () => {
    const { editor, story } = changed();
    const page = await browsing.open(editor);
    await page.getByText('Working').waitFor();
    assert.equal(await page.locator('.changes').count(), 0);
    story.said('Done.').ended('completed');
    await button(page, '2 files changed').click();
    await button(page, /^src\/a\.ts/).click();
    await button(page, 'Review').click();
    await page.waitForFunction(() => true);
    const scope = { session: 's1', turn: 's1t1' };
    assert.deepEqual(
      (await editor.commanded()).map(({ args }) => args),
      [{ ...scope, path: '/w/shop/src/a.ts' }, scope],
    );
  });

  it('are put back after one more question, by keyboard alone; what was refused says why', async () => {
    const { editor, story } = changed();
    story.said('Done.').ended('completed');
    editor.answer('change/revert', ({ paths }) => {
      editor.emit(
        'changes_reverted',
        { paths: ['/w/shop/b.ts'], by: 'you from the chat' },
        {
          session: 's1',
          turn: 's1t1',
        },
      );
      return {
        items: (paths ?? []).map((path) =>
          path.endsWith('b.ts')
            ? { path, outcome: 'reverted' }
            : { path, outcome: 'refused', reason: 'edited_since', detail: 'It was edited since.' },
        ),
      };
    });
    const page = await browsing.open(editor);
    await button(page, 'Revert…').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Revert 2 files?').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Revert 2 files?').waitFor({ state: 'detached' });
    assert.equal(editor.asked('change/revert').length, 0);
    await button(page, 'Revert…').press('Enter');
    await page.getByText('Revert 2 files?').waitFor();
    await page.keyboard.press('Enter');
    assert.deepEqual(await editor.heard('change/revert'), [
      {
        session: 's1',
        turn: 's1t1',
        paths: ['/w/shop/src/a.ts', '/w/shop/b.ts'],
        by: 'you from the chat',
      },
    ]);
    await page.getByText('It was edited since.').waitFor();
    await button(page, '1 file changed').waitFor();
  });

  it('are not put back while everything is paused', async () => {
    const { editor, story } = changed();
    story.said('Done.').ended('completed');
    pause(editor);
    const page = await browsing.open(editor);
    await button(page, 'Revert…').waitFor();
    assert.ok(await button(page, 'Revert…').isDisabled());
    assert.ok(await button(page, 'Review').isEnabled());
  });
});
