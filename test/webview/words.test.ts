/** What the lines of the page say: how long something worked, what it waits for, and what an answer was. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Browsing } from './support/openPage';
import { NOW } from './support/fakeEditor';
import { begun, withEdit, worked } from './support/sessions';
import { offersFor } from './support/story';

describe('the words of the page', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const call = (page: Page, name: RegExp) => page.locator('.call-head').filter({ hasText: name });

  it('of a turn that is done tell its work from the wait for the person', async () => {
    const { editor, story } = begun();
    editor.at = NOW - 500_000;
    story.ask('go').asksCommand('a1', 'npm one').asksCommand('a2', 'npm two');
    editor.at += 60_000;
    story.verdict('a1', 'allow');
    editor.at += 360_000;
    story.verdict('a2', 'allow').started('c-a1').started('c-a2');
    editor.at += 14_000;
    story.done('c-a1', {}).done('c-a2', {}).ended('completed');
    const page = await browsing.open(editor);
    await page.getByText('Done · worked 14 s, waited for you 7 m').waitFor();
  });

  it('of a wait for handles say that it waits, once nothing before it is unfinished', async () => {
    const { editor, story } = begun();
    story
      .ask('go')
      .plan(
        { id: 'c1', tool: 'read', title: 'Read a.ts' },
        { id: 'c2', tool: 'wait', title: 'Wait for proc:1' },
      );
    const page = await browsing.open(editor);
    await call(page, /Wait for proc:1\s*planned/).waitFor();
    story.started('c1').done('c1', {});
    await call(page, /Wait for proc:1\s*waits/).waitFor();
    assert.equal(await call(page, /Wait/).locator('.codicon-clock').count(), 1);
    story.done('c2', { resolved: [] });
    await call(page, /waits/).waitFor({ state: 'detached' });
  });

  it('of an answered question give the answer', async () => {
    const { editor, story } = begun();
    story
      .ask('go')
      .ran('c1', 'ask', 'All tests pass. Shall I?', { question: 'Shall I?' }, { answer: 'Yes, add it' });
    const page = await browsing.open(editor);
    await call(page, /answered: Yes, add it/).waitFor();
  });

  it('of a session that only asks show a question, as the trees do', async () => {
    const { editor, story } = begun();
    story.ask('go').question('q1', 'Which db?');
    const page = await browsing.open(editor);
    await page.locator('.session-trigger .codicon-question').waitFor();
    story.asksCommand('a1', 'npm test');
    await page.locator('.session-trigger .codicon-bell-dot').waitFor();
  });

  it('T6 of several attempts are one row that counts, with the reason of the last, and a way to stop', async () => {
    const { editor, story } = begun();
    editor.at = NOW;
    story.ask('go');
    const fail = (attempt: number) =>
      story.emit('model_retry', {
        attempt,
        attempts: 8,
        code: 'model_unreachable',
        detail: 'http://127.0.0.1:9/v1: connect ECONNREFUSED',
        delayMs: attempt * 2_000,
      });
    const page = await browsing.open(editor);
    for (const attempt of [2, 3, 4]) fail(attempt);
    story.emit('turn_paced', { resumeAt: NOW + 8_000 });
    await page.getByText('Tries again in 8 s: The provider could not be reached. (attempt 4 of 8)').waitFor();
    assert.equal(await page.locator('.retry').count(), 1);
    assert.equal(await page.getByText(/limit|Working/).count(), 0);
    await page.getByText('Reads it when the provider answers.').waitFor();
    await page.locator('.retry summary').click();
    await page.getByText('ECONNREFUSED').waitFor();
    fail(5);
    await page.getByText('(attempt 5 of 8)').waitFor();
    assert.ok(await page.getByText('ECONNREFUSED').isVisible(), 'what was opened stays open');
    await page.locator('.retry').getByRole('button', { name: 'Stop' }).click();
    await editor.heard('turn/interrupt');
  });

  it('X1 of a lifted command count its running alone, and its end by the clock', async () => {
    const { editor, story } = begun();
    editor.at = NOW - 120_000;
    story.ask('go').asksCommand('a1', 'npm test').lifted('c-a1', 'proc:1', 'npm test', 'approval');
    editor.at += 60_000;
    story.verdict('a1', 'allow').runs();
    editor.at += 2_000;
    story.emit('handle_ended', { handle: 'proc:1' as never, end: 'exited', exit_code: 0, ran_ms: 2_000 });
    const page = await browsing.open(editor);
    await call(page, /exited with code 0/)
      .locator('.call-time')
      .getByText('2.0 s')
      .waitFor();
    await page.locator('.call-time[title="Ended 10:02"]').waitFor();
  });

  it('A3 of the ways to allow name a folder of the workspace by its name', async () => {
    const { editor, story } = begun();
    const offers = offersFor('npm test').map((offer) => ({
      ...offer,
      label: '`npm test` exactly, in /w/shop',
    }));
    story.ask('go').asksCommand('a1', 'npm test', { offers });
    const page = await browsing.open(editor);
    await button(page, 'More ways to allow').and(page.locator(':enabled')).click();
    await page.getByRole('menuitem', { name: 'Allow for this session: npm test exactly, in shop' }).waitFor();
  });

  it('of several requests say that there is one that was not looked at; a list belongs to its round', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'npm one');
    const page = await browsing.open(editor);
    await page.locator('.request').waitFor();
    story.asksCommand('a2', 'npm two');
    await page.locator('.pager').getByText('new').waitFor();
    await button(page, 'Next request').click();
    await page.locator('.pager').getByText('new').waitFor({ state: 'detached' });
    await button(page, 'Show all 2 of this round').click();
    await page.locator('.round-list').waitFor();
    story.verdict('a1', 'deny').verdict('a2', 'deny').ended('completed');
    story.ask('again').asksCommand('a3', 'npm three').asksCommand('a4', 'npm four');
    await page.getByRole('group', { name: 'Approval: npm three' }).waitFor();
    assert.equal(await page.locator('.round-list').count(), 0);
  });

  it('of a session without a turn are those of the welcome, whose examples go to that session', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    await page.getByText('What should the agent do?').waitFor();
    await button(page, /^Explain how a request/).click();
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    const [sent] = (await editor.heard('message/send')) as { session: string; text: string }[];
    assert.deepEqual([sent?.session, sent?.text], ['s1', 'Explain how a request travels through this code!']);
  });

  it('A4 that are read aloud of a request are its beginning, once for each of its numbers', async () => {
    const { editor, story } = begun();
    story.ask('go');
    const page = await browsing.open(editor);
    await page.getByText('Working').waitFor();
    const long = `for i in $(seq 1 200); do ${'echo a long line; '.repeat(200)} done`;
    story.asksCommand('a1', long);
    const said = page.getByRole('status').getByText(/Needs your approval/);
    await said.waitFor();
    story.asks('a1', { title: long }).asks('a1', { title: long, request: 2 }).asksCommand('a2', 'ls');
    await page.getByRole('status').getByText('Needs your approval: ls').waitFor();
    const texts = await said.allTextContents();
    assert.equal(texts.length, 3, 'not what is renewed under its number');
    assert.ok((texts[0]?.length ?? 0) < 130, texts[0]);
  });

  it('under the composer fit on one line of a narrow page', async () => {
    const { editor } = worked();
    editor.state = { ...editor.state, session: undefined } as never;
    const page = await browsing.open(editor, { width: 300 });
    const line = page.getByText('Enter to send, Shift+Enter for a new line');
    await line.waitFor();
    const height = await line.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getClientRects().length;
    });
    assert.equal(height, 1);
  });

  it('stand beside each other down to the least width of a side bar: nothing lies over or beyond', async () => {
    const { editor, story } = withEdit();
    story.asksCommand('a2', 'npm test').ended('completed');
    story.ran('c9', 'edit', 'Edit b.ts', {}, {}).changed('c9', '/w/shop/b.ts');
    story.ask('more').asksCommand('a3', 'npm run build').asksCommand('a4', 'ls');
    const page = await browsing.open(editor, { width: 300, height: 1_200 });
    await button(page, 'Next request').waitFor();
    await button(page, 'Next request').click();
    await button(page, 'Next request').click();
    for (const width of [300, 250, 170]) {
      await page.setViewportSize({ width, height: 1_200 });
      assert.deepEqual(await page.evaluate(overlaps), [], `at ${width} px`);
    }
    await button(page, /^Show all/).click();
    await page.locator('.round-list').waitFor();
    assert.deepEqual(await page.evaluate(overlaps), [], 'the list of a round');
  });
});

/** Of what stands in rows, what lies over something else or beyond the page. */
function overlaps(): string[] {
  const seen = [
    ...document.querySelectorAll(
      '.request-head > *, .request-buttons > *, .call-row .icon-button, .call-head > *, .composer-tools > *, .changes-head > *, .header-row > *',
    ),
  ]
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 1 && box.height > 1);
  const beyond = seen.filter(({ box }) => box.right > window.innerWidth + 1 || box.left < -1);
  const over = seen.flatMap((one, index) =>
    seen
      .slice(index + 1)
      .filter(
        (other) =>
          !one.element.contains(other.element) &&
          one.box.left < other.box.right - 2 &&
          other.box.left < one.box.right - 2 &&
          one.box.top < other.box.bottom - 2 &&
          other.box.top < one.box.bottom - 2,
      )
      .map((other) => `${one.element.outerHTML.slice(0, 60)} over ${other.element.outerHTML.slice(0, 60)}`),
  );
  return [...beyond.map(({ element }) => `beyond: ${element.outerHTML.slice(0, 90)}`), ...over];
}
