/** A command is changed before it is allowed: in its place, by the person's keys, and judged as it is written. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Browsing } from './support/openPage';
import { NOW, type FakeEditor } from './support/fakeEditor';
import { begun } from './support/sessions';

const NPM_TSET = { kind: 'command', command: 'npm tset', folder: '/w/shop' } as const;

describe('a command that is changed', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const card = (page: Page, title: string) => page.getByRole('group', { name: `Approval: ${title}` });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const verdicts = (editor: FakeEditor) => editor.asked('approval/answer') as Record<string, unknown>[];

  it('A3 Edit… opens the command in place; what is allowed is what stands there, and no key decides while writing', async () => {
    const { editor, story } = begun();
    const args = { command: 'npm tset', timeout_ms: 5 };
    story.ask('go').asks('a1', { title: 'npm tset', args, editable: true, preview: NPM_TSET });
    editor.answer('rule/explain', ({ args: judged }) => ({
      decision: 'ask',
      why: `\`${(judged as { command: string }).command}\`: no rule allows this command.`,
      offers: ['`npm test` exactly', '`npm test` exactly'],
      parts: [],
    }));
    editor.answer('approval/answer', ({ approval }) => {
      story.verdict(approval, 'allow');
      return { approval, decision: 'allow', by: 'you', at: editor.at };
    });
    const page = await browsing.open(editor);
    const field = page.getByLabel('The command that will run');
    await button(page, 'Edit…').and(page.locator(':enabled')).press('Enter');
    await field.and(page.locator(':focus')).waitFor();
    assert.equal(await field.inputValue(), 'npm tset');
    await field.fill('npm test');
    await field.press('Escape');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Edit…');
    await page.keyboard.press('Enter');
    assert.equal(await field.inputValue(), 'npm test', 'what was written is not lost');
    await page.getByText('npm test: no rule allows this command.').waitFor();
    assert.deepEqual(editor.asked('rule/explain').at(-1), {
      session: 's1',
      tool: 'shell',
      args: { command: 'npm test', timeout_ms: 5 },
    });
    await field.press('Enter');
    assert.equal(await field.inputValue(), 'npm test\n');
    assert.equal(verdicts(editor).length, 0);
    await field.press('Backspace');
    await button(page, 'More ways to allow').click();
    await page.getByRole('menuitem', { name: 'Allow in this workspace: npm test exactly' }).click();
    await field.waitFor({ state: 'detached' });
    assert.deepEqual(verdicts(editor), [
      {
        approval: 'a1',
        request: 1,
        decision: 'allow',
        scope: 'workspace',
        by: 'you from the chat',
        command: 'npm test',
      },
    ]);
  });

  it('A7 a changed command that a rule denies cannot be allowed, and says why; Ctrl+Enter allows one that may run', async () => {
    const { editor, story } = begun();
    story.ask('go').asks('a1', { title: 'npm tset', editable: true, preview: NPM_TSET });
    editor.answer('rule/explain', ({ args }) => {
      const isDenied = (args as { command: string }).command.startsWith('rm');
      const why = isDenied ? 'A rule denies it: rm.' : 'No rule allows this command.';
      return { decision: isDenied ? 'deny' : 'ask', why, offers: [], parts: [] };
    });
    const page = await browsing.open(editor);
    const field = page.getByLabel('The command that will run');
    await button(page, 'Edit…').click();
    await field.fill('rm -rf a');
    await page.getByText('A rule denies it: rm.').waitFor();
    assert.ok(await button(page, 'Allow this').isDisabled());
    await field.press('Control+Enter');
    assert.equal(verdicts(editor).length, 0);
    await field.fill('ls');
    await page.getByText('No rule allows this command.').waitFor();
    await field.press('Control+Enter');
    const [sent] = (await editor.heard('approval/answer')) as { command: string; scope: string }[];
    assert.deepEqual([sent?.command, sent?.scope], ['ls', 'once']);
  });

  it('A3 a round with a change that is not decided is not allowed as a whole, and says why', async () => {
    const { editor, story } = begun();
    editor.answer('rule/explain', () => ({ decision: 'ask', why: 'No rule.', offers: [], parts: [] }));
    story.ask('go').asksCommand('a1', 'npm tset', { editable: true });
    story.asksCommand('a2', 'npm run build');
    const page = await browsing.open(editor);
    await button(page, 'Edit…').click();
    const field = page.getByLabel('The command that will run');
    await field.fill('npm test');
    await field.press('Escape');
    await button(page, 'Show all 2 of this round').click();
    await page.locator('.round[data-settled="yes"]').waitFor();
    await page.getByText('You have begun to change “npm tset”: decide that one by itself.').waitFor();
    assert.ok(await button(page, 'Allow all 2 of this round').isDisabled());
    await button(page, 'Show one at a time').click();
    await button(page, 'Edit…').click();
    await field.fill('npm tset');
    await field.press('Escape');
    await button(page, 'Show all 2 of this round').click();
    await page.locator('button:enabled', { hasText: 'Allow all 2 of this round' }).waitFor();
  });

  it('A3 a change that was begun for a command is not put before another one that has its number by now', async () => {
    const { editor, story } = begun();
    editor.answer('rule/explain', () => ({ decision: 'ask', why: 'No rule.', offers: [], parts: [] }));
    story.ask('go').asks('a1', { title: 'npm tset', editable: true, preview: NPM_TSET });
    // What a page has kept from before its store was set aside, which begins the numbers again.
    editor.written = {
      texts: { at: NOW, replies: { 'command a1': 'rm -r a', 'command a1 rm -r b': 'rm -r a' } },
    };
    const page = await browsing.open(editor);
    await button(page, 'Edit…').click();
    const field = page.getByLabel('The command that will run');
    assert.equal(await field.inputValue(), 'npm tset');
  });

  it('A4 a call that went back to what the agent asked for is shown as not changed', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'npm tset');
    const verdict = { id: 'a1' as never, call_id: 'c-a1' as never, decision: 'allow', by: 'you' } as const;
    const edit = (to: string) => ({ from: 'npm tset', to, title: to, args: { command: to } });
    story.emit('approval_answered', { ...verdict, request: 1, edited: edit('npm test') });
    story.emit('approval_answered', { ...verdict, request: 2, edited: edit('npm tset') });
    const page = await browsing.open(editor);
    await page.getByRole('button', { name: /^npm tset/ }).click();
    await page.getByText('you').first().waitFor();
    assert.equal(await page.getByText('Changed before it was allowed').count(), 0);
  });

  it('A3 Edit… is there only where the host takes a change, and a changed call shows both texts', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'npm tset');
    const page = await browsing.open(editor);
    await card(page, 'npm tset').waitFor();
    assert.equal(await button(page, 'Edit…').count(), 0);
    story.emit('approval_answered', {
      id: 'a1' as never,
      request: 1,
      call_id: 'c-a1' as never,
      decision: 'allow',
      by: 'you from the chat',
      edited: { from: 'npm tset', to: 'npm test', title: 'npm test', args: { command: 'npm test' } },
    });
    await page.getByRole('button', { name: /^npm test/ }).click();
    await page.getByText('Changed before it was allowed. The agent asked for: npm tset').waitFor();
  });
});
