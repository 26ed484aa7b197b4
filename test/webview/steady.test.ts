/** What the person writes is theirs, and a click or a key does what was under it when they aimed. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Browsing } from './support/openPage';
import { type FakeEditor } from './support/fakeEditor';
import { begun } from './support/sessions';
import { EDIT_PREVIEW, pause, type Story } from './support/story';

describe('what is under the hand of the person', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const composer = (page: Page) => page.getByLabel('Message to the agent');
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const settled = (page: Page) => page.locator('[data-settled="yes"]').waitFor();
  const verdicts = (editor: FakeEditor) =>
    editor.asked('approval/answer').map((one) => (one as { approval: string }).approval);
  const allowing = (editor: FakeEditor, story: Story) =>
    editor.answer('approval/answer', ({ approval }) => {
      story.verdict(approval, 'allow');
      return { approval, decision: 'allow', by: 'you', at: editor.at };
    });
  it('the question whether to revert takes the focus once, and never from the composer', async () => {
    const { editor, story } = begun();
    story.ask('go').ran('c1', 'edit', 'Edit a.ts', {}, {}).changed('c1', '/w/shop/a.ts').ended('completed');
    const page = await browsing.open(editor);
    await button(page, 'Revert…').click();
    await page.locator('.changes-ask .button').first().and(page.locator(':focus')).waitFor();
    await composer(page).click();
    await page.keyboard.type('abc');
    // It draws the card anew, with its buttons at rest.
    pause(editor);
    await page.getByText('Nothing starts until you resume').first().waitFor();
    await page.keyboard.type(' and so on');
    assert.equal(await composer(page).inputValue(), 'abc and so on');
    assert.equal(editor.asked('change/revert').length, 0);
  });

  it('an open editor of a queued message leaves the focus in the composer', async () => {
    const { editor, story } = begun();
    story.ask('go').send('queued one', { delivery: 'queue' });
    const page = await browsing.open(editor);
    await button(page, 'Edit').click();
    await page.getByLabel('Text of the message').and(page.locator(':focus')).waitFor();
    await composer(page).click();
    await page.keyboard.type('abc');
    story.send('queued two', { delivery: 'queue' });
    await page.getByText('queued two').waitFor();
    await page.keyboard.type('def');
    assert.equal(await composer(page).inputValue(), 'abcdef');
  });

  it('a list of requests takes no click for the one that has moved under the pointer', async () => {
    const { editor, story } = begun();
    story.ask('go');
    story.plan(...[1, 2, 3, 4].map((n) => ({ id: `c-a${n}`, tool: 'shell', title: `cmd ${n}` })));
    for (const n of [1, 2, 3, 4]) story.asks(`a${n}`, { title: `cmd ${n}` });
    allowing(editor, story);
    const page = await browsing.open(editor);
    await button(page, 'Show all 4 of this round').click();
    await settled(page);
    const second = page.locator('.round-list li').nth(1).getByRole('button', { name: 'Allow', exact: true });
    // The second half of a double click, in the moment in which the next one has taken the place.
    await page.locator('.round-list').evaluate((list) => {
      new MutationObserver((_, observer) => {
        observer.disconnect();
        list.children[1]?.querySelector('button')?.click();
        list.setAttribute('data-clicked', list.children[1]?.textContent ?? '');
      }).observe(list, { childList: true });
    });
    await second.click();
    await page.locator('[data-clicked^="cmd 3"]').waitFor();
    await settled(page);
    assert.deepEqual(verdicts(editor), ['a2']);
    await second.click();
    await editor.heard('approval/answer', 2);
    assert.deepEqual(verdicts(editor), ['a2', 'a3']);
  });

  it('what is folded of a request of a round is not seen, so that all are allowed only once it is open', async () => {
    const { editor, story } = begun();
    const long = Array.from({ length: 40 }, (_, n) => `+line ${n}`).join('\n');
    const preview = { ...EDIT_PREVIEW, diff: `--- a\n+++ b\n@@ -0,0 +1,40 @@\n${long}\n` };
    story.ask('go');
    story.plan({ id: 'c-a1', tool: 'edit', title: 'Edit a.ts' }, { id: 'c-a2', tool: 'shell', title: 'ls' });
    story.asks('a1', { title: 'Edit a.ts', preview }).asks('a2', { title: 'ls' });
    const page = await browsing.open(editor, { height: 2_400 });
    await button(page, 'Show all 2 of this round').click();
    await page.getByText('Scroll through all of them first: 1 not seen yet.').waitFor();
    await page.getByRole('button', { name: /^Show all 4\d lines$/ }).click();
    await page.getByRole('list', { name: '2 requests of this round' }).focus();
    await page.keyboard.press('End');
    await page.getByText('Scroll through all of them first').waitFor({ state: 'detached' });
    await button(page, 'Allow all 2 of this round').click();
    assert.deepEqual((await editor.heard('approval/answer', 2)).length, 2);
  });

  it('A1 R10 a long list of arguments says that it goes on, and shows all of it', async () => {
    const { editor, story } = begun();
    const paths = [...Array.from({ length: 100 }, (_, n) => `build/f${n}.js`), '/home/me/.ssh/id_rsa'];
    const args = { paths, rows: paths.map((path) => ({ path: `${path}!` })) };
    story.ask('go').plan({ id: 'c-a1', tool: 'fs__delete', title: 'fs: delete', args });
    story.asks('a1', { title: 'fs: delete', tool: 'fs__delete', args, preview: { kind: 'arguments' } });
    const page = await browsing.open(editor);
    const preview = page.locator('.request-preview');
    await preview.getByText(/build\/f99\.js, …$/).waitFor();
    assert.equal(await preview.getByText('id_rsa').count(), 0);
    await preview.getByRole('button', { name: 'Show all 101 items' }).first().click();
    await preview.getByText(/id_rsa$/).waitFor();
    await preview.getByRole('button', { name: 'Show all 101 items' }).click();
    await preview.getByText('id_rsa!').waitFor();
  });

  it('Enter on Allow, pressed twice or held, sends nothing of what is written', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'npm test');
    allowing(editor, story);
    const page = await browsing.open(editor);
    await composer(page).fill('half a thought');
    await settled(page);
    await button(page, 'Allow').focus();
    await page.keyboard.down('Enter');
    await page.locator('.request').waitFor({ state: 'detached' });
    await page.locator('.log:focus').waitFor();
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.keyboard.press('Enter');
    assert.deepEqual(verdicts(editor), ['a1']);
    await composer(page).focus();
    await page.keyboard.down('Enter');
    await page.keyboard.down('Enter');
    const sent = await editor.heard('message/send');
    assert.equal(sent.length, 1);
  });

  it('Enter right after the page has led to the composer sends nothing; once something is written it sends', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    await composer(page).waitFor();
    editor.post({ type: 'draft', text: 'explain this' });
    await page.locator('.composer-text:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    const sent = (await editor.heard('message/send')) as { text: string }[];
    assert.deepEqual(
      sent.map(({ text }) => text),
      ['explain this!'],
    );
  });
});
