/**
 * A page of the browser in which one test after the other opens the chat page: to open a page, and to compile what runs
 * in it, takes most of the time of a short test. Each test finds nothing of the one before: the document is another, its
 * stored state is cleared, and what the last document still says reaches nobody.
 */
import type { Browser, Page } from 'playwright-core';
import type { FromPage, ToPage } from '../../../webview/bridgeProtocol';
import { NOW, type FakeEditor } from './fakeEditor';

/** A limit, and no wait: a machine that is busy with other tests draws late. */
const ACT_MS = 20_000;

export interface Size {
  readonly width: number;
  readonly height: number;
  readonly zoom: number;
}

export interface Beginning {
  /** Keeps the running intervals of the page in `window.timers`. */
  readonly countTimers: boolean;
  /** What the page sets of its state after its first word is lost by a reload, as VS Code does within about a second. */
  readonly loses: boolean;
}

export class Seat {
  #editor: FakeEditor | undefined;
  #tests = 0;
  /** For the test that is on. */
  readonly #scripts: { dispose(): Promise<void> }[] = [];

  private constructor(
    readonly page: Page,
    readonly size: Size,
  ) {}

  /** `tell` is given every error of the page's console, and every uncaught one. */
  static async make(browser: Browser, size: Size, tell: (trouble: string) => void): Promise<Seat> {
    const context = await browser.newContext({
      viewport: viewport(size),
      deviceScaleFactor: size.zoom,
      timezoneId: 'UTC',
      locale: 'en-GB',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    page.setDefaultTimeout(ACT_MS);
    page.on('pageerror', (error) => tell(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') tell(message.text());
    });
    const seat = new Seat(page, size);
    await page.clock.setFixedTime(NOW);
    await page.exposeFunction('toEditor', (message: FromPage) => seat.#editor?.hear(message));
    await page.exposeFunction('keepState', (state: unknown) => {
      if (seat.#editor !== undefined) seat.#editor.kept = state;
    });
    // The tests' own compiler names functions with this helper, which the page does not have.
    await page.addInitScript('globalThis.__name ??= (named) => named;');
    return seat;
  }

  async open(url: string, editor: FakeEditor, size: Size, beginning: Beginning): Promise<void> {
    const { page } = this;
    this.#editor = editor;
    this.#tests += 1;
    const now = page.viewportSize();
    const wanted = viewport(size);
    if (now?.width !== wanted.width || now.height !== wanted.height) await page.setViewportSize(wanted);
    editor.attach((message: ToPage) => {
      if (this.#editor !== editor) return;
      page.evaluate((sent) => window.postMessage(sent, '*'), message).catch(() => undefined);
    });
    if (beginning.countTimers) this.#scripts.push(await page.addInitScript(countTimers));
    this.#scripts.push(
      await page.addInitScript(beEditor, {
        test: String(this.#tests),
        kept: editor.kept === undefined ? null : JSON.stringify(editor.kept),
        lost: beginning.loses,
      }),
    );
    await page.goto(url);
  }

  /** Ends the document of the test that was on; `url` is one of the same origin, with nothing in it. */
  async leave(url: string): Promise<void> {
    // Where the pointer rests, the next test's page would be hovered.
    await this.page.mouse.move(-1, -1);
    await this.page.goto(url);
    this.#editor = undefined;
    for (const script of this.#scripts.splice(0)) await script.dispose();
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}

/** CSS pixels: a page that is zoomed has fewer in the same window. */
const viewport = ({ width, height, zoom }: Size): { width: number; height: number } => ({
  width: Math.round(width / zoom),
  height: Math.round(height / zoom),
});

/** Runs in the page. */
function countTimers(): void {
  const timers = new Set<unknown>();
  const begin = window.setInterval.bind(window);
  const end = window.clearInterval.bind(window);
  Object.assign(window, {
    timers,
    setInterval: (call: () => void, ms: number) => {
      const id = begin(call, ms);
      timers.add(id);
      return id;
    },
    clearInterval: (id: number) => {
      timers.delete(id);
      end(id);
    },
  });
}

/** Runs in the page: what the editor gives to a webview. The state lives in the window over reloads, not over tests. */
function beEditor({ test, kept, lost }: { test: string; kept: string | null; lost: boolean }): void {
  const outside = window as unknown as {
    toEditor(message: unknown): void;
    keepState(state: unknown): void;
    acquireVsCodeApi: unknown;
  };
  const storage = window.sessionStorage;
  if (storage.getItem('test') !== test) storage.clear();
  storage.setItem('test', test);
  const stored = storage.getItem('state') ?? kept;
  let acquired = false;
  outside.acquireVsCodeApi = () => {
    if (acquired) throw new Error('acquireVsCodeApi was called twice');
    acquired = true;
    return {
      postMessage: (message: unknown) => outside.toEditor(JSON.parse(JSON.stringify(message))),
      getState: (): unknown => (stored === null ? undefined : JSON.parse(stored)),
      setState: (state: unknown) => {
        if (lost && storage.getItem('state') !== null) return;
        storage.setItem('state', JSON.stringify(state));
        outside.keepState(state);
      },
    };
  };
}
