import assert from 'node:assert/strict';
import { gate, type Gate, type ScriptedCall } from '../../../support/modelServer';
import { giveWork, goOnInBelay, type BelayWindow } from '../window';

/** How many requests each of three sessions makes at once. */
const ROUNDS = [7, 7, 6];

describe('twenty approvals from three sessions in VS Code', () => {
  let window: BelayWindow;

  before(async () => {
    window = await goOnInBelay();
    await window.workbench.container('Belay');
  });

  after(() => window.end());

  /** Gives a new session this work; its answer comes once Belay is out of sight and `ask` is called. */
  async function prepare(text: string, calls: readonly ScriptedCall[]): Promise<Gate> {
    const opening = gate();
    await window.workbench.container('Belay');
    await giveWork(window.workbench, text, window.models, [{ calls, gate: opening }]);
    await opening.reached;
    return opening;
  }

  const commands = (session: number, count: number): readonly ScriptedCall[] =>
    Array.from({ length: count }, (_, n) => ({
      id: `c${n}`,
      tool: 'shell',
      args: { command: `echo session-${session} call-${n}` },
    }));

  it('are counted by the badge and the status bar, stand in the tree in their order, and make one notification a round', async () => {
    const { workbench } = window;
    const { page } = workbench;
    const notifications = await workbench.followNotifications();
    const expected: string[] = [];
    for (const [session, count] of ROUNDS.entries()) {
      const asking = await prepare(`work ${session}`, commands(session, count));
      await workbench.container('Explorer');
      asking.open();
      const due = ROUNDS.slice(0, session + 1).reduce((sum, one) => sum + one);
      await workbench.statusItem(`Belay ${due}`).waitFor();
      expected.push(`${due} requests wait`);
      await workbench.notification(`${due} requests wait`).waitFor();
    }
    assert.deepEqual(await notifications(), expected);
    await workbench.container('Belay');
    await workbench.badgeOf('Belay').getByText('20').waitFor();
    const needs = workbench.view('Needs you');
    await needs.row('session-0 call-0').waitFor();
    assert.equal(await needs.rows().first().getAttribute('aria-setsize'), '20');
    await workbench.runCommand('Belay: Next request');
    const focused = needs.root.locator('.monaco-list-row.focused');
    await focused.filter({ hasText: 'session-0 call-0' }).waitFor();
    await workbench.screenshot('many');
    for (const [session, count] of ROUNDS.entries())
      for (let n = 0; n < count; n++) {
        await focused.filter({ hasText: `session-${session} call-${n}` }).waitFor();
        await page.keyboard.press('ArrowDown');
      }
  });

  it('and three more, of three sessions at once, make one notification', async () => {
    const { workbench } = window;
    const asking = [
      await prepare('one', commands(3, 1)),
      await prepare('two', commands(4, 1)),
      await prepare('three', commands(5, 1)),
    ];
    await workbench.container('Explorer');
    const notifications = await workbench.followNotifications();
    for (const one of asking) one.open();
    await workbench.notification('23 requests wait').waitFor();
    assert.deepEqual(await notifications(), ['23 requests wait']);
  });

  it('each of which comes alone is announced by itself, with its session and what it would do', async () => {
    const { workbench } = window;
    const notifications = await workbench.followNotifications();
    for (const session of [6, 7]) {
      const asking = await prepare(`alone ${session}`, commands(session, 1));
      await workbench.container('Explorer');
      asking.open();
      await workbench.notification(`alone ${session} wants to run: echo session-${session} call-0`).waitFor();
    }
    assert.equal((await notifications()).length, 2);
  });
});
