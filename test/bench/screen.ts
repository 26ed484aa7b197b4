/** From an event to the screen: the time until a painted frame of the chat page holds what an event brought. */
import { Browsing } from '../webview/support/openPage';
import { FakeEditor } from '../webview/support/fakeEditor';
import { Story } from '../webview/support/story';
import type { BenchResult } from './commit';
import { median, round } from './rounds';

const TIMES = 100;

export async function benchScreen(): Promise<BenchResult[]> {
  const browsing = await Browsing.start();
  try {
    const editor = new FakeEditor();
    const story = new Story(editor).begin();
    editor.state = { ...editor.state, session: story.session as never };
    const page = await browsing.open(editor);
    await page.getByText('Nothing was said here yet.').waitFor();
    story.ask('go').stream('begin ');
    await page.getByText('begin').waitFor();
    // The page notes when a message of the editor arrives, and when the frame after its change was painted.
    await page.evaluate(() => {
      const times: number[] = [];
      let arrived = 0;
      window.addEventListener('message', () => (arrived = performance.now()), true);
      new MutationObserver(() => {
        const from = arrived;
        if (from === 0) return;
        arrived = 0;
        requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - from)));
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
      Object.assign(window, { times });
    });
    for (let n = 0; n < TIMES; n++) {
      story.stream(`word${String(n)} `);
      await page.waitForFunction(
        (wanted) => (window as unknown as { times: number[] }).times.length >= wanted,
        n + 1,
      );
    }
    const times = await page.evaluate(() => (window as unknown as { times: number[] }).times);
    const sorted = [...times].sort((a, b) => a - b);
    return [
      {
        name: 'event to screen',
        metrics: {
          medianMs: round(median(times)),
          p95Ms: round(sorted[Math.floor(sorted.length * 0.95)] ?? 0),
        },
      },
    ];
  } finally {
    await browsing.stop();
  }
}
