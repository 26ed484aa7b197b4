import { giveWork, goOnInBelay, wants, type BelayWindow } from '../window';

describe('what is on record, in VS Code', () => {
  let window: BelayWindow;

  before(async () => {
    window = await goOnInBelay();
    await window.workbench.container('Belay');
  });
  after(() => window.end());

  it('L12 shows who let what happen, follows, and can be filtered', async () => {
    const { workbench, models } = window;
    await giveWork(workbench, 'run it', models, [
      wants('echo allowed', 'c1'),
      wants('echo denied', 'c2'),
      { text: 'Both heard.' },
    ]);
    await workbench.view('Needs you').row('echo allowed').action('Allow');
    await workbench.runCommand('Belay: Show audit');
    const audit = workbench.view('Audit');
    await audit.row('echo allowed').locator.filter({ hasText: 'completed' }).waitFor();
    await workbench.view('Needs you').row('echo denied').action('Deny');
    await audit.row('echo denied').locator.filter({ hasText: 'never ran' }).waitFor();
    await workbench.screenshot('audit');
    await workbench.runCommand('Belay: Filter audit…');
    await workbench.pick('Denied');
    await workbench.answerInput('');
    await audit.row('echo allowed').locator.waitFor({ state: 'hidden' });
    await audit.row('echo denied').waitFor();
    await workbench.runCommand('Belay: Show the whole audit');
    await audit.row('echo allowed').waitFor();
  });

  it('a session is found by what was said in it', async () => {
    const { workbench } = window;
    await workbench.runCommand('Belay: New session');
    await workbench.webview().getByText('Both heard.').waitFor({ state: 'hidden' });
    await workbench.runCommand('Belay: Find session…');
    await workbench.page.getByPlaceholder('A word of its title').fill('both hea');
    await workbench.pick('Both heard.');
    await workbench.webview().getByText('Both heard.').waitFor();
  });

  it('sessions are archived by dragging them to the archive, and restored by their menu', async () => {
    const { workbench } = window;
    const sessions = workbench.view('Sessions');
    await workbench.runCommand('Belay: New session');
    await sessions.row('new').menu('Archive');
    const archive = sessions.row('Archived');
    await archive.waitFor();
    await sessions.row('run it').locator.dragTo(archive.locator);
    await archive.locator.filter({ hasText: '2' }).waitFor();
    await archive.click();
    await sessions.row('new').menu('Restore');
    await archive.locator.filter({ hasText: '1' }).waitFor();
  });
});
