/** What the person has written is never lost, whatever the host does meanwhile (principle 4 of the design). */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Browsing } from './support/openPage';
import { NOW, Refusal, type FakeEditor } from './support/fakeEditor';
import { PIXEL } from './support/acts';
import { begun } from './support/sessions';

describe('what the person has written', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const composer = (page: Page) => page.getByLabel('Message to the agent');
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const chips = (page: Page) => page.locator('.chip');
  /** The page as it is while its lists are still read; the second function lets them come. */
  const opening = async (editor: FakeEditor) => {
    const release = editor.hold('events/subscribe');
    const page = await browsing.open(editor);
    await editor.heard('events/subscribe');
    return { page, release };
  };

  it('and what was attached stay with the shown session while its lists are still read', async () => {
    const { editor } = begun();
    const { page, release } = await opening(editor);
    editor.post({ type: 'attach', context: [{ kind: 'file', path: '/w/shop/src/a.ts' }] });
    await chips(page).waitFor();
    await composer(page).fill('look at');
    release();
    await page.getByText('Fix login').first().waitFor();
    assert.equal(await chips(page).count(), 1);
    assert.equal(await composer(page).inputValue(), 'look at');
  });

  it('goes to the shown session, and to no new one, when it is sent before the lists are there', async () => {
    const { editor } = begun();
    const { page, release } = await opening(editor);
    await composer(page).fill('go on');
    await composer(page).press('Enter');
    release();
    const [sent] = (await editor.heard('message/send')) as { session: string; text: string }[];
    assert.deepEqual([sent?.session, sent?.text], ['s1', 'go on']);
    assert.equal(editor.asked('session/create').length, 0);
  });

  it('while a new session is being made belongs to that session', async () => {
    const { editor } = begun();
    editor.state = { ...editor.state, session: undefined } as never;
    editor.answer('session/create', () => ({ session: editor.snapshot.sessions[0] }));
    const release = editor.hold('session/create');
    const page = await browsing.open(editor);
    await composer(page).fill('first');
    await composer(page).press('Enter');
    await editor.heard('session/create');
    await composer(page).fill('and then');
    release();
    await editor.heard('message/send');
    await page.getByText('Fix login').first().waitFor();
    assert.equal(await composer(page).inputValue(), 'and then');
  });

  it('two selections of one terminal are two things that are attached, one selection is one', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    for (const text of ['error one', 'error two', 'error one'])
      editor.post({ type: 'attach', context: [{ kind: 'terminal', path: 'bash', text }] });
    editor.post({ type: 'attach', context: [{ kind: 'file', path: '/w/shop/last.ts' }] });
    await page.getByText('last.ts').waitFor();
    assert.equal(await chips(page).count(), 3);
  });

  it('stays when the window is reloaded right after it was typed: draft, picture, reason and answer', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'npm test').question('q1', 'Which db?');
    const page = await browsing.open(editor, { loses: true });
    const reloaded = async () => {
      await page.evaluate(() => localStorage.clear());
      await page.reload();
      await page.locator('.request[data-settled="yes"]').waitFor();
    };
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') });
    await chips(page).waitFor();
    await composer(page).pressSequentially('half a tho');
    await reloaded();
    assert.equal(await composer(page).inputValue(), 'half a tho');
    assert.equal(await chips(page).count(), 1);
    await button(page, 'Deny…').click();
    await page.getByLabel('Why not?').pressSequentially('not n');
    await reloaded();
    await button(page, 'Deny…').click();
    assert.equal(await page.getByLabel('Why not?').inputValue(), 'not n');
    await page.getByLabel('Why not?').press('Escape');
    await button(page, 'Next request').click();
    await page.getByLabel('Your answer…').pressSequentially('post');
    await reloaded();
    await button(page, 'Next request').click();
    assert.equal(await page.getByLabel('Your answer…').inputValue(), 'post');
    await composer(page).press('Enter');
    await editor.heard('message/send');
    await page.locator('.chip').waitFor({ state: 'detached' });
    await reloaded();
    assert.equal(await composer(page).inputValue(), '', 'what was sent does not come back');
    assert.equal(await chips(page).count(), 0);
  });

  it('stays when the window ends before the last keys have reached the extension', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor, { loses: true });
    await composer(page).pressSequentially('first tell ');
    editor.hearsKeys = false;
    await composer(page).pressSequentially('me wh');
    await page.reload();
    await page.getByText('Fix login').first().waitFor();
    assert.equal(await composer(page).inputValue(), 'first tell me wh');
    editor.hearsKeys = true;
    await composer(page).press('Enter');
    await editor.heard('message/send');
    await page.reload();
    await page.getByText('Fix login').first().waitFor();
    assert.equal(await composer(page).inputValue(), '', 'what was sent does not come back');
    assert.equal(editor.asked('message/send').length, 1);
  });

  it('of the extension counts where it is newer than what the browser has kept', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor, { loses: true });
    await composer(page).fill('here');
    const [{ at, drafts }] = [editor.written.texts as { at: number; drafts: Record<string, object> }];
    editor.written = { texts: { at: at + 1, drafts: { ...drafts, s1: { text: 'from the disk' } } } };
    await page.reload();
    await page.getByText('Fix login').first().waitFor();
    assert.equal(await composer(page).inputValue(), 'from the disk');
  });

  it('R6 is kept under an id that no other page has and that stays over reloads', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    await page.getByText('Fix login').first().waitFor();
    await page.reload();
    await page.getByText('Fix login').first().waitFor();
    const other = begun().editor;
    await browsing.open(other);
    const [first, second] = editor.pages;
    assert.ok(first !== undefined && first === second && other.pages[0] !== first);
  });

  it('R10 costs no copy of a picture with each key, not of one that is on its way either', async () => {
    const { editor } = begun();
    editor.hold('message/send');
    const page = await browsing.open(editor, { loses: true });
    const picture = Buffer.from(PIXEL, 'base64');
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: picture });
    await chips(page).waitFor();
    await composer(page).fill('with a picture');
    await composer(page).press('Enter');
    await editor.heard('message/send');
    const before = editor.writings.length;
    await composer(page).pressSequentially('and then');
    const keys = JSON.stringify(editor.writings.slice(before));
    assert.ok(keys.includes('and then') && !keys.includes(PIXEL), keys);
    await page.reload();
    await page.locator('.message.unread img').waitFor();
    const [, again] = (await editor.heard('message/send', 2)) as { images: unknown[] }[];
    assert.equal(again?.images.length, 1, 'it goes again with its picture');
  });

  it('R9 on its way without its pictures, after a crash between two writes, goes back to the composer', async () => {
    const { editor } = begun();
    const message = { clientId: 'c1', session: 's1', delivery: 'steer', draft: { text: 'see' }, images: 1 };
    editor.written = { texts: { at: NOW, outgoing: [message] } };
    const page = await browsing.open(editor);
    await page.getByText('Fix login').first().waitFor();
    assert.equal(await composer(page).inputValue(), 'see');
    assert.equal(editor.asked('message/send').length, 0);
  });

  it('R10 for a request that has ended or a session that is deleted is kept no longer', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'npm test');
    const page = await browsing.open(editor);
    await composer(page).fill('half a tho');
    await button(page, 'Deny…').click();
    await page.getByLabel('Why not?').fill('not now');
    const kept = () => JSON.stringify(editor.written.texts);
    assert.ok(kept().includes('not now') && kept().includes('half a tho'), kept());
    story.verdict('a1', 'allow');
    await page.getByLabel('Why not?').waitFor({ state: 'detached' });
    assert.ok(!kept().includes('not now') && kept().includes('half a tho'), kept());
    story.emit('session_deleted', {});
    await page.getByText('Fix login').first().waitFor({ state: 'detached' });
    assert.ok(!kept().includes('half a tho'), kept());
  });

  it('while the editor has not said yet what it kept is put aside for nothing', async () => {
    const { editor } = begun();
    editor.written = { texts: { at: 1, drafts: { s1: { text: 'kept' }, s2: { text: 'other' } } } };
    editor.kept = { session: 's1' };
    const state = editor.holdState();
    const page = await browsing.open(editor);
    await composer(page).fill('new words');
    state();
    await page.getByText('Fix login').first().waitFor();
    assert.equal(await composer(page).inputValue(), 'new words');
    const { drafts } = editor.written.texts as { drafts: Record<string, { text: string }> };
    assert.equal(drafts['s2']?.text, 'other');
  });

  it('T10 an unread message says that its turn was broken off only where it was, and where it can be continued', async () => {
    const { editor, story } = begun();
    story.ask('go').said('I begin.');
    story.send('for later', { delivery: 'queue' });
    const lost = begun();
    lost.story.ask('go').send('and this', { delivery: 'queue' });
    lost.story.ended('interrupted', 'host_lost');
    const kept = /not read: the turn was broken off/;
    const broken = await browsing.open(lost.editor);
    await broken.getByText(kept).waitFor();
    lost.editor.setState({ trusted: false });
    await broken.getByText(kept).waitFor({ state: 'detached' });
    await broken.getByText('queued', { exact: true }).waitFor();
    const page = await browsing.open(editor);
    story.ended('completed');
    await page.locator('.message.unread').waitFor();
    assert.equal(await page.getByText(kept).count(), 0, 'it is read in a moment');
  });

  it('R9 over a queued message goes to the composer when the message was read meanwhile', async () => {
    const { editor, story } = begun();
    const id = story.ask('go').send('queued one', { delivery: 'queue' });
    const page = await browsing.open(editor);
    await button(page, 'Edit').click();
    await page.getByLabel('Text of the message').fill('a long careful rewrite');
    await page.reload();
    assert.equal(await page.getByLabel('Text of the message').inputValue(), 'a long careful rewrite');
    story.read(id, 'queued one');
    await page.getByLabel('Text of the message').waitFor({ state: 'detached' });
    assert.equal(await composer(page).inputValue(), 'a long careful rewrite');
  });

  it('R9 over a queued message goes to the composer when the host refuses the edit', async () => {
    const { editor, story } = begun();
    story.ask('go').send('queued one', { delivery: 'queue' });
    editor.answer('message/edit', () => {
      throw new Refusal('message_read', 'The agent has read it already.');
    });
    const page = await browsing.open(editor);
    await button(page, 'Edit').click();
    await page.getByLabel('Text of the message').fill('a long careful rewrite');
    await button(page, 'Save').click();
    await page.getByText('The agent has read it already.').waitFor();
    assert.equal(await composer(page).inputValue(), 'a long careful rewrite');
  });

  it('and chosen in a form of several questions stays while another request is looked at', async () => {
    const { editor, story } = begun();
    const questions = [{ question: 'Which db?', choices: ['pg', 'my'] }, { question: 'Why?' }];
    story.ask('go').question('q1', 'Which db?', [], { args: { questions } }).question('q2', 'Another?');
    const page = await browsing.open(editor);
    const why = page.getByRole('group', { name: 'Why?' }).getByRole('textbox');
    await page.getByLabel('pg').check();
    await why.fill('because it is there');
    await button(page, 'Next request').click();
    await page.getByText('Another?').first().waitFor();
    await button(page, 'Previous request').click();
    assert.equal(await why.inputValue(), 'because it is there');
    assert.ok(await page.getByLabel('pg').isChecked());
  });

  it('for a question whose number a form has by now is left alone, and the form is shown', async () => {
    const { editor, story } = begun();
    story.ask('go').question('q1', 'Why?');
    const page = await browsing.open(editor);
    await page.getByLabel('Your answer…').fill('because');
    const form = { fields: [{ kind: 'text', name: 'n', title: 'Name', required: true }] };
    // A store that was set aside begins its numbers again.
    editor.snapshot = { ...editor.snapshot, needs: [] };
    story.question('q1', 'Who?', [], { tool: 'elicit', args: { question: 'Who?', server: 'github', form } });
    await page.getByLabel('Name').fill('Ada');
    assert.equal(await page.getByLabel('Name').inputValue(), 'Ada');
  });

  it('Show brings the request to the front also on a page that is just opening', async () => {
    const { editor, story } = begun();
    story.ask('go').asksCommand('a1', 'npm one').asksCommand('a2', 'npm two');
    const { page, release } = await opening(editor);
    editor.post({ type: 'focus', target: 'request', need: 'a2' });
    editor.post({ type: 'attach', context: [{ kind: 'file', path: '/w/shop/last.ts' }] });
    await page.getByText('last.ts').waitFor();
    release();
    await page.getByText('2 of 2').waitFor();
  });

  it('R11 a session is deleted only when the host says so, and is looked for again when the host is back', async () => {
    const { editor } = begun();
    const [session] = editor.snapshot.sessions;
    editor.snapshot = { ...editor.snapshot, sessions: [] };
    editor.answer('session/get', () => {
      throw new Refusal('host_failed', 'The host went.');
    });
    const page = await browsing.open(editor);
    await editor.heard('session/get');
    editor.setState({ hostState: 'restarting' });
    await page.getByText('starting').first().waitFor();
    assert.equal(await page.getByText('was deleted').count(), 0);
    editor.answer('session/get', () => ({ session }));
    editor.setState({ hostState: 'ready' });
    await page.getByText('Fix login').first().waitFor();
    editor.answer('session/get', () => {
      throw new Refusal('session_unknown', 'There is no such session.');
    });
    await page.reload();
    await page.getByText('was deleted').waitFor();
  });
});
