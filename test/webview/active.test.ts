/** What is open in the editor goes along with a message as the person wants it. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Context } from '../../protocol/message';
import { Browsing } from './support/openPage';
import { begun } from './support/sessions';

describe('what is open in the editor', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const field = (page: Page) => page.getByLabel('Message to the agent');
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('a selection in the editor goes along until it is left out; a file alone is only offered', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    const send = async (text: string) => {
      await field(page).fill(text);
      await button(page, 'Send').click();
      await page.waitForFunction(() => document.querySelector('textarea')?.value === '');
      return editor.asked('message/send').at(-1) as Record<string, unknown>;
    };
    const path = '/w/shop/src/cart.ts';
    const selection: Context = { kind: 'selection', path, range: [10, 24], text: 'total' };
    const chip = (name: string) => button(page, `Send along what is open in the editor: ${name}`);
    editor.post({ type: 'active', context: { kind: 'file', path } });
    await chip('cart.ts').waitFor();
    assert.equal(await chip('cart.ts').getAttribute('aria-pressed'), 'false');
    assert.equal((await send('off'))['context'], undefined);
    editor.post({ type: 'active', context: selection });
    await chip('cart.ts:10-24').waitFor();
    assert.deepEqual((await send('on'))['context'], [selection]);
    await chip('cart.ts:10-24').press('Enter');
    assert.equal((await send('left out'))['context'], undefined);
    editor.post({ type: 'active', context: { kind: 'file', path } });
    await chip('cart.ts').click();
    assert.deepEqual((await send('put on'))['context'], [{ kind: 'file', path }]);
    editor.post({ type: 'attach', context: [{ kind: 'file', path }] });
    await chip('cart.ts').waitFor({ state: 'detached' });
    assert.deepEqual((await send('attached'))['context'], [{ kind: 'file', path }], 'it goes along once');
    editor.post({ type: 'active' });
    await chip('cart.ts').waitFor({ state: 'detached' });
    assert.equal((await send('closed'))['context'], undefined);
  });

  it('X8 a selection in a file of secrets, or of no folder of the window, is only offered, each file by itself', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor);
    const isOn = async (path: string) => {
      editor.post({ type: 'active', context: { kind: 'selection', path, range: [1, 2], text: 'K=v' } });
      const name = `${path.split('/').at(-1) ?? ''}:1-2`;
      const chip = button(page, `Send along what is open in the editor: ${name}`);
      await chip.waitFor();
      return { chip, pressed: await chip.getAttribute('aria-pressed') };
    };
    assert.equal((await isOn('/w/shop/src/cart.ts')).pressed, 'true');
    for (const path of [
      '/w/shop/.env',
      '/w/shop/.env.local',
      '/w/shop/certs/a.pem',
      '/w/shop2/b.ts',
      '/w/c.ts',
    ])
      assert.equal((await isOn(path)).pressed, 'false', path);
    const { chip } = await isOn('/w/shop/.env');
    await chip.click();
    await page.locator('.chip.active:not(.off)').waitFor();
    assert.equal((await isOn('/w/shop/.env.local')).pressed, 'false');
    assert.equal((await isOn('/w/shop/.env')).pressed, 'true');
  });
});
