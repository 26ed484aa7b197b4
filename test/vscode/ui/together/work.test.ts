import assert from 'node:assert/strict';
import { at } from '../../../support/modelServer';
import { eventually, giveWork, goOnInBelay, wants, type BelayWindow } from '../window';

/** What a person does in the middle of work, from the palette and the trees. */
describe('work in VS Code', () => {
  let window: BelayWindow;

  before(async () => {
    window = await goOnInBelay();
    await window.workbench.container('Belay');
  });

  after(() => window.close());

  const needs = () => window.workbench.view('Needs you');
  const sessions = () => window.workbench.view('Sessions');

  it('a message is read while a request waits; after the turn and a reload it is still there, and is allowed', async () => {
    const { workbench, models } = window;
    await giveWork(workbench, 'build it', models, [
      wants('echo built > built.txt'),
      { text: 'It builds.' },
      { text: 'Built.' },
    ]);
    await needs().row('built.txt').waitFor();
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('what does it do?');
    await workbench.webview().getByText('It builds.').waitFor();
    await needs()
      .row(/echo built.*proc:\d+/)
      .waitFor();
    await workbench.screenshot('lifted');
    assert.match(JSON.stringify(at(models.requests.at(-1), 'messages')), /what does it do/);
    await workbench.reload();
    await workbench.container('Belay');
    await needs()
      .row(/echo built.*proc:\d+/)
      .waitFor();
    await workbench.view('Handles').expand();
    await workbench.view('Handles').row('echo built').action('Allow');
    await needs().welcome().waitFor();
    await workbench
      .view('Handles')
      .row(/echo built.*done/)
      .waitFor();
    await sessions()
      .row(/build it.*done/)
      .waitFor();
  });

  it('a request that a message has moved can be withdrawn, and never runs', async () => {
    const { workbench, models } = window;
    models.script([wants('rm -r everything'), { text: 'Wait.' }, { text: 'Never mind.' }]);
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('clean up');
    await needs().row('rm -r everything').waitFor();
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('wait');
    await needs()
      .row(/rm -r everything.*proc:\d+/)
      .action('Withdraw');
    await needs().welcome().waitFor();
    await workbench
      .view('Handles')
      .row(/rm -r everything.*withdrawn/)
      .waitFor();
  });

  it('what the agent asks is answered with a choice', async () => {
    const { workbench, models } = window;
    const args = { question: 'Which database?', choices: ['sqlite', 'postgres'] };
    models.script([{ calls: [{ tool: 'ask', args }] }, { text: 'Good choice.' }]);
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('set it up');
    await needs().row('Which database?').action('Answer…');
    await workbench.pick('postgres');
    await needs().welcome().waitFor();
    await workbench.webview().getByText('Good choice.').waitFor();
    assert.match(JSON.stringify(at(models.requests.at(-1), 'messages')), /postgres/);
  });

  it('that runs is ended by a reload, without a process left, and can be continued', async () => {
    const { workbench, models, code } = window;
    models.script([wants('sleep 301'), { text: 'I go on.' }]);
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('wait long');
    await needs().row('sleep 301').action('Allow');
    const sleeping = () => code.processes().filter((one) => one.command.includes('sleep 301'));
    await eventually('the command runs', () => sleeping().length > 0);
    await workbench.reload();
    await sessions()
      .row(/build it.*(stopped|cut off)/)
      .waitFor();
    assert.deepEqual(sleeping(), []);
    await sessions().row('build it').action('Continue');
    await workbench.webview().getByText('I go on.').waitFor();
    await sessions()
      .row(/build it.*done/)
      .waitFor();
  });

  it('stops at a word from its row', async () => {
    const { workbench, models, code } = window;
    models.script([wants('sleep 302')]);
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('wait again');
    await needs().row('sleep 302').action('Allow');
    const sleeping = () => code.processes().filter((one) => one.command.includes('sleep 302'));
    await eventually('the command runs', () => sleeping().length > 0);
    await sessions().row('running').action('Stop turn');
    await sessions()
      .row(/build it.*stopped/)
      .waitFor();
    assert.deepEqual(sleeping(), []);
  });
});
