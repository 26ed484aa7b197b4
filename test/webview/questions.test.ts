/** Questions of every kind: each is answered in the way that its tool needs, and a secret never passes through the page. */
import assert from 'node:assert/strict';
import { Browsing } from './support/openPage';
import { begun } from './support/sessions';

describe('questions in the chat', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const several = {
    args: {
      questions: [
        {
          question: 'Which parts?',
          multiple: true,
          choices: ['API', { label: 'Page', description: 'the chat' }],
        },
        { question: 'Which port?' },
      ],
    },
  };

  it('C1 several questions are answered together, with several choices and own words', async () => {
    const { editor, story } = begun();
    story.ask('go').question('q1', 'Which parts?', [], several);
    const page = await browsing.open(editor);
    const send = page.getByRole('button', { name: 'Answer', exact: true });
    assert.ok(await send.isDisabled());
    await page.getByLabel('API').check();
    await page.getByLabel('Page').check();
    await page.getByText('the chat').waitFor();
    await page.getByLabel('Your answer…').last().fill('5433');
    await page.getByLabel('Your answer…').last().press('Enter');
    const [sent] = await editor.heard('question/answer');
    assert.deepEqual(sent, {
      question: 'q1',
      answer: { text: 'Which parts?\n→ API, Page\n\nWhich port?\n→ 5433' },
      by: 'you from the chat',
    });
  });

  it('C1 a choice says what it means', async () => {
    const { editor, story } = begun();
    const args = { question: 'Which?', choices: [{ label: 'SQLite', description: 'one file' }, 'Postgres'] };
    story.ask('go').question('q1', 'Which?', [], { args });
    const page = await browsing.open(editor);
    await page.getByRole('button', { name: /SQLite.*one file/s }).click();
    const [sent] = await editor.heard('question/answer');
    assert.deepEqual((sent as { answer: unknown }).answer, { text: 'SQLite' });
  });

  it('C1 files and secrets are the editor’s to ask for: the page has no field for them', async () => {
    const { editor, story } = begun();
    const args = { name: 'TOKEN', why: 'to publish' };
    story.ask('go').question('q1', 'Secret TOKEN', [], { tool: 'request_secret', args });
    const page = await browsing.open(editor);
    await page.getByText('to publish').waitFor();
    assert.equal(await page.locator('.request textarea, .request input').count(), 0);
    await page.getByRole('button', { name: 'Enter the secret…' }).click();
    const commands = await editor.commanded();
    assert.deepEqual(commands.at(-1), {
      type: 'command',
      command: 'answerQuestion',
      args: { question: 'q1' },
    });
    await page.getByRole('button', { name: 'Decline', exact: true }).click();
    const [sent] = await editor.heard('question/answer');
    assert.deepEqual((sent as { answer: unknown }).answer, { error: 'Declined.' });
  });
});
