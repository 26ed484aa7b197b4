/** The page in a real Chromium, connected to a `FakeEditor`. */
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { FromPage, ToPage } from '../../../webview/bridgeProtocol';
import { ensureChromium } from '../../vscode/install';
import { NOW, type FakeEditor } from './fakeEditor';
import { buildPage, servePage, type PageServer } from './server';
import { BODY_CLASS, type ThemeName } from './themes';

const ACT_MS = 5_000;
const SCREENSHOTS = join(__dirname, '..', '..', '..', 'out', 'screenshots');
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface OpenOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  readonly zoom?: number;
  /** Keeps the running intervals of the page in `window.timers`. */
  readonly countTimers?: boolean;
  /** What the page sets of its state after its first word is lost by a reload, as VS Code does within about a second. */
  readonly loses?: boolean;
}

/** One browser and one server for a file of tests. */
export class Browsing {
  readonly #browser: Browser;
  readonly #server: PageServer;
  readonly #contexts: BrowserContext[] = [];
  /** Every message of the page's console that is an error, and every uncaught error. A test fails on any. */
  readonly troubles: string[] = [];

  private constructor(browser: Browser, server: PageServer) {
    this.#browser = browser;
    this.#server = server;
  }

  static async start(): Promise<Browsing> {
    const server = await servePage(await buildPage());
    const browser = await chromium.launch({ executablePath: ensureChromium(), args: ARGUMENTS });
    return new Browsing(browser, server);
  }

  async open(editor: FakeEditor, options: OpenOptions = {}): Promise<Page> {
    const zoom = options.zoom ?? 1;
    const context = await this.#browser.newContext({
      viewport: {
        width: Math.round((options.width ?? 420) / zoom),
        height: Math.round((options.height ?? 800) / zoom),
      },
      deviceScaleFactor: zoom,
      timezoneId: 'UTC',
      locale: 'en-GB',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    this.#contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(ACT_MS);
    page.on('pageerror', (error) => this.troubles.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.troubles.push(message.text());
    });
    await page.clock.setFixedTime(NOW);
    // The tests' own compiler names functions with this helper, which the page does not have.
    await page.addInitScript('globalThis.__name ??= (named) => named;');
    if (options.countTimers === true) await countTimers(page);
    await connect(page, editor, options.loses === true);
    await page.goto(this.#server.url(options.theme ?? 'dark'));
    return page;
  }

  /** After each test: closes its pages and says what went wrong in them. */
  async closePages(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close();
    const troubles = this.troubles.splice(0);
    if (troubles.length > 0) throw new Error(`The page had trouble: ${troubles.join(' | ')}`);
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
  }
}

async function countTimers(page: Page): Promise<void> {
  await page.addInitScript(() => {
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
  });
}

async function connect(page: Page, editor: FakeEditor, loses: boolean): Promise<void> {
  await page.exposeFunction('toEditor', (message: FromPage) => editor.hear(message));
  await page.exposeFunction('keepState', (state: unknown) => {
    editor.kept = state;
  });
  editor.attach((message: ToPage) => {
    page.evaluate((sent) => window.postMessage(sent, '*'), message).catch(() => undefined);
  });
  // The tests' own compiler names functions with this helper, which the page does not have.
  await page.addInitScript('globalThis.__name ??= (named) => named;');
  await page.addInitScript(
    ({ kept, lost }) => {
      const outside = window as unknown as {
        toEditor(message: unknown): void;
        keepState(state: unknown): void;
        acquireVsCodeApi: unknown;
      };
      const stored = window.sessionStorage.getItem('state') ?? kept;
      let acquired = false;
      outside.acquireVsCodeApi = () => {
        if (acquired) throw new Error('acquireVsCodeApi was called twice');
        acquired = true;
        return {
          postMessage: (message: unknown) => outside.toEditor(JSON.parse(JSON.stringify(message))),
          getState: (): unknown => (stored === null ? undefined : JSON.parse(stored)),
          setState: (state: unknown) => {
            if (lost && window.sessionStorage.getItem('state') !== null) return;
            window.sessionStorage.setItem('state', JSON.stringify(state));
            outside.keepState(state);
          },
        };
      };
    },
    { kept: editor.kept === undefined ? null : JSON.stringify(editor.kept), lost: loses },
  );
}

/** Gives an open page another theme, as the editor does: its variables and the class of the body. */
export async function wear(page: Page, theme: ThemeName): Promise<void> {
  await page.evaluate(
    async ({ href, name }) => {
      const sheet = document.querySelector('link');
      if (sheet === null) throw new Error('The page has no theme.');
      // A sheet that is there already would not be loaded again.
      if (sheet.getAttribute('href') === href) return;
      await new Promise((loaded) => {
        sheet.addEventListener('load', loaded, { once: true });
        sheet.href = href;
      });
      document.body.className = name;
    },
    { href: `/${theme}.css`, name: BODY_CLASS[theme] },
  );
}

export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `webview-${name}.png`) });
}
