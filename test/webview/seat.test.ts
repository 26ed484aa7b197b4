/** The tests of a process open the chat page in the same pages of the browser, one after the other. */
import assert from 'node:assert/strict';
import { Browsing } from './support/openPage';
import { begun } from './support/sessions';

describe('a page of the browser that is used again', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  it('holds nothing of the test before, whose editor hears nothing more', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor, { width: 300 });
    await page.getByLabel('Message to the agent').fill('of the test before');
    await page.reload();
    assert.equal(await page.getByLabel('Message to the agent').inputValue(), 'of the test before');
    await browsing.closePages();
    const told = editor.writings.length;
    const kept = editor.kept;

    const { editor: next } = begun('Another');
    const again = await browsing.open(next);
    assert.equal(again, page, 'it is the same page');
    await again.getByRole('heading', { name: 'Another' }).waitFor();
    assert.equal(again.viewportSize()?.width, 420);
    assert.equal(await again.getByLabel('Message to the agent').inputValue(), '');
    await again.getByLabel('Message to the agent').fill('of this one');
    await again.reload();
    assert.equal(await again.getByLabel('Message to the agent').inputValue(), 'of this one');
    assert.equal(editor.writings.length, told);
    assert.equal(editor.kept, kept);
  });

  it('is one of its own for a test that changes what outlives a document', async () => {
    const { editor } = begun();
    const page = await browsing.open(editor, { apart: true });
    await browsing.closePages();
    assert.ok(page.isClosed());
  });
});
