import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { goOnInBelay, wants, type BelayWindow } from '../window';

/** The main job without a pointer: every step is a key, or a command of the palette that is typed. */
describe('the whole work by keyboard alone', () => {
  let window: BelayWindow;

  before(async () => {
    window = await goOnInBelay();
  });

  after(() => window.close());

  const press = (...keys: string[]) =>
    keys.reduce(
      (before, key) => before.then(() => window.workbench.page.keyboard.press(key)),
      Promise.resolve(),
    );
  const type = (text: string) => window.workbench.page.keyboard.type(text);
  /** Runs a command as a person types it; the palette knows a command once its extension is there. */
  const run = async (title: string) => {
    const palette = window.workbench.page.locator('.quick-input-widget');
    const entry = palette.getByRole('option', { name: title }).first();
    for (;;) {
      await press('Escape', 'F1');
      await palette.getByRole('textbox').waitFor();
      await type(title);
      const there = await entry.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
      if (there) break;
    }
    await press('Enter');
  };
  /** Goes on from where the focus is until this has it. */
  const tabTo = async (name: string, key: 'Tab' | 'Shift+Tab') => {
    const webview = window.workbench.webview();
    const button = webview
      .getByRole('button', { name, exact: true })
      .or(webview.getByRole('textbox', { name, exact: true }));
    for (let tab = 0; tab < 12; tab++) {
      await press(key);
      if (await button.evaluate((one) => one === document.activeElement)) return;
    }
    throw new Error(`${key} does not reach ${name}.`);
  };
  /** A request is there, and takes keys. */
  const waiting = async (title: string) => {
    await window.workbench
      .webview()
      .getByRole('group', { name: `Approval: ${title}` })
      .waitFor();
    await window.workbench.webview().locator('.request[data-settled="yes"]').waitFor();
  };

  it('a session is begun, a message written and sent, a request denied with a reason and one allowed', async () => {
    const { workbench, models, folder } = window;
    models.script([
      wants('echo no > no.txt'),
      wants('echo yes > yes.txt', 'call_2'),
      { text: 'It is done.' },
    ]);
    await run('Belay: New session');
    const field = workbench.webview().getByLabel('Message to the agent');
    await workbench.webview().locator('textarea:focus').waitFor();
    await type('make the file');
    await press('Enter');
    await waiting('echo no > no.txt');
    await tabTo('Deny…', 'Shift+Tab');
    await press('Enter');
    await workbench.webview().getByLabel('Why not?').waitFor();
    await type('another one');
    await press('Enter');
    await waiting('echo yes > yes.txt');
    // With the answer the focus has gone to the conversation, which stands before what asks next.
    await tabTo('Allow', 'Tab');
    await press('Enter');
    await workbench.webview().getByText('It is done.').waitFor();
    assert.ok(existsSync(join(folder, 'yes.txt')));
    assert.ok(!existsSync(join(folder, 'no.txt')));
    assert.equal(await field.inputValue(), '');
  });

  it('a row of Needs you is allowed and denied by its keys, the one with the focus and no other', async () => {
    const { workbench, models, folder } = window;
    const calls = ['a', 'b', 'c'].map((name) => ({
      id: name,
      tool: 'shell',
      args: { command: `echo ${name} > ${name}.key` },
    }));
    models.script([{ calls }, { text: 'All answered.' }]);
    // From the conversation, to which the focus has gone with the last answer.
    await tabTo('Message to the agent', 'Tab');
    await type('three at once');
    await press('Enter');
    const needs = workbench.view('Needs you');
    const row = (name: string) => needs.row(`echo ${name} > ${name}.key`);
    for (const name of ['a', 'b', 'c']) await row(name).waitFor();
    const focused = (name: string) =>
      needs.root.locator('.monaco-list-row.focused', { hasText: `echo ${name} > ${name}.key` });
    await press('Shift+Alt+N');
    await focused('a').waitFor();
    await press('ArrowDown');
    await focused('b').waitFor();
    // A key that is held down answers the row that it was pressed on, and no other.
    await press('Control+Enter', 'Control+Enter', 'Control+Enter', 'Control+Enter');
    await row('b').gone();
    await workbench.badgeOf('Belay').getByText('2').waitFor();
    await press('Home');
    await focused('a').waitFor();
    await press('Control+Enter');
    await row('a').gone();
    await workbench.badgeOf('Belay').getByText('1').waitFor();
    await press('Shift+Alt+N');
    await focused('c').waitFor();
    await press('Control+Backspace');
    await workbench.webview().getByText('All answered.').waitFor();
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => existsSync(join(folder, `${name}.key`))),
      [true, true, false],
    );
  });

  it('everything is paused and resumed by its key', async () => {
    const { workbench } = window;
    await press('Shift+Alt+P');
    await workbench.statusItem('Belay paused').waitFor();
    await press('Shift+Alt+P');
    await workbench.statusItem('Belay paused').waitFor({ state: 'detached' });
  });
});
