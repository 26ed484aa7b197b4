/** The conversation: what is drawn, and what it tells. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { CallId, HandleId } from '../../protocol/ids';
import { Browsing } from './support/openPage';
import { NOW } from './support/fakeEditor';
import { begun, withEdit, worked } from './support/sessions';
import type { Story } from './support/story';

describe('the conversation', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const log = (page: Page) => page.getByRole('main', { name: 'Conversation' });
  const fromEnd = (page: Page) =>
    log(page).evaluate((frame) => frame.scrollHeight - frame.scrollTop - frame.clientHeight);
  const history = (story: Story, turns: number) => {
    for (let turn = 0; turn < turns; turn++) {
      story.ask(`question ${turn}`).said(`answer ${turn}\n\n`.repeat(3)).ended('completed');
    }
  };

  it('R5 X7 a lifted call says how it ended, and opens its output, when the lists hold it no longer', async () => {
    const { editor, story } = worked();
    story.plan({ id: 'c3', tool: 'shell', title: 'npm test', args: { command: 'npm test' } });
    story.started('c3', 'shell', 'npm test').lifted('c3', 'proc:7', 'npm test');
    story.done('c3', { handle: 'proc:7', background: true, steered: true });
    const page = await browsing.open(editor);
    const card = page.locator('article.call').filter({ hasText: 'npm test' }).last();
    const where = { session: story.session, turn: story.turn };
    editor.emit('handle_ended', { handle: HandleId.parse('proc:7'), end: 'exited', exit_code: 1 }, where);
    await card.getByText('exited with code 1').waitFor();
    editor.snapshot = { ...editor.snapshot, handles: [] };
    editor.post({ type: 'visible' });
    await editor.heard('events/subscribe', 2);
    await editor.heard('transcript/read', 2);
    await card.getByRole('button', { name: /npm test/ }).click();
    await card.getByText('exited with code 1').waitFor();
    await button(page, 'Open output of proc:7').click();
    const shown = { type: 'command', command: 'showHandleOutput', args: { handle: 'proc:7' } };
    assert.deepEqual(await editor.commanded(), [shown]);
  });

  it('draws only the block that grows while an answer streams', async () => {
    const { editor, story } = begun();
    story.ask('go').stream('# Title\n\nA paragraph.\n\n- one\n- two\n\n');
    const page = await browsing.open(editor);
    await page.getByText('A paragraph.').waitFor();
    await page.evaluate(() => {
      for (const element of document.querySelectorAll('.markdown > *')) element.setAttribute('data-old', '');
      const state = window as unknown as { changed: number };
      state.changed = 0;
      new MutationObserver((changes) => {
        state.changed += changes.filter((change) =>
          change.target.parentElement?.closest('[data-old]'),
        ).length;
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    for (let word = 0; word < 50; word++) story.stream(`word${word} `);
    await page.getByText('word49').waitFor();
    assert.equal(await page.evaluate(() => (window as unknown as { changed: number }).changed), 0);
    assert.equal(await page.locator('[data-old]').count(), 3, 'what was drawn is still the same elements');
  });

  it('a call is a line that opens to its command, output, verdict and times', async () => {
    const { editor, story } = begun();
    story
      .ask('go')
      .plan({ id: 'c1', tool: 'shell', title: 'npm test', args: { command: 'npm test -- --all' } });
    story.started('c1').wrote('c1', '\u001b[32mok 1\u001b[0m\n');
    const page = await browsing.open(editor);
    await page.getByRole('button', { name: /npm test/ }).click();
    await page.getByText('npm test -- --all').waitFor();
    await page.locator('.ansi-2', { hasText: 'ok 1' }).waitFor();
    story.wrote('c1', 'ok 2\n');
    await page.getByText('ok 2').waitFor();
    story.verdict('a1', 'allow', { call: 'c1', by: 'you from the tree' });
    story.done('c1', { stdout: 'ok 1\nok 2\nok 3\n', stderr: '', exit_code: 0, success: true });
    await page.getByText('ok 3').waitFor();
    await page.getByText('Allowed by you from the tree at 10:03').waitFor();
    await page.getByText('Started 10:03, took 0 ms').waitFor();
  });

  it('a call that ran unasked says which rule let it, with a way to the rules', async () => {
    const { editor, story } = begun();
    story.ask('go').plan({ id: 'c1', tool: 'shell', title: 'ls', args: { command: 'ls' } });
    story.emit('tool_started', {
      call_id: CallId.parse('c1'),
      tool: 'shell',
      title: 'ls',
      rule: '`ls` exactly, in /w',
    });
    story.done('c1', { stdout: '', stderr: '', exit_code: 0, success: true });
    const page = await browsing.open(editor);
    await page.getByRole('button', { name: /ls/ }).first().click();
    await page.getByText('Ran unasked: ls exactly, in /w').waitFor();
    await page.getByRole('button', { name: 'Manage rules…' }).click();
    assert.deepEqual(await editor.commanded(), [{ type: 'command', command: 'manageRules', args: {} }]);
  });

  it('a lapse and a withdrawal are not called a denial, nor a denial a failure', async () => {
    const { editor, story } = begun();
    story.ask('go');
    for (const [id, error] of [
      ['c1', 'approval_lapsed'],
      ['c2', 'withdrawn'],
      ['c3', 'approval_denied'],
      ['c4', 'tool_failed'],
    ] as const) {
      story.plan({ id, tool: 'shell', title: id }).done(id, { error, detail: '' }, { failed: true });
    }
    const page = await browsing.open(editor);
    const words = async (title: string) =>
      page.locator('.call', { hasText: title }).locator('.call-state').textContent();
    await page.getByText('c4').waitFor();
    assert.deepEqual(await Promise.all(['c1', 'c2', 'c3', 'c4'].map(words)), [
      'lapsed',
      'withdrawn',
      'denied',
      'failed',
    ]);
  });

  it('tells a lift in one line, and how the handle ended', async () => {
    const { editor, story } = withEdit();
    const page = await browsing.open(editor);
    story.lifted('c3', 'proc:7', 'Edit src/login.ts', 'approval');
    await page
      .getByText('Your message moved “Edit src/login.ts” to proc:7; it still waits for your approval.')
      .waitFor();
    story.verdict('a1', 'deny', { call: 'c3' });
    story.emit('lifted_ended', {
      call_id: 'c3',
      handle: 'proc:7',
      outcome: 'denied',
      approvals: [{ decision: 'deny', by: 'you from the tree', at: NOW }],
    } as never);
    story.emit('handle_ended', { handle: 'proc:7', end: 'denied' } as never);
    await page.getByText('“Edit src/login.ts” (proc:7) was denied by you from the tree.').waitFor();
    await page.getByRole('button', { name: /Edit src\/login.ts.*denied/ }).click();
    await button(page, 'Open output of proc:7').click();
    assert.deepEqual(await editor.commanded(), [
      { type: 'command', command: 'showHandleOutput', args: { handle: 'proc:7' } },
    ]);
  });

  it('a turn of hundreds of parts draws only what is near, and the rest as the person comes to it', async () => {
    const { editor, story } = begun();
    story.ask('go');
    for (let call = 0; call < 300; call++) story.ran(`c${call}`, 'read', `Read file${call}.ts`, {}, {});
    const page = await browsing.open(editor);
    await page.getByText('Read file299.ts').waitFor();
    assert.ok((await page.locator('.call').count()) <= 80);
    assert.equal(await page.getByText('Read file0.ts').count(), 0);
    await log(page).focus();
    await page.keyboard.press('Home');
    await page.getByText('Read file0.ts').waitFor();
    assert.ok((await page.locator('.call').count()) <= 120);
    assert.equal(await page.getByText('Read file299.ts').count(), 0);
    await button(page, 'Go to the newest message').click();
    await page.getByText('Read file299.ts').waitFor();
    assert.ok((await fromEnd(page)) < 2);
  });

  it('a session of thousands of messages draws a screenful, and goes to a row of long ago after a reload', async () => {
    const { editor, story } = begun();
    history(story, 1_000);
    const page = await browsing.open(editor);
    await page.getByText('question 999').waitFor();
    assert.ok((await page.locator('[data-row]').count()) < 120);
    editor.kept = { session: 's1', places: { s1: { row: 's1t301/s1m301', offset: 0 } } };
    const again = await browsing.open(editor);
    await again.getByText('question 300', { exact: true }).waitFor();
    // Rows above it are measured as they are drawn, and it is put back to its place.
    await again.waitForFunction(() => {
      const row = document.querySelector('[data-row="s1t301/s1m301"]');
      const edge = row?.closest('.log')?.getBoundingClientRect().top;
      return row != null && edge !== undefined && Math.abs(row.getBoundingClientRect().top - edge) < 4;
    });
    assert.ok((await again.locator('[data-row]').count()) < 120);
    await button(again, 'Go to the newest message').waitFor();
  });

  it('finds in the whole session, also in what was not read yet, and goes to each place with the keys', async () => {
    const { editor, story } = begun();
    history(story, 30);
    story.ask('where is the needle?').said('Here is a Needle.').ended('completed');
    history(story, 60);
    const page = await browsing.open(editor);
    await page.getByText('question 59').waitFor();
    await log(page).focus();
    await page.keyboard.press('Control+f');
    const find = page.getByRole('textbox', { name: 'Find in this session' });
    await page.waitForFunction(() => document.activeElement?.classList.contains('find-text') === true);
    await page.keyboard.type('needle');
    await page.getByText('2 of 2').waitFor();
    await page.getByText('Here is a Needle.').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 of 2').waitFor();
    const shown = await page.locator('.row.found').evaluate((row) => {
      const frame = row.closest('.log')?.getBoundingClientRect();
      const box = row.getBoundingClientRect();
      return frame !== undefined && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
    });
    assert.ok(shown, 'the match is in sight');
    assert.equal(await page.evaluate(() => CSS.highlights.get('found')?.size), 2);
    await find.press('Escape');
    await find.waitFor({ state: 'detached' });
    await page.waitForFunction(() => CSS.highlights.size === 0);
  });

  it('ticks with one timer, and with none when nothing runs', async () => {
    const { editor, story } = begun();
    story.ask('go').plan({ id: 'c1', tool: 'shell', title: 'npm test' }).started('c1');
    story.asksCommand('a1', 'npm install');
    const page = await browsing.open(editor, { countTimers: true, apart: true });
    const timers = () => page.evaluate(() => (window as unknown as { timers: Set<number> }).timers.size);
    await page.locator('.request .elapsed').waitFor();
    assert.equal(await timers(), 1);
    await page.clock.setFixedTime(NOW + 65_000);
    await page.locator('.request .elapsed', { hasText: '1:05' }).waitFor();
    story.verdict('a1', 'deny').done('c-a1', { error: 'approval_denied' }, { failed: true });
    story.done('c1', {}).ended('completed');
    await page.getByText(/Done in/).waitFor();
    await page.waitForFunction(() => (window as unknown as { timers: Set<number> }).timers.size === 0);
  });

  it('counts the wait before another attempt down, and says why', async () => {
    const { editor, story } = begun();
    story.ask('go').emit('model_retry', {
      attempt: 2,
      attempts: 8,
      code: 'model_overloaded',
      detail: '529',
      delayMs: 4000,
    });
    const page = await browsing.open(editor, { apart: true });
    await page.getByText('Tries again in 4 s: The provider is overloaded. (attempt 2 of 8)').waitFor();
    await page.clock.setFixedTime(NOW + 3000);
    await page.getByText('Tries again in 1 s: The provider is overloaded. (attempt 2 of 8)').waitFor();
    story.stream('Here');
    await page.getByText('Tried again, attempt 2 of 8: The provider is overloaded.').waitFor();
  });

  it('shows pictures of messages and of results (T8)', async () => {
    const { editor, story } = begun();
    const image = {
      mediaType: 'image/png',
      data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    } as const;
    story
      .ask('look', { images: [image] })
      .plan({ id: 'c1', tool: 'read', title: 'Read a.png' })
      .started('c1');
    story.done('c1', { image: 'image/png' }, { images: [image] });
    const page = await browsing.open(editor);
    await page.getByRole('img', { name: 'Attached image 1' }).waitFor();
    await page.getByRole('button', { name: /Read a.png/ }).click();
    const drawn = page.getByRole('img', { name: 'Image from Read a.png' });
    await drawn.waitFor();
    assert.equal(await drawn.evaluate((element) => (element as HTMLImageElement).naturalWidth), 1);
  });

  it('tells a screen reader once what needs the person and how it ends, and never the stream', async () => {
    const { editor, story } = begun();
    story.ask('go');
    const page = await browsing.open(editor);
    await page.getByText('Working').waitFor();
    await page.evaluate(() => {
      const region = document.querySelector('[aria-live]');
      const said: string[] = [];
      (window as unknown as { said: string[] }).said = said;
      if (region === null) throw new Error('no live region');
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes) {
          for (const node of addedNodes) said.push(node.textContent ?? '');
        }
      }).observe(region, { childList: true, subtree: true, characterData: true });
    });
    story.stream('a ').stream('b ').said('a b').asksCommand('a1', 'npm test');
    story.verdict('a1', 'allow').done('c-a1', {}).ended('completed');
    await page.getByText(/Done in/).waitFor();
    assert.equal(await page.locator('[aria-live]').count(), 1);
    assert.deepEqual(await page.evaluate(() => (window as unknown as { said: string[] }).said), [
      'Needs your approval: npm test',
      'The agent has finished.',
    ]);
  });

  it('stands still for those who want no motion', async () => {
    const { editor, story } = begun();
    story.ask('go');
    const page = await browsing.open(editor);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const animation = () =>
      page.locator('.going .spin').evaluate((icon) => getComputedStyle(icon).animationName);
    await page.locator('.going .spin').waitFor();
    assert.equal(await animation(), 'none');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    assert.equal(await animation(), 'turn');
    await page.evaluate(() => document.body.classList.add('vscode-reduce-motion'));
    assert.equal(await animation(), 'none');
  });
});
