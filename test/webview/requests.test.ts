/** Verdicts and answers: given once, never by accident, and never in the way of what the person writes. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Browsing } from './support/openPage';
import { NOW, Refusal, type FakeEditor } from './support/fakeEditor';
import { begun, withEdit } from './support/sessions';

describe('requests in the chat', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const card = (page: Page, title: string) => page.getByRole('group', { name: `Approval: ${title}` });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const verdicts = (editor: FakeEditor) => editor.asked('approval/answer') as Record<string, unknown>[];
  const composer = (page: Page) => page.getByLabel('Message to the agent');

  it('an allow carries its scope, in the words of the rule that it writes (A3)', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'npm test');
    editor.answer('approval/answer', () => {
      story.verdict('a1', 'allow');
      const rule = { id: 'r1', label: '`npm test` exactly', effect: 'allow', scope: 'session' };
      return { approval: 'a1', decision: 'allow', by: 'you from the chat', at: editor.at, rule };
    });
    const page = await browsing.open(editor);
    await button(page, 'More ways to allow').click();
    await page.getByRole('menuitem', { name: 'Allow for this session: npm test exactly' }).click();
    await page.getByText('Rule written: npm test exactly').waitFor();
    assert.equal(verdicts(editor)[0]?.['scope'], 'session');
    const match = { kind: 'command', command: 'npm test', folder: '/w/shop' };
    assert.deepEqual(verdicts(editor)[0]?.['match'], match, 'exactly that one of the offers');
    assert.equal(await card(page, 'npm test').count(), 0);
  });

  it('an edit of a file with unsaved changes says so before it is allowed, as long as they are there', async () => {
    const { editor, story } = withEdit();
    editor.snapshot = {
      ...editor.snapshot,
      host: { ...editor.snapshot.host, unsaved: ['/w/shop/src/login.ts', '/w/shop/src/other.ts'] },
    };
    const page = await browsing.open(editor);
    const note = card(page, 'Edit src/login.ts').getByText('You have unsaved changes in this file.');
    await note.waitFor();
    story.emit('unsaved_changed', { paths: ['/w/shop/src/other.ts'] });
    await note.waitFor({ state: 'detached' });
    story.emit('unsaved_changed', { paths: ['/w/shop/src/login.ts'] });
    await note.waitFor();
  });

  it('a denial has a reason: Escape keeps the request, Enter denies', async () => {
    const { editor } = withEdit();
    const page = await browsing.open(editor);
    await button(page, 'Deny…').click();
    const reason = page.getByLabel('Why not?');
    await reason.fill('show me the test first');
    await reason.press('Escape');
    assert.equal(verdicts(editor).length, 0);
    await button(page, 'Deny…').click();
    assert.equal(await reason.inputValue(), 'show me the test first');
    await reason.press('Enter');
    await reason.waitFor({ state: 'detached' });
    assert.deepEqual(verdicts(editor), [
      {
        approval: 'a1',
        request: 1,
        decision: 'deny',
        reason: 'show me the test first',
        by: 'you from the chat',
      },
    ]);
  });

  it('who leaves the field for the reason is back at Deny…, by Escape and by Back', async () => {
    const { editor } = withEdit();
    const page = await browsing.open(editor);
    const focused = (words: string) =>
      page.waitForFunction((wanted) => document.activeElement?.textContent === wanted, words);
    await button(page, 'Deny…').and(page.locator(':enabled')).press('Enter');
    await page.getByLabel('Why not?').press('Escape');
    await focused('Deny…');
    await page.keyboard.press('Enter');
    await button(page, 'Back').click();
    await focused('Deny…');
    assert.equal(verdicts(editor).length, 0);
  });

  it('a second click sends nothing, and the buttons rest while a verdict is on its way', async () => {
    const { editor } = withEdit();
    const release = editor.hold('approval/answer');
    const page = await browsing.open(editor);
    await button(page, 'Allow').dblclick();
    await page.getByText('Sending…').waitFor();
    assert.ok(await button(page, 'Allow').isDisabled());
    assert.ok(await button(page, 'Deny…').isDisabled());
    assert.equal(verdicts(editor).length, 1);
    release();
    await page.getByText('Sending…').waitFor({ state: 'detached' });
    assert.equal(verdicts(editor).length, 1);
  });

  it('a verdict that comes too late is told its fate: who, from where, when (A2)', async () => {
    const { editor, story } = withEdit();
    editor.answer('approval/answer', () => {
      story.verdict('a1', 'allow', { call: 'c3', by: 'you from the tree' });
      throw new Refusal('approval_answered', 'Already allowed by you from the tree.', {
        decision: 'allow',
        by: 'you from the tree',
        at: editor.at,
      });
    });
    const page = await browsing.open(editor);
    await button(page, 'Allow').click();
    const bar = page.getByRole('region', { name: 'Requests that wait for you' });
    await bar.getByText('“Edit src/login.ts”: already allowed by you from the tree at 10:02.').waitFor();
    assert.equal(await card(page, 'Edit src/login.ts').count(), 0, 'no dead card stays');
    await button(page, 'Dismiss').click();
    await bar.waitFor({ state: 'detached' });
  });

  it('a request that was announced again is answered under its new number (A4)', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'npm test');
    const page = await browsing.open(editor);
    await button(page, 'Allow').and(page.locator(':enabled')).waitFor();
    story.asks('a1', { title: 'npm test', request: 2 });
    editor.answer('approval/answer', () => ({}));
    await button(page, 'Allow').click();
    assert.equal(verdicts(editor).at(-1)?.['request'], 2);
  });

  it('one that ends elsewhere goes, and the next takes its place but no click that was meant for it', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'npm test').asksCommand('a2', 'rm -rf build');
    const page = await browsing.open(editor, { apart: true });
    await page.getByText('1 of 2').waitFor();
    await button(page, 'Allow').and(page.locator(':enabled')).waitFor();
    await page.clock.pauseAt(NOW + 1000);
    story.verdict('a1', 'allow', { by: 'you from the tree' });
    const next = card(page, 'rm -rf build');
    await next.waitFor();
    const allow = next.getByRole('button', { name: 'Allow', exact: true });
    await allow.click({ force: true });
    assert.equal(verdicts(editor).length, 0);
    await page.clock.resume();
    await allow.click();
    assert.equal(verdicts(editor)[0]?.['approval'], 'a2');
  });

  it('pages through several without changing their order, and follows the link of a call', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'one').asksCommand('a2', 'two');
    const page = await browsing.open(editor);
    await button(page, 'Next request').click();
    await card(page, 'two').waitFor();
    story.asksCommand('a3', 'three');
    await page.getByText('2 of 3').waitFor();
    await button(page, 'Show the request').first().click();
    await card(page, 'one').waitFor();
    await page.getByText('1 of 3').waitFor();
  });

  it('the focus goes from what was answered to the next request, and then to the conversation', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'npm test').asksCommand('a2', 'npm run build');
    editor.answer('approval/answer', ({ approval }) => {
      story.verdict(approval, 'deny');
      return { approval, decision: 'deny', by: 'you', at: NOW };
    });
    const page = await browsing.open(editor);
    for (const title of ['npm test', 'npm run build']) {
      await card(page, title).waitFor();
      await page.locator('.request[data-settled="yes"]').waitFor();
      await button(page, 'Deny…').press('Enter');
      await page.getByLabel('Why not?').press('Enter');
      await card(page, title).waitFor({ state: 'detached' });
      const where = title === 'npm test' ? 'request-bar' : 'log';
      await page.waitForFunction((name) => document.activeElement?.classList.contains(name) === true, where);
    }
  });

  it('of a round those that a jump to the end has left out are not seen', async () => {
    const { editor, story } = begun();
    const long = Array.from({ length: 60 }, (_, line) => `echo ${line}`).join('\n');
    story.ask('go');
    for (const id of ['a1', 'a2', 'a3', 'a4', 'a5']) story.asksCommand(id, long);
    const page = await browsing.open(editor);
    await button(page, 'Show all 5 of this round').click();
    const left = (count: number) =>
      page.getByText(`Scroll through all of them first: ${count} not seen yet.`);
    await left(5).waitFor();
    const list = page.getByRole('list', { name: '5 requests of this round' });
    await list.focus();
    await page.keyboard.press('End');
    await left(4).waitFor();
    assert.ok(await button(page, 'Allow all 5 of this round').isDisabled());
    for (let count = 4; count > 0; count--) {
      await list.evaluate((frame, index) => {
        const item = frame.querySelectorAll('[data-request]')[index];
        item?.scrollIntoView({ block: 'end' });
      }, count - 1);
      if (count > 1) await left(count - 1).waitFor();
    }
    await button(page, 'Allow all 5 of this round').click();
    assert.equal((await editor.heard('approval/answer', 5)).length, 5);
  });

  it('all of a round are allowed at once only after each was on screen, to its end', async () => {
    const { editor, story } = begun();
    const long = Array.from({ length: 60 }, (_, line) => `echo ${line}`).join('\n');
    story.ask('go').asksCommand('a1', 'npm test').asksCommand('a2', long).asksCommand('a3', 'npm run build');
    const page = await browsing.open(editor);
    await button(page, 'Show all 3 of this round').click();
    const all = button(page, 'Allow all 3 of this round');
    await all.waitFor();
    await page.locator('.round[data-settled="yes"]').waitFor();
    await page.getByText('Scroll through all of them first: 2 not seen yet.').waitFor();
    assert.ok(await all.isDisabled());
    const box = await all.boundingBox();
    assert.ok(box !== null && box.y + box.height <= (page.viewportSize()?.height ?? 0), 'it stays in sight');
    await page.getByRole('list', { name: '3 requests of this round' }).focus();
    await page.keyboard.press('End');
    await page.getByText('Scroll through all of them first').waitFor({ state: 'detached' });
    assert.equal(verdicts(editor).length, 0);
    await all.click();
    const given = await editor.heard('approval/answer', 3);
    assert.deepEqual(
      given.map((one) => [(one as { approval: string }).approval, (one as { scope: string }).scope]),
      [
        ['a1', 'once'],
        ['a2', 'once'],
        ['a3', 'once'],
      ],
    );
  });

  it('a request of another round is not among those that are allowed at once', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'npm test').said('And then:').asksCommand('a2', 'rm -rf build');
    const page = await browsing.open(editor);
    await page.getByText('1 of 2').waitFor();
    assert.equal(await page.getByRole('button', { name: /Show all/ }).count(), 0);
  });

  it('nothing that comes moves a button that is on screen', async () => {
    const { editor, story } = withEdit();
    const page = await browsing.open(editor);
    const allow = button(page, 'Allow');
    const deny = button(page, 'Deny…');
    await allow.and(page.locator(':enabled')).waitFor();
    const places = async () => [await allow.boundingBox(), await deny.boundingBox()];
    const before = await places();
    story.asksCommand('a2', 'npm test');
    story.stream('meanwhile\n\n'.repeat(40));
    await page.getByText('1 of 2').waitFor();
    assert.deepEqual(await places(), before);
    story.lifted('c3', 'proc:7', 'Edit src/login.ts', 'approval');
    await card(page, 'Edit src/login.ts').getByText('proc:7').waitFor();
    assert.deepEqual(await places(), before);
  });

  it('R11 is told to the editor when it is drawn', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'npm test');
    const page = await browsing.open(editor);
    await card(page, 'npm test').waitFor();
    story.asksCommand('a2', 'npm run lint');
    await page.getByText('1 of 2').waitFor();
    const drawn = () => editor.drawn.filter((needs) => needs.length > 0);
    await editor.until(() => drawn().length === 2);
    assert.deepEqual(drawn(), [['a1/1'], ['a1/1', 'a2/1']]);
  });

  it('takes neither the focus nor a key from the composer, and a message is never a verdict (R4)', async () => {
    const { editor, story } = begun();
    story.ask('go');
    const page = await browsing.open(editor);
    await composer(page).click();
    await page.keyboard.type('an');
    story.asksCommand('a1', 'npm test');
    await card(page, 'npm test').waitFor();
    await page.keyboard.type('other way, please');
    assert.equal(await composer(page).inputValue(), 'another way, please');
    await page.keyboard.press('Enter');
    await page
      .getByText('sending…')
      .or(page.getByText('waiting to be read'))
      .first()
      .waitFor({ state: 'detached' });
    assert.equal(verdicts(editor).length, 0);
    assert.equal((editor.asked('message/send')[0] as { delivery: string }).delivery, 'steer');
    await card(page, 'npm test').waitFor();
  });

  it('a lift leaves the request and the half-written reason where they are (L6)', async () => {
    const { editor, story } = withEdit();
    const page = await browsing.open(editor);
    await button(page, 'Deny…').click();
    await page.getByLabel('Why not?').fill('not like th');
    story.lifted('c3', 'proc:7', 'Edit src/login.ts', 'approval');
    story.ended('completed');
    await card(page, 'Edit src/login.ts').getByText('proc:7').waitFor();
    await page.keyboard.type('is');
    assert.equal(await page.getByLabel('Why not?').inputValue(), 'not like this');
    await page.getByLabel('Why not?').press('Enter');
    assert.equal(verdicts(editor)[0]?.['reason'], 'not like this');
  });

  it('a long command scrolls inside; the buttons stay in sight, also narrow and zoomed', async () => {
    const command = Array.from({ length: 200 }, (_, line) => `echo ${'x'.repeat(300)} ${line}`).join('\n');
    for (const options of [{}, { width: 220 }, { width: 640, zoom: 2 }, { width: 300, height: 400 }]) {
      const { editor, story } = begun();
      story.ask('go').plan({ id: 'c1', tool: 'shell', title: 'echo', args: { command } });
      story.asks('a1', {
        call: 'c1',
        title: 'echo',
        preview: { kind: 'command', command, folder: '/w/shop' },
      });
      const page = await browsing.open(editor, options);
      for (const name of ['Allow', 'Deny…']) await button(page, name).click({ trial: true });
      const box = await button(page, 'Allow').boundingBox();
      const height = page.viewportSize()?.height ?? 0;
      assert.ok(box !== null && box.y > 0 && box.y + box.height <= height, JSON.stringify({ options, box }));
    }
  });

  it('a question is answered by a choice or in the person’s own words', async () => {
    const { editor, story } = begun();
    story.ask('go').question('q1', 'Which database?', ['SQLite', 'Postgres']).question('q2', 'Which port?');
    const page = await browsing.open(editor);
    await button(page, 'Postgres').click();
    story.emit('question_answered', {
      id: 'q1',
      call_id: 'c-q1',
      answer: { text: 'Postgres' },
      by: 'you',
    } as never);
    await page.getByLabel('Your answer…').fill('5433');
    await page.getByLabel('Your answer…').press('Enter');
    await page.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>('.request textarea')?.value === '',
    );
    assert.deepEqual(editor.asked('question/answer'), [
      { question: 'q1', answer: { text: 'Postgres' }, by: 'you from the chat' },
      { question: 'q2', answer: { text: '5433' }, by: 'you from the chat' },
    ]);
  });

  it('the keyboard alone reaches a request when the person asks to be taken there', async () => {
    const { editor } = withEdit();
    const page = await browsing.open(editor);
    await button(page, 'Allow').and(page.locator(':enabled')).waitFor();
    editor.post({ type: 'focus', target: 'request', need: 'a1' });
    await page.waitForFunction(() => document.activeElement?.classList.contains('request-bar'));
    const seen: string[] = [];
    for (let press = 0; press < 5; press++) {
      await page.keyboard.press('Tab');
      seen.push(await page.evaluate(() => document.activeElement?.textContent ?? ''));
    }
    assert.ok(seen.includes('Open diff') && seen.includes('Allow') && seen.includes('Deny…'), seen.join('|'));
  });

  it('opens the diff in the editor', async () => {
    const { editor } = withEdit();
    const page = await browsing.open(editor);
    await button(page, 'Open diff').click();
    assert.deepEqual(editor.commands, [{ type: 'command', command: 'openDiff', args: { approval: 'a1' } }]);
  });
});
