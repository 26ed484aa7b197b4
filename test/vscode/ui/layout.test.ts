import assert from 'node:assert/strict';
import { openBelay, type BelayWindow } from './window';

/** Three requests of one round. */
const calls = [1, 2, 3].map((n) => ({
  id: `c${String(n)}`,
  tool: 'shell',
  args: { command: `echo call-${String(n)}` },
}));

/** Heights of windows as people have them, and what the page of the chat has in each, px. */
const HEIGHTS = [
  { window: 900, chat: 500 },
  { window: 720, chat: 320 },
];

describe('the container as it is at first', () => {
  let window: BelayWindow;

  before(async () => {
    window = await openBelay();
    await window.workbench.container('Belay');
    await window.workbench.runCommand('Belay: New session');
    await window.workbench.webview().getByRole('textbox', { name: 'Message to the agent' }).waitFor();
  });

  after(() => window.close());

  const height = async (view: string): Promise<number> =>
    (await window.workbench.view(view).root.locator('.pane-body').boundingBox())?.height ?? 0;

  async function chatHasRoom(picture: string): Promise<void> {
    const { workbench } = window;
    for (const { window: tall, chat } of HEIGHTS) {
      await workbench.page.setViewportSize({ width: 1280, height: tall });
      await workbench.page.waitForFunction(
        (bottom) =>
          Math.abs(
            (document.querySelector('.part.statusbar')?.getBoundingClientRect().bottom ?? 0) - bottom,
          ) < 1,
        tall,
      );
      await workbench.screenshot(`layout-${picture}-${String(tall)}`);
      const room = await height('Chat');
      assert.ok(room >= chat, `${String(room)} px of ${String(tall)}`);
    }
  }

  it('gives the chat most of its room while nothing waits', async () => {
    await chatHasRoom('calm');
  });

  it('and while three requests wait, each of which stands in the tree', async () => {
    const { workbench, models } = window;
    models.script([{ calls }, { text: 'Done.' }]);
    await workbench.runCommandWith('Belay: Steer…', 'the cart total test fails, find out why and mend it');
    for (const { args } of calls) await workbench.view('Needs you').row(args.command).waitFor();
    await chatHasRoom('needs');
  });
});
