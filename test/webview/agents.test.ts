/** Outside agents in the chat page: chosen in the picker, and what becomes of their work and of messages to them. */
import assert from 'node:assert/strict';
import type { Agent } from '../../protocol';
import { Browsing } from './support/openPage';
import { FakeEditor } from './support/fakeEditor';
import { Story } from './support/story';

describe('outside agents in the page', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  function withAgents(agent: Agent = { kind: 'model', model: 'local/m1' }): {
    editor: FakeEditor;
    story: Story;
  } {
    const editor = new FakeEditor();
    editor.harnesses = [
      { id: 'one', name: 'Agent One', found: true, version: '2.1', note: 'It asks here.' },
      { id: 'two', name: 'Agent Two', found: false, note: 'It asks.', install: 'npm install -g two' },
    ];
    const story = new Story(editor).begin('Fix login', { agent });
    editor.state = { ...editor.state, session: story.session as never };
    return { editor, story };
  }

  it('the picker offers what was found, and says how to get what was not', async () => {
    const { editor, story } = withAgents();
    const page = await browsing.open(editor);
    await page.getByRole('button', { name: /^Model:/ }).click();
    const missing = page.getByRole('menuitemradio', { name: /Agent Two/ });
    await missing.getByText('not found on this machine. To get it: npm install -g two').waitFor();
    assert.equal(await missing.getAttribute('aria-disabled'), 'true');
    await page.getByRole('menuitemradio', { name: /Agent One.*2\.1 · It asks here\./ }).click();
    assert.deepEqual(await editor.heard('session/update'), [
      { session: story.session, agent: { kind: 'harness', harness: 'one' } },
    ]);
  });

  it('A12 a mode that frees something says what the agent asks for by itself', async () => {
    const { editor } = withAgents({ kind: 'harness', harness: 'one' });
    const page = await browsing.open(editor);
    await page.getByRole('button', { name: /^Mode:/ }).click();
    await page
      .getByRole('menuitemradio', { name: /^Edits.*free too\. Commands ask\. It asks here\./ })
      .waitFor();
    assert.equal(await page.getByText('It asks here.').count(), 2);
  });

  it('killed work and its one Resume stand in the conversation', async () => {
    const { editor, story } = withAgents();
    story.ask('run the tests').said('Waiting for them.');
    story.emit('agent_resumed', { killed: ['npm test'] });
    const page = await browsing.open(editor);
    await page.getByText(/was killed: npm test\. The agent was resumed, once\./).waitFor();
  });
});
