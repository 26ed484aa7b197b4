/** The composer is the person's: what is written is never lost, and every message shows what becomes of it. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { Browsing } from './support/openPage';
import { FakeEditor, Refusal } from './support/fakeEditor';
import { begun } from './support/sessions';
import { Story } from './support/story';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('the composer', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const field = (page: Page) => page.getByLabel('Message to the agent');
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const sent = (editor: FakeEditor) => editor.asked('message/send') as Record<string, unknown>[];

  it('sends to an idle session with Enter; Shift and Enter begin a line', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    await field(page).click();
    await page.keyboard.type('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('textarea')?.value === '');
    assert.equal(sent(editor)[0]?.['text'], 'one\ntwo');
    assert.equal(sent(editor)[0]?.['session'], 's1');
  });

  it('makes a session with the chosen model and mode when there is none', async () => {
    const editor = new FakeEditor();
    const story = new Story(editor);
    editor.answer('session/create', () => {
      story.begin('');
      return { session: editor.snapshot.sessions[0] };
    });
    const page = await browsing.open(editor);
    await button(page, 'Model: M1').click();
    await page.getByRole('menuitemradio', { name: /Rehearsal/ }).click();
    await button(page, 'Mode: Ask').click();
    await page.getByRole('menuitemradio', { name: /Edits/ }).click();
    await page.getByRole('button', { name: /The cart total test fails/ }).click();
    assert.equal(await field(page).inputValue(), 'The cart total test fails, find out why and mend it');
    await button(page, 'Send').click();
    await page.getByText('New session').waitFor();
    await page.waitForFunction(() => document.querySelector('textarea')?.value === '');
    assert.deepEqual(editor.asked('session/create'), [
      { folder: '/w/shop', agent: { kind: 'model', model: 'rehearsal/rehearsal' }, mode: 'edits' },
    ]);
    assert.equal(sent(editor)[0]?.['session'], 's1');
  });

  it('gives the text back, with the reason, when the message was refused', async () => {
    const { editor } = begun();
    editor.answer('message/send', () => {
      throw new Refusal('store_full', 'The disk is full.');
    });
    const page = await browsing.open(editor);
    await field(page).fill('do it');
    await button(page, 'Send').click();
    await page.getByText('Not sent: The disk is full. Your text is still here.').waitFor();
    assert.equal(await field(page).inputValue(), 'do it');
  });

  it('keeps a draft for each session, over a switch and over a reload', async () => {
    const { editor } = begun();
    new Story(editor, 's2').begin('Add tests');
    const page = await browsing.open(editor);
    await field(page).fill('for the login');
    editor.post({ type: 'show', session: 's2' as never });
    await page.getByRole('heading', { name: 'Add tests' }).waitFor();
    assert.equal(await field(page).inputValue(), '');
    await field(page).fill('for the tests');
    await page.reload();
    await page.getByRole('heading', { name: 'Add tests' }).waitFor();
    assert.equal(await field(page).inputValue(), 'for the tests');
    editor.post({ type: 'show', session: 's1' as never });
    await page.getByRole('heading', { name: 'Fix login' }).waitFor();
    assert.equal(await field(page).inputValue(), 'for the login');
  });

  it('after a crash the session is shown that the extension has on disk, not the one that was kept a second before', async () => {
    const { editor } = begun();
    new Story(editor, 's2').begin('Add tests');
    const page = await browsing.open(editor);
    await page.getByRole('heading', { name: 'Fix login' }).waitFor();
    editor.state = { ...editor.state, session: 's2' as never };
    await page.reload();
    await page.getByRole('heading', { name: 'Add tests' }).waitFor();
  });

  it('a message that was on its way at a reload is sent again under the same id (T1)', async () => {
    const { editor } = begun();
    editor.hold('message/send');
    const page = await browsing.open(editor);
    await field(page).fill('do it');
    await button(page, 'Send').click();
    await page.getByText('sending…').waitFor();
    await page.reload();
    await page.getByText('sending…').waitFor();
    const [first, second] = await editor.heard('message/send', 2);
    assert.deepEqual(second, first);
  });

  it('says what a message will do before it is sent, and sends it so', async () => {
    const { editor, story } = begun();
    story.ask('go').plan({ id: 'c1', tool: 'shell', title: 'npm test' }).started('c1');
    const page = await browsing.open(editor);
    await page.getByText('Reads it now; the running command goes on in the background.').waitFor();
    await button(page, 'How it is delivered: Steer').click();
    await page.getByRole('menuitemradio', { name: /Queue/ }).click();
    await page.getByText('Becomes the next turn, after this one.').waitFor();
    await field(page).fill('then this');
    await button(page, 'Queue').click();
    await page.waitForFunction(() => document.querySelector('textarea')?.value === '');
    await field(page).fill('but first that');
    await field(page).press('Alt+Enter');
    await page.waitForFunction(() => document.querySelector('textarea')?.value === '');
    assert.deepEqual(
      sent(editor).map((message) => message['delivery']),
      ['queue', 'steer'],
    );
  });

  it('unread messages show their state until they are read, and at which step (T4)', async () => {
    const { editor, story } = begun();
    story.ask('go').said('I begin.');
    const page = await browsing.open(editor);
    const id = story.send('wait a moment');
    await page.getByText('waiting to be read').waitFor();
    story.read(id, 'wait a moment');
    await page.getByText('read at step 1').waitFor();
    assert.equal(await page.getByText('waiting to be read').count(), 0);
  });

  it('queued messages can be edited, moved and removed until they are read (T3)', async () => {
    const { editor, story } = begun();
    story.ask('go');
    const first = story.send('first', { delivery: 'queue' });
    const second = story.send('second', { delivery: 'queue' });
    const page = await browsing.open(editor);
    await button(page, 'Move down').click();
    await button(page, 'Edit').first().click();
    await page.getByLabel('Text of the message').fill('first, better');
    await page.keyboard.press('Enter');
    await button(page, 'Remove').last().click();
    await page.waitForFunction(() => document.querySelector('.edit') === null);
    assert.deepEqual(editor.asked('message/reorder'), [{ session: 's1', order: [second, first] }]);
    assert.deepEqual(editor.asked('message/edit'), [{ message: first, text: 'first, better' }]);
    assert.deepEqual(editor.asked('message/remove'), [{ message: second }]);
  });

  it('a message that was read meanwhile cannot be removed, and the page says so', async () => {
    const { editor, story } = begun();
    story.ask('go');
    story.send('first', { delivery: 'queue' });
    editor.answer('message/remove', () => {
      throw new Refusal('message_read_already', 'The agent has read it already.');
    });
    const page = await browsing.open(editor);
    await button(page, 'Remove').click();
    await page.getByText('The agent has read it already.').waitFor();
  });

  it('stops the turn that it shows, once', async () => {
    const { editor, story } = begun();
    story.ask('go');
    editor.hold('turn/interrupt');
    const page = await browsing.open(editor);
    await button(page, 'Stop this turn').click();
    await button(page, 'Stopping…').waitFor();
    assert.deepEqual(editor.asked('turn/interrupt'), [
      { session: 's1', turn: 's1t1', by: 'you from the chat' },
    ]);
    story.ended('interrupted', 'cancelled');
    await page.getByText('Stopped by you. What had run stays done.').waitFor();
    await button(page, 'Send').waitFor();
  });

  it('takes pictures from the clipboard and what the editor attaches, and sends them along (T8)', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    await field(page).evaluate((element, data) => {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], 'pixel.png', { type: 'image/png' }));
      element.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }),
      );
    }, PIXEL);
    await page.getByRole('img', { name: 'Attached image 1' }).waitFor();
    await button(page, 'Attach files, the selection or problems').click();
    editor.post({
      type: 'attach',
      context: [{ kind: 'selection', path: '/w/shop/src/a.ts', range: [3, 9] }],
    });
    await page.getByText('a.ts:3-9').waitFor();
    await field(page).fill('what is this?');
    await button(page, 'Send').click();
    await page.getByText('a.ts:3-9').waitFor({ state: 'detached' });
    assert.deepEqual(editor.commands[0], {
      type: 'command',
      command: 'pickContext',
      args: { session: 's1' },
    });
    const { images, context } = sent(editor)[0] ?? {};
    assert.deepEqual(images, [{ mediaType: 'image/png', data: PIXEL }]);
    assert.deepEqual(context, [{ kind: 'selection', path: '/w/shop/src/a.ts', range: [3, 9] }]);
  });

  it('an @ finds files and folders by name, and attaches the one that is chosen with the keys', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    await field(page).pressSequentially('see @log');
    await page.waitForFunction(() => true);
    while (!editor.commands.some(({ command, args }) => command === 'findFiles' && args.query === 'log'))
      await page.waitForFunction(() => true);
    editor.post({
      type: 'files',
      query: 'log',
      items: [
        { path: '/w/shop/login', name: 'login/', folder: true },
        { path: '/w/shop/src/login.ts', name: 'src/login.ts', folder: false },
      ],
    });
    await page.getByRole('option', { name: 'login/' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'src/login.ts', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await field(page).inputValue(), 'see ');
    assert.equal(editor.asked('message/send').length, 0, 'Enter was for the list');
    await page.keyboard.type('now');
    await page.keyboard.press('Enter');
    const [sent] = await editor.heard('message/send');
    assert.deepEqual(
      [(sent as { text: string }).text, (sent as { context: unknown }).context],
      ['see now', [{ kind: 'file', path: '/w/shop/src/login.ts' }]],
    );
  });

  it('arrow up brings back what was said before, and never replaces what is being written', async () => {
    const { editor, story } = begun();
    story.ask('first').said('ok').ended('completed').ask('second').said('ok').ended('completed');
    const page = await browsing.open(editor);
    await page.getByText('second').waitFor();
    await field(page).focus();
    await page.keyboard.press('ArrowUp');
    assert.equal(await field(page).inputValue(), 'second');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    assert.equal(await field(page).inputValue(), 'first', 'the oldest stays');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(await field(page).inputValue(), '');
    await page.keyboard.type('mine');
    await page.keyboard.press('ArrowUp');
    assert.equal(await field(page).inputValue(), 'mine');
  });

  it('the last message can be edited and sent again; a draft stays', async () => {
    const { editor, story } = begun();
    const context = [{ kind: 'file', path: '/w/shop/a.ts' }] as const;
    story
      .ask('first')
      .said('ok')
      .ended('completed')
      .ask('second', { context: [...context] });
    story.said('ok').ended('completed');
    const page = await browsing.open(editor);
    await page.getByText('second').waitFor();
    await field(page).fill('draft');
    assert.equal(await button(page, 'Edit and send again').count(), 1);
    await button(page, 'Edit and send again').click();
    await page.waitForFunction(() => document.querySelector('textarea')?.value === 'draft\nsecond');
    await page.waitForFunction(() => document.activeElement === document.querySelector('textarea'));
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    const [sent] = await editor.heard('message/send');
    assert.deepEqual((sent as { context: unknown }).context, context);
  });

  it('files that are dropped from the editor are attached by their addresses', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    await field(page).evaluate((element) => {
      const data = new DataTransfer();
      data.setData('text/uri-list', 'file:///w/shop/a.ts\r\nhttps://example.org/x');
      element.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    assert.deepEqual(
      (await editor.commanded()).map(({ args }) => args),
      [{ addresses: ['file:///w/shop/a.ts'] }],
    );
  });

  it('a text from elsewhere is added to the draft and takes nothing away', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    await field(page).fill('mine');
    editor.post({ type: 'draft', text: 'theirs' });
    await page.waitForFunction(() => document.querySelector('textarea')?.value === 'mine\ntheirs');
    assert.ok(await field(page).evaluate((element) => element === document.activeElement));
  });

  it('changes the model and the mode of a session, and asks for a key that is missing', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    await button(page, 'Mode: Ask').press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await button(page, 'Model: M1').click();
    await page.keyboard.press('l');
    await page.keyboard.press('Enter');
    await button(page, 'Model: M1').click();
    await page.keyboard.press('Escape');
    assert.ok(await button(page, 'Model: M1').evaluate((element) => element === document.activeElement));
    assert.deepEqual(editor.asked('session/update'), [{ session: 's1', mode: 'edits' }]);
    assert.deepEqual(editor.commands, [{ type: 'command', command: 'setKey', args: { provider: 'big' } }]);
  });

  it('R10 shows the first models of a provider that lists many, and all of them in a list to search', async () => {
    const { editor } = begun();
    const many = Array.from({ length: 40 }, (_one, n) => `x${String(n)}`);
    editor.models = [
      ...editor.models,
      ...many.map((id) => ({ id: `many/${id}`, name: id, provider: 'many', ready: true })),
    ];
    const page = await browsing.open(editor);
    await editor.heard('model/list', 2);
    assert.deepEqual(editor.asked('model/list'), [{}, { look: true }]);
    await button(page, 'Model: M1').click();
    await page.getByRole('menuitem', { name: /All \d+ models/ }).click();
    await editor.commanded();
    assert.deepEqual(editor.commands, [{ type: 'command', command: 'allModels', args: { session: 's1' } }]);
  });

  it('M1 lets the model be chosen whose key was entered meanwhile', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    await button(page, 'Model: M1').click();
    await page.getByRole('menuitemradio', { name: /Large.*needs a key/ }).click();
    await editor.commanded();
    editor.models = editor.models.map((model) => ({ ...model, ready: true }));
    editor.setState({});
    await editor.heard('model/list', 4);
    await button(page, 'Model: M1').click();
    await page.getByRole('menuitemradio', { name: /Large/ }).click();
    await editor.heard('session/update');
    assert.deepEqual(editor.asked('session/update'), [
      { session: 's1', agent: { kind: 'model', model: 'big/large' } },
    ]);
  });
});
