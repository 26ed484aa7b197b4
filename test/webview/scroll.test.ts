/** How the conversation scrolls, and that it comes back to its place. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { Browsing } from './support/openPage';
import { begun, worked } from './support/sessions';
import type { Story } from './support/story';

describe('the conversation as it scrolls', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const log = (page: Page) => page.getByRole('main', { name: 'Conversation' });
  const fromEnd = (page: Page) =>
    log(page).evaluate((frame) => frame.scrollHeight - frame.scrollTop - frame.clientHeight);
  /** As the person does it: what the page itself scrolls is told from it by the wheel. */
  const scrollTo = (page: Page, top: number) =>
    log(page).evaluate((frame, to) => {
      // The frame tells of its scroll before the next picture: until then the page does not know of it.
      frame.dispatchEvent(new WheelEvent('wheel'));
      frame.scrollTop = to;
      return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    }, top);
  /** The top of this, px, when it has stayed the same for some frames. */
  const atRest = (one: Locator) =>
    one.evaluate(async (element) => {
      const topOf = () => element.getBoundingClientRect().top;
      const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
      for (let still = 0, top = topOf(); still < 5; await frame()) {
        still = topOf() === top ? still + 1 : 0;
        top = topOf();
      }
      return topOf();
    });
  const history = (story: Story, turns: number) => {
    for (let turn = 0; turn < turns; turn++) {
      story.ask(`question ${turn}`).said(`answer ${turn}\n\n`.repeat(3)).ended('completed');
    }
  };

  it('follows the end only while the person is there, and offers the way back', async () => {
    const { editor, story } = begun();
    history(story, 12);
    story.ask('go').stream('first\n\n'.repeat(10));
    const page = await browsing.open(editor);
    await page.getByText('first').first().waitFor();
    assert.ok((await fromEnd(page)) < 2);
    story.stream('second\n\n'.repeat(20));
    await page.getByText('second').last().waitFor();
    await page.waitForFunction(() => {
      const frame = document.querySelector('.log');
      return frame !== null && frame.scrollHeight - frame.scrollTop - frame.clientHeight < 2;
    });
    await scrollTo(page, 500);
    await button(page, 'Go to the newest message').waitFor();
    const place = await log(page).evaluate((frame) => frame.scrollTop);
    story.stream('third\n\n'.repeat(20));
    await page.getByText('New', { exact: true }).waitFor();
    assert.equal(await log(page).evaluate((frame) => frame.scrollTop), place);
    await button(page, 'Go to the newest message').click();
    assert.ok((await fromEnd(page)) < 2);
  });

  it('stays at the end through a burst of everything that can come', async () => {
    const { editor, story } = begun();
    const page = await browsing.open(editor);
    await page.getByText('What should the agent do?').waitFor();
    for (let round = 0; round < 30; round++) {
      story.ask(`question ${round}`).think('Hm. ').stream('An answer\n\nin two parts');
      story.said('An answer\n\nin two parts').asksCommand(`a${round}`, `npm run step-${round}`);
      story.verdict(`a${round}`, 'allow').started(`c-a${round}`).wrote(`c-a${round}`, 'out\n');
      story
        .done(`c-a${round}`, { stdout: 'out\n', stderr: '', exit_code: 0 })
        .said('Done.')
        .ended('completed');
    }
    story.ask('the last').asksCommand('a', 'npm test');
    await page.getByRole('group', { name: 'Approval: npm test' }).waitFor();
    await page.waitForFunction(() => {
      const frame = document.querySelector('.log');
      return frame !== null && frame.scrollHeight - frame.scrollTop - frame.clientHeight < 2;
    });
    assert.equal(await button(page, 'Go to the newest message').count(), 0);
  });

  it('lets the person leave the end while text streams', async () => {
    const { editor, story } = begun();
    history(story, 12);
    story.ask('go').stream('first\n\n'.repeat(10));
    const page = await browsing.open(editor);
    await page.getByText('first').first().waitFor();
    await log(page).hover();
    for (let turn = 0; turn < 3; turn++) {
      await page.mouse.wheel(0, -200);
      story.stream('second\n\n'.repeat(5));
    }
    await button(page, 'Go to the newest message').waitFor();
    assert.ok((await fromEnd(page)) > 300);
    await page.getByText('New', { exact: true }).waitFor();
  });

  it('what is opened at the end stays where it was pressed, and its beginning is seen', async () => {
    const { editor, story } = begun();
    history(story, 4);
    const stdout = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');
    story
      .ask('go')
      .think('Some thoughts.\n\n'.repeat(30))
      .said('Ready.', { reasoning: 'Thoughts. '.repeat(400) });
    story.ran('c1', 'shell', 'npm test', { command: 'npm test' }, { stdout, stderr: '', exit_code: 0 });
    story.ended('completed');
    const page = await browsing.open(editor, { height: 500 });
    const still = () =>
      page.evaluate(
        () =>
          new Promise((drawn) =>
            requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(drawn))),
          ),
      );
    const topOf = (locator: ReturnType<Page['locator']>) =>
      locator.evaluate((element) => Math.round(element.getBoundingClientRect().top));
    for (const opener of [button(page, /^npm test/), page.locator('summary').last()]) {
      await opener.waitFor();
      await page.waitForFunction(() => document.querySelector('.new-pill') === null);
      const before = await topOf(opener);
      await opener.click();
      await button(page, 'Go to the newest message').waitFor();
      await still();
      assert.ok(
        Math.abs((await topOf(opener)) - before) <= 1,
        `${await opener.textContent()} moved from ${before} to ${await topOf(opener)}, ${await fromEnd(page)} from the end, pill ${await button(page, 'Go to the newest message').count()}`,
      );
      await opener.click();
      await button(page, 'Go to the newest message').waitFor({ state: 'detached' });
    }
    await button(page, 'Copy answer').last().click();
    await still();
    assert.equal(await button(page, 'Go to the newest message').count(), 0);
  });

  it('reads older turns as the person scrolls up, and does not move what is read', async () => {
    const { editor, story } = begun();
    history(story, 40);
    const page = await browsing.open(editor);
    await page.getByText('question 39').waitFor();
    assert.equal(await page.getByText('question 20', { exact: true }).count(), 0);
    const release = editor.hold('transcript/read');
    await scrollTo(page, 300);
    await page.getByText('Loading older turns…').waitFor();
    const anchor = page.getByText('question 25', { exact: true });
    const before = await anchor.evaluate((element) => element.getBoundingClientRect().top);
    release();
    await page.getByText(/Load(ing)? older turns/).waitFor({ state: 'detached' });
    const after = await anchor.evaluate((element) => element.getBoundingClientRect().top);
    assert.ok(Math.abs(after - before) < 4, `it moved by ${after - before} px`);
  });

  it('comes back to the place, the cards and the session that were shown before a reload', async () => {
    const { editor, story } = worked();
    story.ended('completed');
    history(story, 8);
    const page = await browsing.open(editor);
    await page.getByText('question 7').waitFor();
    await scrollTo(page, 0);
    await page.getByRole('button', { name: /Search/ }).click();
    await page.getByText('pattern').waitFor();
    await scrollTo(page, 350);
    await button(page, 'Go to the newest message').waitFor();
    const seen = page.getByText('question 0', { exact: true });
    // What was kept is where the page has come to rest: rows that are drawn for the first time are measured first.
    const before = await atRest(seen);
    editor.state = { ...editor.state, session: undefined as never };
    await page.reload();
    await page.getByText('pattern').waitFor();
    const after = await seen.evaluate(async (element, top) => {
      const off = () => Math.abs(element.getBoundingClientRect().top - top);
      const end = performance.now() + 15_000;
      while (off() >= 8 && performance.now() < end) await new Promise((next) => requestAnimationFrame(next));
      return off();
    }, before);
    assert.ok(after < 8, `it is ${after} px away from where it was`);
  });
});
