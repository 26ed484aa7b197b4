import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pasted } from '../../terminals/support';
import { eventually, giveWork, openBelay, type BelayWindow } from './window';

/** The terminal’s text as elements of the page. */
const readable = { 'terminal.integrated.gpuAcceleration': 'off' };

/** The agent's terminal in the panel of a real VS Code, and the person at it (X3, X5). */
describe('a person at the agent’s terminal', () => {
  let window: BelayWindow;

  before(async () => {
    window = await openBelay({ settings: { 'belay.approvals.mode': 'full', ...readable } });
    await window.workbench.container('Belay');
  });

  after(() => window.close());

  const row = () => window.workbench.view('Handles').row('proc:1');
  const file = (name: string) => join(window.folder, name);
  const written = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim() : '');
  const type = async (text: string): Promise<void> => {
    const { page } = window.workbench;
    await page.locator('.terminal-wrapper.active .xterm-helper-textarea').focus();
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };

  /** A panel that is just being opened may not take keys yet, as a person would see and type again. */
  const retyped = async (command: string, name: string): Promise<void> => {
    for (let n = 0; n < 3 && written(name) === ''; n += 1) {
      await type(command);
      await eventually(name, () => written(name) !== '').catch(() => undefined);
    }
  };

  it('X3 X5 attaches from the row, types, follows the panel’s size, detaches and attaches again, and stops it', async () => {
    const { workbench, models } = window;
    const { page } = workbench;
    await giveWork(workbench, 'open a shell', models, [
      { calls: [{ tool: 'terminal', args: { yield_ms: 0 } }] },
      { text: 'It is open.' },
    ]);
    await workbench.view('Handles').expand();
    await row().action('Attach');
    await page.locator('.terminal-wrapper.active .xterm').waitFor();
    await type('stty size > first.txt');
    await eventually('what was typed ran', () => written('first.txt') !== '');
    const [rows, cols] = written('first.txt').split(' ').map(Number);
    assert.ok((rows ?? 0) > 1 && (cols ?? 0) > 20, written('first.txt'));
    assert.notEqual(written('first.txt'), '30 120', 'it has the size of the panel');
    await workbench
      .view('Handles')
      .row(/terminal, attached/)
      .waitFor();
    await workbench.screenshot('attached');

    const size = page.viewportSize();
    assert.ok(size !== null);
    await type('while [ "$(stty size)" = "$(cat first.txt)" ]; do sleep 0.1; done; stty size > second.txt');
    await page.setViewportSize({ width: size.width - 240, height: size.height - 100 });
    await eventually('the terminal follows', () => written('second.txt') !== '');
    await page.setViewportSize(size);

    await workbench.runCommand('Terminal: Kill the Active Terminal Instance');
    await workbench
      .view('Handles')
      .row(/proc:1 · terminal · /)
      .waitFor();
    await workbench.runCommand('Belay: Attach terminal…');
    await workbench.pick('proc:1');
    await page.locator('.terminal-wrapper.active .xterm').waitFor();
    await workbench
      .view('Handles')
      .row(/terminal, attached/)
      .waitFor();
    await retyped('echo back > third.txt', 'third.txt');
    assert.equal(written('third.txt'), 'back', 'it went on after the detach');

    await row().action('Stop');
    await workbench
      .view('Handles')
      .row(/proc:1 · stopped/)
      .waitFor();
    await workbench.screenshot('stopped');
  });

  it('X3 attaches from the chat card, takes a paste of 200 KB whole, and is opened by the terminal profile', async () => {
    const { workbench, models } = window;
    const { page } = workbench;
    const active = page.locator('.terminal-wrapper.active');
    await giveWork(workbench, 'open another', models, [
      { calls: [{ tool: 'terminal', args: { yield_ms: 0 } }] },
      { text: 'Open as well.' },
    ]);
    await workbench.view('Handles').expand();
    const open = workbench.view('Handles').row(/proc:\d+ · terminal/);
    const [handle = ''] = /proc:\d+/.exec(await open.description()) ?? [];
    const chat = workbench.webview();
    await chat.getByText('Open as well.').waitFor();
    await chat.locator('button[aria-expanded="false"]').filter({ hasText: handle }).click();
    await chat.getByRole('button', { name: `Attach to ${handle}` }).click();
    await workbench.view('Handles').row(`${handle} · terminal, attached`).waitFor();
    await retyped('echo $$ > fourth.txt', 'fourth.txt');
    await workbench.screenshot('attached-from-card');

    // A character of two halves stands where the first piece ends.
    const text = `${'x'.repeat(16 * 1024 - 1)}😀 ${pasted(200 * 1024)}`;
    const bytes = Buffer.byteLength(text);
    await type(
      `stty raw -echo; echo $((20+1))ready; head -c ${String(bytes)} > pasted.txt; stty sane; touch whole`,
    );
    // By then the panel knows as well that the shell no longer brackets what is pasted.
    await active.locator('.xterm-rows').getByText('21ready').waitFor();
    await active.locator('.xterm-helper-textarea').evaluate((area, data) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', data);
      area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);
    await eventually('all has come', () => existsSync(file('whole')));
    assert.equal(statSync(file('pasted.txt')).size, bytes);
    assert.ok(readFileSync(file('pasted.txt'), 'utf8') === text, 'in order and unchanged');

    await workbench.runCommand('Terminal: Kill the Active Terminal Instance');
    await workbench.runCommand('Create New Terminal (With Profile)');
    await workbench.pick('Belay agent terminal…');
    await workbench.pick(handle);
    await workbench.view('Handles').row(`${handle} · terminal, attached`).waitFor();
    await workbench.runCommand('Terminal: Focus on Terminal View');
    await retyped('echo $$ > fifth.txt', 'fifth.txt');
    assert.equal(written('fifth.txt'), written('fourth.txt'), 'it is the same shell');
    await workbench.screenshot('attached-by-profile');
  });

  it('P1 the key of the cord pauses with the focus in a terminal, whose program it ends', async () => {
    const { workbench } = window;
    const active = workbench.page.locator('.terminal-wrapper.active');
    await active.locator('.xterm-helper-textarea').focus();
    await workbench.page.keyboard.press('Shift+Alt+P');
    await workbench.statusItem('Belay paused').waitFor();
    await active.locator('.xterm-rows').getByText('press a key to close').waitFor();
  });
});
