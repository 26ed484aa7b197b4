/** The page in a real Chromium, connected to a `FakeEditor`. */
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { atTheEnd } from '../../run/ends';
import { ensureChromium } from '../../vscode/install';
import type { FakeEditor } from './fakeEditor';
import { Seat } from './seat';
import { buildPage, servePage, type PageServer } from './server';
import { BODY_CLASS, type ThemeName } from './themes';

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
  /** For a test that changes what outlives a document, as the clock: its seat is no other test's. */
  readonly apart?: boolean;
}

/** What the files of a process share: a server of the page, a browser, and the seats in it that are free. */
interface Hall {
  readonly browser: Browser;
  readonly server: PageServer;
  readonly free: Seat[];
  /** Every message of a page's console that is an error, and every uncaught error. A test fails on any. */
  readonly troubles: string[];
}

let hall: Promise<Hall> | undefined;

async function build(): Promise<Hall> {
  const server = await servePage(await buildPage());
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: ARGUMENTS });
  atTheEnd(async () => {
    hall = undefined;
    await browser.close();
    await server.close();
  });
  return { browser, server, free: [], troubles: [] };
}

/** The pages that the tests of a file open. */
export class Browsing {
  readonly #hall: Hall;
  readonly #taken: { readonly seat: Seat; readonly apart: boolean }[] = [];

  private constructor(shared: Hall) {
    this.#hall = shared;
  }

  static async start(): Promise<Browsing> {
    hall ??= build();
    return new Browsing(await hall);
  }

  async open(editor: FakeEditor, options: OpenOptions = {}): Promise<Page> {
    const { width = 420, height = 800, zoom = 1, apart = false, theme = 'dark' } = options;
    const size = { width, height, zoom };
    const seat = await this.#seat(size, apart);
    this.#taken.push({ seat, apart });
    await seat.open(this.#hall.server.url(theme), editor, size, {
      countTimers: options.countTimers === true,
      loses: options.loses === true,
    });
    return seat.page;
  }

  async #seat(size: Parameters<Seat['open']>[2], apart: boolean): Promise<Seat> {
    const { browser, free, troubles } = this.#hall;
    const at = apart ? -1 : free.findLastIndex((seat) => seat.size.zoom === size.zoom);
    const [seat] = at < 0 ? [] : free.splice(at, 1);
    return seat ?? Seat.make(browser, size, (trouble) => troubles.push(trouble));
  }

  /** After each test: ends its pages and says what went wrong in them. */
  async closePages(): Promise<void> {
    const { free, server, troubles } = this.#hall;
    for (const { seat, apart } of this.#taken.splice(0)) {
      if (apart) {
        await seat.close();
      } else {
        await seat.leave(server.nothing);
        free.push(seat);
      }
    }
    const told = troubles.splice(0);
    if (told.length > 0) throw new Error(`The page had trouble: ${told.join(' | ')}`);
  }
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
