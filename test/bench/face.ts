/**
 * The chat page in a real Chromium: a session of 5,000 messages, scrolling through it, and a model that writes
 * 200 times a second. The page is the built one; its host is a fold of the same events.
 */
import type { CDPSession, Page } from 'playwright-core';
import { FakeEditor } from '../webview/support/fakeEditor';
import { endAll } from '../run/ends';
import { Browsing } from '../webview/support/openPage';
import { buildPage } from '../webview/support/server';
import { Story } from '../webview/support/story';
import type { BenchResult } from './commit';
import { round } from './rounds';

/** Two messages a turn: the person's and the agent's. */
const TURNS = 2_500;
const DELTAS_PER_SECOND = 200;
const STREAM_SECONDS = 5;
const DELTAS = 100_000;
const DELTAS_PER_TURN = 1_000;
const WHEEL_TURNS = 60;
const WHEEL_PX = 400;

const WORDS = 'the cookie is set without an attribute so the browser of the test drops it '.split(' ');
const PARAGRAPH = `${WORDS.join(' ').repeat(3)}\n\n- \`src/login.ts\` sets it\n- the **test** reads it\n\n\`\`\`ts\nresponse.cookie('session', token);\n\`\`\`\n\n`;

export async function benchFace(): Promise<BenchResult[]> {
  const browsing = await Browsing.start();
  try {
    const { bytes } = await buildPage();
    return [
      { name: 'page script', metrics: { kilobytes: round(bytes / 1024) } },
      await long(browsing),
      await streaming(browsing),
      await flat(browsing),
      await hidden(browsing),
    ];
  } finally {
    await endAll();
  }
}

/** Opens a long session from the list of sessions, then turns the wheel up through it and reads all of it. */
async function long(browsing: Browsing): Promise<BenchResult> {
  const editor = new FakeEditor();
  const story = new Story(editor).begin('Long');
  for (let turn = 0; turn < TURNS; turn++) story.ask(`question ${turn}`).said(PARAGRAPH).ended('completed');
  const page = await browsing.open(editor, { apart: true });
  await page.getByText('What should the agent do?').waitFor();
  const opened = await page.evaluate(async () => {
    const begin = performance.now();
    window.postMessage({ type: 'show', session: 's1' }, '*');
    while (!document.body.innerText.includes('question 2499')) await new Promise(requestAnimationFrame);
    return performance.now() - begin;
  });
  const client = await page.context().newCDPSession(page);
  await watchFrames(page);
  await page.locator('.log').hover();
  for (let turn = 0; turn < WHEEL_TURNS; turn++) {
    await page.mouse.wheel(0, -WHEEL_PX);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  const near = await framesSince(page);
  await readAll(page);
  await watchFrames(page);
  for (let turn = 0; turn < WHEEL_TURNS; turn++) {
    await page.mouse.wheel(0, WHEEL_PX * 10);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  const far = await framesSince(page);
  const rows = await page.locator('[data-row]').count();
  const heap = await heapOf(client);
  await browsing.closePages();
  return {
    name: `a session of ${TURNS * 2} messages`,
    metrics: {
      openMs: round(opened),
      longestFrameMs: round(Math.max(near.longest, far.longest)),
      framesOver50Ms: near.slow + far.slow,
      rowsDrawn: rows,
      heapMegabytes: round(heap / 1024 / 1024),
    },
  };
}

/** Share of one core while an answer comes in `DELTAS_PER_SECOND` pieces a second. */
async function streaming(browsing: Browsing): Promise<BenchResult> {
  const { page, story } = await begun(browsing);
  const client = await page.context().newCDPSession(page);
  const before = await taskSeconds(client);
  const begin = performance.now();
  const count = DELTAS_PER_SECOND * STREAM_SECONDS;
  for (let delta = 0; delta < count; delta++) {
    story.stream(pieceOf(delta));
    const due = begin + ((delta + 1) * 1000) / DELTAS_PER_SECOND;
    if (performance.now() < due) await new Promise((go) => setTimeout(go, due - performance.now()));
  }
  const seconds = (performance.now() - begin) / 1000;
  const used = (await taskSeconds(client)) - before;
  await browsing.closePages();
  return {
    name: `${DELTAS_PER_SECOND} deltas a second`,
    metrics: { coreShare: round(used / seconds), deltasPerSecond: round(count / seconds) },
  };
}

/** Memory after many deltas over many turns, against that after the first tenth of them. */
async function flat(browsing: Browsing): Promise<BenchResult> {
  const { page, story } = await begun(browsing);
  const client = await page.context().newCDPSession(page);
  let early = 0;
  for (let delta = 1; delta <= DELTAS; delta++) {
    story.stream(pieceOf(delta));
    if (delta % DELTAS_PER_TURN === 0) {
      story.said(PARAGRAPH.repeat(20)).ended('completed').ask(`and ${delta}`);
      await page.getByText(`and ${delta}`, { exact: true }).waitFor({ timeout: 60_000 });
    }
    if (delta === DELTAS / 10) early = await heapOf(client);
  }
  const late = await heapOf(client);
  await browsing.closePages();
  return {
    name: `${DELTAS} deltas`,
    metrics: {
      heapEarlyMegabytes: round(early / 1024 / 1024),
      heapLateMegabytes: round(late / 1024 / 1024),
    },
  };
}

/** What a page costs that is not seen: the editor sends it nothing, and no timer runs in it. */
async function hidden(browsing: Browsing): Promise<BenchResult> {
  const { page, editor, story } = await begun(browsing);
  const client = await page.context().newCDPSession(page);
  editor.visible = false;
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  const before = await taskSeconds(client);
  const begin = performance.now();
  for (let delta = 0; performance.now() - begin < 2_000; delta++) {
    story.stream(pieceOf(delta));
    await new Promise((go) => setTimeout(go, 1000 / DELTAS_PER_SECOND));
  }
  const used = (await taskSeconds(client)) - before;
  await browsing.closePages();
  return { name: 'hidden', metrics: { coreShare: round(used / 2) } };
}

async function begun(browsing: Browsing) {
  const editor = new FakeEditor();
  const story = new Story(editor).begin();
  editor.state = { ...editor.state, session: story.session as never };
  const page = await browsing.open(editor, { apart: true });
  story.ask('go').stream('begin ');
  await page.getByText('begin').waitFor();
  return { page, editor, story };
}

const pieceOf = (delta: number) => (delta % 40 === 39 ? '.\n\n' : `${WORDS[delta % WORDS.length] ?? ''} `);

/** Every turn of the session is read, as after much scrolling. */
async function readAll(page: Page): Promise<void> {
  await page.locator('.log').focus();
  while ((await page.locator('.older').count()) > 0) {
    await page.evaluate(() => {
      const frame = document.querySelector('.log');
      frame?.dispatchEvent(new WheelEvent('wheel'));
      if (frame !== null) frame.scrollTop = 0;
    });
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
}

async function watchFrames(page: Page): Promise<void> {
  await page.evaluate(() => {
    const state = window as unknown as { frames: number[]; watching: boolean };
    state.frames = [];
    state.watching = true;
    let last = performance.now();
    const look = (now: number) => {
      state.frames.push(now - last);
      last = now;
      if (state.watching) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

async function framesSince(page: Page): Promise<{ longest: number; slow: number }> {
  const frames = await page.evaluate(() => {
    const state = window as unknown as { frames: number[]; watching: boolean };
    state.watching = false;
    return state.frames.slice(1);
  });
  return { longest: Math.max(...frames), slow: frames.filter((ms) => ms > 50).length };
}

async function heapOf(client: CDPSession): Promise<number> {
  await client.send('HeapProfiler.collectGarbage');
  return (await client.send('Runtime.getHeapUsage')).usedSize;
}

async function taskSeconds(client: CDPSession): Promise<number> {
  await client.send('Performance.enable');
  const { metrics } = await client.send('Performance.getMetrics');
  return metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? 0;
}
