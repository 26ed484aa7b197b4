import assert from 'node:assert/strict';
import {
  answer,
  command,
  item,
  of,
  THREAD,
  told,
  TURN,
  turnTold,
  words,
} from '../../support/agents/serverWords';
import { Stage } from '../../support/agents/stage';
import { openBelay, type BelayWindow } from './window';

/** An outside agent in the real editor: chosen, asked, allowed from the tree, and read in the transcript. */
describe('an outside agent in VS Code', () => {
  let stage: Stage;
  let window: BelayWindow;

  before(async () => {
    stage = await Stage.open();
    const harnesses = {
      codex: { path: stage.program('codex'), env: stage.env },
      claude: { path: '/none/claude' },
    };
    window = await openBelay({ settings: { 'belay.harnesses': harnesses } });
    await window.workbench.container('Belay');
  });
  after(async () => {
    stage.letGo();
    await window.close();
    await stage.close();
  });

  it('H1 H2 is chosen in the palette; its permission is allowed from the tree, it goes on, and the transcript shows it', async () => {
    const { workbench } = window;
    const needs = () => workbench.view('Needs you');
    await workbench.runCommand('Belay: New session');
    await workbench.pick('It asks here for every edit');
    const lister = await stage.next();
    await answer(lister, 'initialize', { userAgent: 'codex' });
    await answer(lister, 'model/list', { data: [{ model: 'gpt-6-sol', displayName: 'GPT-6 Sol' }] });
    await workbench.pick('GPT-6 Sol');
    await lister.exit(0);
    await workbench.view('Sessions').expand();
    await workbench.view('Sessions').row('codex').waitFor();
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('make a file');

    const codex = await stage.next();
    await answer(codex, 'initialize', { userAgent: 'codex' });
    const started = await answer(codex, 'thread/start', { thread: { id: THREAD } });
    assert.equal((started['params'] as { model?: string }).model, 'gpt-6-sol');
    await answer(codex, 'turn/start', { turn: { id: TURN, status: 'inProgress' } });
    await codex.say(
      turnTold('turn/started', 'inProgress'),
      item('completed', words('m0', 'I will write a file.')),
      item('started', command('call_1', 'echo hi > made.txt')),
      {
        ...told('item/commandExecution/requestApproval', {
          ...of(),
          itemId: 'call_1',
          reason: 'It writes.',
          command: "/bin/bash -lc 'echo hi > made.txt'",
          cwd: window.folder,
          availableDecisions: ['accept', 'cancel'],
        }),
        id: 0,
      },
    );
    await needs().row('echo hi > made.txt').waitFor();
    await workbench.webview().getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await workbench.screenshot('agent-asks');
    await needs().row('echo hi > made.txt').action('Allow');

    const verdict = await codex.messageLike((message) => message['id'] === 0);
    assert.deepEqual(verdict['result'], { decision: 'accept' });
    await needs().welcome().getByText('Nothing waits for you.').waitFor();
    const done = { status: 'completed', aggregatedOutput: '', exitCode: 0 };
    await codex.say(
      item('completed', command('call_1', 'echo hi > made.txt', done)),
      item('completed', words('m1', 'The file is made.')),
      turnTold('turn/completed', 'completed'),
    );
    await workbench.view('Sessions').row('done').waitFor();
    const page = workbench.webview();
    await page.getByText('I will write a file.').waitFor();
    await page.getByText('echo hi > made.txt').first().waitFor();
    await page.getByText('The file is made.').waitFor();
    await workbench.screenshot('agent-done');
  });
});
