/** What a person sees and does in the chat page, in a real browser. */
import assert from 'node:assert/strict';
import { Browsing } from './support/openPage';
import { FakeEditor } from './support/fakeEditor';
import { Story } from './support/story';

describe('the chat page', () => {
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  it('streams an answer, shows a call, sends a verdict and a message', async () => {
    const editor = new FakeEditor();
    const story = new Story(editor).begin();
    editor.state = { ...editor.state, session: story.session as never };
    const page = await browsing.open(editor);
    await page.getByText('What should the agent do?').waitFor();

    story.ask('the login test fails').stream('I look at ').stream('the **test**.');
    await page.locator('strong', { hasText: 'test' }).waitFor();
    story.said('I look at the **test**.').asksCommand('a1', 'npm test');
    const card = page.getByRole('group', { name: 'Approval: npm test' });
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByLabel('Message to the agent').fill('go on');
    await page.getByRole('button', { name: 'Steer', exact: true }).click();

    assert.deepEqual(editor.asked('approval/answer'), [
      { approval: 'a1', request: 1, decision: 'allow', scope: 'once', by: 'you from the chat' },
    ]);
    await assert.doesNotReject(page.waitForFunction(() => document.querySelector('textarea')?.value === ''));
  });

  it('shows the beginning of the welcome also where there is little room', async () => {
    const page = await browsing.open(new FakeEditor(), { width: 220, height: 320 });
    const heading = page.getByRole('heading', { name: 'What should the agent do?' });
    await heading.waitFor();
    const place = await heading.evaluate((element) => ({
      top: element.getBoundingClientRect().top,
      from: element.closest('.log')?.getBoundingClientRect().top ?? 0,
    }));
    assert.ok(place.top >= place.from, JSON.stringify(place));
  });
});
