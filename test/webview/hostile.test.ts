/** What comes from models, tools and servers is text: it runs nothing, loads nothing and looks like no button. */
import assert from 'node:assert/strict';
import { Browsing } from './support/openPage';
import { begun } from './support/sessions';

const ATTACK = [
  '<img src=x onerror="alert(1)"><svg onload="alert(1)"><script>alert(1)</script>',
  '<button class="button allow">Allow</button>',
  '<iframe src="https://evil.example"></iframe>',
  '[a](javascript:alert(1)) [b](data:text/html,<script>alert(1)</script>) [c](command:workbench.action.quit) [d](vscode://x/y)',
  '![pixel](https://evil.example/pixel.png?secret) ![inline](data:image/svg+xml,<svg onload=alert(1)>)',
  '<style>*{display:none}</style>',
  '| a | b |\n| - | - |\n| <b onclick=alert(1)>x</b> | `<script>` |',
  '```html\n<script>alert(1)</script>\n```',
].join('\n\n');

describe('hostile content', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  async function openWatched(editor: Parameters<Browsing['open']>[0]) {
    const reached: string[] = [];
    const dialogs: string[] = [];
    const page = await browsing.open(editor, { apart: true });
    // The page reads the rest of itself with the first code that it shows.
    const itself = new URL('/highlighter.js', page.url()).href;
    page.on('request', (request) => {
      if (request.url() !== itself) reached.push(request.url());
    });
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    return { page, reached, dialogs };
  }

  it('never runs, loads or draws a control, wherever it stands', async () => {
    const { editor, story } = begun();
    story.ask('go');
    const { page, reached, dialogs } = await openWatched(editor);
    await page.getByText('Working').waitFor();
    story.read('m9', ATTACK);
    story.said(ATTACK, { reasoning: ATTACK });
    story.emit('note_told', { handle: 'proc:1', text: ATTACK } as never);
    story.emit('compacted', { summary: ATTACK, step: 1, kept: 0 });
    await page.getByText('onerror="alert(1)"').first().waitFor();
    for (const element of ['script', 'iframe', 'svg', 'style', 'object', 'form', 'img']) {
      assert.equal(await page.locator(`.log ${element}`).count(), 0, element);
    }
    const controls = page.locator(
      '.log :is(.markdown, .message-text, .plain-text) :is(button, input, select, textarea)',
    );
    const own = page.locator('.log .code-tools button');
    assert.equal(await controls.count(), await own.count(), 'only the page’s own buttons for code');
    assert.equal(await page.getByRole('button', { name: 'Allow' }).count(), 0);
    assert.deepEqual(dialogs, []);
    assert.deepEqual(reached, []);
  });

  it('names of files, of sessions and of what is found are text as well', async () => {
    const { editor, story } = begun('<img src=x onerror=alert(1)>');
    const path = '/w/shop/\u202Egnp.<img src=x onerror=alert(1)>\n\u200B.ts';
    story
      .ask('go', { context: [{ kind: 'file', path }] })
      .ran('c1', 'edit', path, {}, {})
      .changed('c1', path);
    story.said('Done.').ended('completed');
    const { page, reached, dialogs } = await openWatched(editor);
    await page.getByRole('button', { name: '1 file changed' }).click();
    await page.getByLabel('Message to the agent').pressSequentially('@x');
    editor.post({ type: 'files', query: 'x', items: [{ path, name: path, folder: false }] });
    await page.getByRole('option').waitFor();
    for (const place of ['.changes-file', '.mention', '.chip', '.call-title'])
      assert.match((await page.locator(place).first().textContent()) ?? '', /U\+202E/, place);
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual([...dialogs, ...reached], []);
  });

  it('links open through the editor, and only http, https and files', async () => {
    const { editor, story } = begun();
    story
      .ask('go')
      .said(
        '[web](https://good.example/x) [file](src/a.ts#L7) [js](javascript:alert(1)) [cmd](command:x) <https://auto.example>',
      );
    const { page } = await openWatched(editor);
    const links = page.getByRole('link');
    await page.getByRole('link', { name: 'web' }).click();
    await page.getByRole('link', { name: 'file' }).click();
    await page.getByRole('link', { name: 'https://auto.example' }).click({ button: 'middle' });
    assert.equal(await links.count(), 3);
    await page.getByText('[js](javascript:alert(1))').waitFor();
    assert.deepEqual(
      editor.commands.map(({ command, args }) => ({ command, args })),
      [
        { command: 'openLink', args: { url: 'https://good.example/x' } },
        { command: 'openFile', args: { path: 'src/a.ts', line: 7, folder: '/w/shop' } },
        { command: 'openLink', args: { url: 'https://auto.example' } },
      ],
    );
    assert.equal(page.url().endsWith('/dark'), true, 'the page itself went nowhere');
  });

  it('shows what a command hides, where the person decides', async () => {
    const { editor, story } = begun();
    const command = 'rm -rf / # \u202Edoog era snoitpo\u2066 \u200B \u001b[8mhidden\u001b[0m';
    story.ask('go').plan({ id: 'c1', tool: 'shell', title: command, args: { command } });
    story.asks('a1', {
      call: 'c1',
      title: command,
      preview: { kind: 'command', command, folder: '/w/shop' },
    });
    const { page } = await openWatched(editor);
    const shown = page.locator('.request .command');
    await shown.waitFor();
    for (const code of ['U+202E', 'U+2066', 'U+200B', 'U+001B'])
      await shown.getByText(code).first().waitFor();
    const letters = await shown.textContent();
    for (const hidden of '\u202E\u2066\u200B\u001b') assert.ok(!letters?.includes(hidden));
    assert.equal(await page.locator('.request').getByText('hidden').first().isVisible(), true);
  });

  it('a title that runs from right to left turns nothing beside it', async () => {
    const { editor, story } = begun('\u202E gnirts \u05d0\u05d1\u05d2');
    story.ask('go').asksCommand('a1', 'echo \u05d0\u05d1\u05d2 && rm -rf build');
    const { page } = await openWatched(editor);
    const allow = page.getByRole('button', { name: 'Allow', exact: true });
    const deny = page.getByRole('button', { name: 'Deny…' });
    await deny.waitFor();
    const [left, right] = [await allow.boundingBox(), await deny.boundingBox()];
    assert.ok(left !== null && right !== null && left.x < right.x);
    const direction = await page
      .locator('.request-title')
      .evaluate((title) => [title.tagName, getComputedStyle(title).unicodeBidi]);
    assert.deepEqual(direction, ['BDI', 'isolate']);
  });

  it('output of a command cannot hide itself, link or make the page huge', async () => {
    const { editor, story } = begun();
    const out = `\u001b[30;40mblack\u001b[0m \u001b]8;;https://evil.example\u001b\\click me\u001b]8;;\u001b\\ ${'x'.repeat(500_000)}`;
    story
      .ask('go')
      .ran('c1', 'shell', 'cat big', { command: 'cat big' }, { stdout: out, stderr: '', exit_code: 0 });
    const { page } = await openWatched(editor);
    await page.getByRole('button', { name: /cat big/ }).click();
    await page.locator('.output').waitFor();
    assert.ok(((await page.locator('.output').textContent()) ?? '').length <= 20_000);
    assert.equal(await page.getByRole('link').count(), 0);
    await page.getByRole('button', { name: 'Open in editor' }).click();
    const [opened] = await editor.commanded();
    assert.ok(opened?.command === 'openText' && opened.args.text.startsWith('black click me x'));
  });
});
