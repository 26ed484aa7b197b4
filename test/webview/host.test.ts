/** The page and its host: what is shown when it is paused, gone, back, or behind. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Browsing } from './support/openPage';
import { inGerman } from './support/germanScenes';
import { Refusal } from './support/fakeEditor';
import { begun, withEdit, worked } from './support/sessions';
import { pause, Story } from './support/story';

describe('the page and its host', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('a pause is loud, lists what it ended and what will start, and is one click from its end (P7)', async () => {
    const { editor } = worked();
    editor.starting = [{ kind: 'turn', id: 's1t1', title: 'Fix login' }];
    editor.windows = [{ name: 'frontend', paused: true }];
    const page = await browsing.open(editor);
    await page.getByText('find out why').first().waitFor();
    assert.equal(
      await page.getByRole('button', { name: /Pause/ }).count(),
      0,
      'the title of the view has it',
    );
    pause(editor, [{ kind: 'command', id: 'c9', title: 'npm test' }]);
    const banner = page.getByRole('region', { name: 'paused' });
    await banner.getByText('Paused. Nothing starts until you resume.').waitFor();
    await banner.getByText('Stopped by the pause: 1').click();
    await banner.getByText('npm test').waitFor();
    await banner.getByText('Starts when you resume: 1').waitFor();
    await banner.getByText('Other paused windows, which resume as well: 1.').waitFor();
    assert.equal(await page.locator('.spin').count(), 0, 'nothing runs, so nothing spins');
    await button(page, 'Resume').click();
    assert.deepEqual(await editor.heard('host/resume'), [{ by: 'you from the chat' }]);
    editor.emit('host_resumed', { epoch: 5, by: 'you from the chat', pausedAt: 0 });
    await banner.waitFor({ state: 'detached' });
  });

  it('requests can be answered while paused, and say when they start (P5)', async () => {
    const { editor } = withEdit();
    pause(editor);
    const page = await browsing.open(editor);
    await page.getByText('It starts after you resume.').waitFor();
    await button(page, 'Allow').click();
    assert.equal((await editor.heard('approval/answer')).length, 1);
  });

  it('reads everything anew when it is shown again: a hidden page has lost what came (R6)', async () => {
    const { editor, story } = withEdit();
    const page = await browsing.open(editor);
    await button(page, 'Allow').waitFor();
    editor.visible = false;
    story.verdict('a1', 'allow', { call: 'c3', by: 'you from the tree' }).done('c3', { replaced: 1 });
    story.said('It is mended.').ended('completed');
    editor.visible = true;
    editor.post({ type: 'visible' });
    await page.getByText('It is mended.').waitFor();
    assert.equal(await page.getByRole('group', { name: /^Approval/ }).count(), 0);
  });

  it('notices a gap in the events by itself', async () => {
    const { editor, story } = begun();
    story.ask('go');
    const page = await browsing.open(editor);
    await page.getByText('Working').waitFor();
    editor.visible = false;
    story.said('This was lost.');
    editor.visible = true;
    story.asksCommand('a1', 'npm test');
    await page.getByText('This was lost.').waitFor();
    await page.getByRole('group', { name: 'Approval: npm test' }).waitFor();
  });

  it('keeps what it shows while the host restarts, and comes back with the same request (A6)', async () => {
    const { editor } = withEdit();
    const page = await browsing.open(editor);
    await button(page, 'Allow').waitFor();
    editor.setState({ hostState: 'restarting' });
    await page.getByText('The agent host is restarting…').waitFor();
    assert.ok(await button(page, 'Allow').isDisabled(), 'no button that leads nowhere');
    assert.equal(await page.locator('.log .spin').count(), 0, 'no spinner without a live owner (R5)');
    editor.setState({ hostState: 'ready' });
    await button(page, 'Allow').click();
    assert.equal((await editor.heard('approval/answer')).length, 1);
    assert.equal(editor.asked('events/subscribe').length, 2);
  });

  it('T1 a message whose host went before it answered goes to the next one under its id, and never twice', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    const composer = page.getByLabel('Message to the agent');
    await composer.fill('mend it');
    editor.answer('message/send', () => {
      editor.setState({ hostState: 'restarting' });
      throw new Refusal('host_failed', 'The connection was closed.');
    });
    await composer.press('Enter');
    await page.getByText('sent when the agent host runs again').waitFor();
    assert.equal(await composer.inputValue(), '', 'a draft would be a second message');
    editor.answer('message/send', () => ({}));
    editor.setState({ hostState: 'ready' });
    const [first, second] = (await editor.heard('message/send', 2)) as { clientId: string; text: string }[];
    assert.deepEqual(second, first);
    await page.getByText('sending…').waitFor({ state: 'detached' });
    assert.equal(editor.asked('message/send').length, 2);
    assert.equal(await composer.inputValue(), '');
  });

  it('T1 the same when the page hears of it before it hears that the host went', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    const composer = page.getByLabel('Message to the agent');
    await composer.fill('mend it');
    let hosts = 0;
    editor.answer('message/send', () => {
      if (++hosts > 1) return {};
      throw new Refusal('host_failed', 'The connection was closed.');
    });
    await composer.press('Enter');
    const [first, second] = await editor.heard('message/send', 2);
    assert.deepEqual(second, first);
    await page.getByText('sending…').waitFor({ state: 'detached' });
    assert.equal(await composer.inputValue(), '');
  });

  it('a message that a running host cannot take comes back with the reason', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    const composer = page.getByLabel('Message to the agent');
    await composer.fill('mend it');
    editor.answer('message/send', () => {
      throw new Refusal('host_failed', 'It broke at this message.');
    });
    await composer.press('Enter');
    await page.getByText('It broke at this message.').waitFor();
    assert.equal(await composer.inputValue(), 'mend it');
    assert.equal(editor.asked('message/send').length, 2);
  });

  it('a host that does not run is said, with the ways on', async () => {
    const { editor } = worked();
    const page = await browsing.open(editor);
    await page.getByText('Fix login').first().waitFor();
    editor.setState({ hostState: 'failed', detail: 'It ended three times in five minutes.' });
    await page.getByText('The agent host does not run: It ended three times in five minutes.').waitFor();
    await button(page, 'Restart').click();
    await button(page, 'Show log').click();
    await page.waitForFunction(() => true);
    assert.deepEqual(
      (await editor.commanded()).map((one) => one.command),
      ['restartHost', 'showLog'],
    );
  });

  it('a list that cannot be read is said, and can be tried again', async () => {
    const { editor } = worked();
    let broken = true;
    editor.answer('transcript/read', () => {
      if (broken) throw new Refusal('store_io', 'The store could not be read.');
      return { items: editor.turns, seq: editor.snapshot.seq };
    });
    const page = await browsing.open(editor);
    await page.getByText('The conversation could not be read: The store could not be read.').waitFor();
    broken = false;
    await button(page, 'Try again').click();
    await page.getByText('Read test/login.test.ts').waitFor();
  });

  it('restricted mode can deny and read, and nothing else (A11)', async () => {
    const { editor } = withEdit();
    editor.state = { ...editor.state, trusted: false };
    const page = await browsing.open(editor);
    await page.getByText('Restricted mode').waitFor();
    await button(page, 'Deny…').click();
    await page.getByLabel('Why not?').press('Enter');
    assert.equal((await editor.heard('approval/answer')).length, 1);
    await page.getByLabel('Message to the agent').fill('do it');
    assert.ok(await button(page, 'Steer').isDisabled());
    await button(page, 'Manage trust').click();
    assert.equal((await editor.commanded())[0]?.command, 'manageTrust');
  });

  it('every end of a turn says what happened and offers the next step', async () => {
    const { editor, story } = begun();
    const page = await browsing.open(editor);
    story.ask('go').ended('failed', 'model_key_missing', 'Provider “local” has no key.');
    await page.getByText('The model needs a key.', { exact: true }).first().waitFor();
    await button(page, 'Set key').click();
    assert.deepEqual(await editor.commanded(), [
      { type: 'command', command: 'setKey', args: { provider: 'local' } },
    ]);
    await button(page, 'Retry').click();
    await editor.heard('turn/continue', 1);
    story.ask('again').ended('interrupted', 'host_lost');
    await page.getByText('The agent host went away while this ran.').waitFor();
    assert.equal(await button(page, 'Retry').count(), 0, 'only the newest turn offers a way on');
    await button(page, 'Continue').click();
    assert.deepEqual(
      await editor.heard('turn/continue', 2),
      Array(2).fill({ session: 's1', by: 'you from the chat' }),
    );
  });

  it('a session that is shown and deleted elsewhere is said to be gone', async () => {
    const { editor, story } = worked();
    editor.answer('session/get', () => {
      throw new Refusal('session_unknown', 'There is no such session.');
    });
    const page = await browsing.open(editor);
    await page.getByText('Read test/login.test.ts').waitFor();
    story.emit('session_deleted', {});
    await page.getByText('This session was deleted.').waitFor();
    await page.getByLabel('Message to the agent').fill('hello?');
    assert.ok(await button(page, 'Send').isDisabled());
    await page.getByRole('button', { name: 'Session: New session' }).click();
    await page.getByRole('menuitem', { name: 'New session' }).click();
    await page.getByText('What should the agent do?').waitFor();
  });

  it('says that other sessions wait, and leads to them', async () => {
    const { editor } = begun();
    const other = new Story(editor, 's2').begin('Add tests');
    const page = await browsing.open(editor);
    await page.getByText('What should the agent do?').waitFor();
    other.ask('go').asksCommand('a9', 'npm install');
    await page.getByRole('button', { name: /Waiting in other sessions: 1/ }).click();
    await page.getByRole('menuitemradio', { name: /Add tests.*needs you/ }).click();
    await page.getByRole('group', { name: 'Approval: npm install' }).waitFor();
    assert.equal(editor.opened.at(-1), 's2');
  });

  it('takes its texts from the editor’s language', async () => {
    const { editor } = begun();
    editor.state = { ...editor.state, strings: { 'composer.send': 'Senden' } };
    const page = await browsing.open(editor);
    await button(page, 'Senden').waitFor();
  });

  it('shows what the host says, numbers and times in the language of the page', async () => {
    const { editor, story } = worked();
    const page = await browsing.open(inGerman(editor));
    await page.evaluate(() => (document.documentElement.lang = 'de'));
    story.asksCommand('a2', 'npm test');
    const request = page.getByRole('group', { name: /npm test/ });
    await request.getByText('Keine Regel erlaubt diesen Befehl.').waitFor();
    editor.answer('approval/answer', () => {
      throw new Refusal('session_unknown', 'This session does not exist (any more).');
    });
    await request.getByRole('button', { name: 'Zulassen', exact: true }).click();
    await page.getByText('Diese Sitzung gibt es nicht (mehr).').first().waitFor();
    const failure =
      '"local" cannot be reached at http://127.0.0.1:1. Check the network and that it runs. (refused)';
    story.ended('failed', 'model_unreachable', failure);
    const told =
      '„local“ ist unter http://127.0.0.1:1 nicht erreichbar. Prüfen Sie das Netzwerk, und ob es läuft. (refused)';
    await page.getByText(told).waitFor();
    await page.getByText('0,04\u00a0$').first().waitFor();
  });
});
