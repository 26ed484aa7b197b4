/** From an event to the screen: the time until a frame of the chat page holds what an event brought, the driver's trip included. */
import { endAll } from '../run/ends';
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
    const page = await browsing.open(editor, { apart: true });
    await page.getByText('Nothing was said here yet.').waitFor();
    story.ask('go').stream('begin ');
    await page.getByText('begin').waitFor();
    const times: number[] = [];
    for (let n = 0; n < TIMES; n++) {
      const word = `word${String(n)}.`;
      // Waiting begins before the event, so that only the way to the screen and one trip back are counted.
      const shown = page.waitForFunction((wanted) => document.body.innerText.includes(wanted), word, {
        polling: 'raf',
      });
      const begin = performance.now();
      story.stream(`${word} `);
      await shown;
      times.push(performance.now() - begin);
    }
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
    await endAll();
  }
}
