/**
 * A person at the workbench: a headless Chromium on a page of a real VS Code, with the few acts that tests need.
 *
 *   const workbench = await openWorkbench(code.url());
 *   await workbench.runCommand('Belay: Show log');
 *   await workbench.container('Belay');                                    // opens the activity bar's container
 *   await workbench.view('Needs you').row('npm install').action('Allow');  // an inline action of a tree row
 *   await workbench.statusItem('Belay paused').waitFor();
 *   await workbench.notification('wants to run').getByRole('button', { name: 'Deny' }).click();
 *   await workbench.webview().getByRole('textbox').fill('hello');
 *   await workbench.reload();
 *   await workbench.close();
 *
 * Nothing here sleeps: every act waits for what it needs to be visible, and gives up after 30 s. What is not
 * here, a test does with `workbench.page`, which is Playwright's own page.
 */
import { join } from 'node:path';
import { chromium, type BrowserContext, type FrameLocator, type Locator, type Page } from 'playwright-core';
import { ensureChromium } from './install';
import { screenshotFolder } from './paths';
import { View } from './view';

const actMs = 30_000;
const loadMs = 60_000;
const attemptMs = 2_500;
const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** All that are open now, for the hook that photographs them when a test fails. */
export const openWorkbenches = new Set<Workbench>();

export const SIZE = { width: 1280, height: 900 };
// What moves on the screen is drawn anew sixty times a second, which without a graphics card takes a processor.
const screen = { viewport: SIZE, reducedMotion: 'reduce' } as const;

/** A window in a browser of its own, which goes with it. */
export async function openWorkbench(url: string): Promise<Workbench> {
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: browserArguments });
  return load(url, await browser.newPage(screen), () => browser.close());
}

/** A browser for several windows, one after the other: it keeps the code of VS Code that it has compiled in `profile`. */
export function openBrowser(profile: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(profile, {
    executablePath: ensureChromium(),
    args: browserArguments,
    ...screen,
  });
}

/** In its first page: what is compiled in there need not be compiled again. */
export async function openWorkbenchIn(browser: BrowserContext, url: string): Promise<Workbench> {
  const page = firstPage(browser);
  await page.setViewportSize(SIZE);
  return load(url, page, async () => {
    await page.goto('about:blank');
  });
}

export function firstPage(browser: BrowserContext): Page {
  const [page] = browser.pages();
  if (page === undefined) throw new Error('The browser has lost its first page.');
  return page;
}

async function load(url: string, page: Page, close: () => Promise<void>): Promise<Workbench> {
  page.setDefaultTimeout(actMs);
  const workbench = new Workbench(page, close);
  try {
    await page.goto(url, { timeout: loadMs });
    await workbench.ready();
    return workbench;
  } catch (error) {
    await workbench.screenshot('failed-to-open').catch(() => undefined);
    await workbench.close();
    throw error;
  }
}

export class Workbench {
  readonly #palette: Locator;

  constructor(
    readonly page: Page,
    private readonly end: () => Promise<void>,
  ) {
    this.#palette = page.locator('.quick-input-widget');
    openWorkbenches.add(this);
  }

  /** Waits until the workbench is drawn. The extension host may still be starting. */
  async ready(): Promise<void> {
    await this.page
      .locator('.monaco-workbench .part.statusbar .statusbar-item')
      .first()
      .waitFor({ timeout: loadMs });
    await this.page.locator('.monaco-workbench .part.activitybar .action-item').first().waitFor();
  }

  /**
   * Runs a command of the palette by its whole title, for example `Belay: Show log`. The palette lists what was
   * known when it was opened, and closes when something else takes the focus, so it is opened again until the
   * command could be clicked.
   */
  async runCommand(title: string): Promise<void> {
    const entry = this.#palette.getByRole('option', { name: title }).first();
    const deadline = Date.now() + actMs;
    for (;;) {
      await this.page.keyboard.press('Escape');
      await this.page.keyboard.press('F1');
      const ran = await succeeds(async () => {
        await this.#palette.getByRole('textbox').fill(`>${title}`, { timeout: attemptMs });
        await entry.click({ timeout: attemptMs });
      });
      if (ran) return;
      if (Date.now() > deadline) throw new Error(`The palette does not offer “${title}”.`);
    }
  }

  /** Chooses the entry with this text in the open quick pick. */
  async pick(text: string): Promise<void> {
    await this.#palette.getByRole('option', { name: text }).first().click();
  }

  /** Runs a command that asks for a text, and gives it; the input closes when something else takes the focus. */
  async runCommandWith(title: string, text: string): Promise<void> {
    const box = this.#palette.getByRole('textbox');
    const deadline = Date.now() + actMs;
    for (;;) {
      await this.runCommand(title);
      if (await succeeds(() => box.fill(text, { timeout: attemptMs }))) return box.press('Enter');
      if (Date.now() > deadline) throw new Error(`“${title}” asks for nothing.`);
    }
  }

  /** Types into the open input box and sends it with Enter. */
  async answerInput(text: string): Promise<void> {
    const box = this.#palette.getByRole('textbox');
    await box.fill(text);
    await box.press('Enter');
  }

  /** Opens the container with this title from the activity bar, if it is not open already. */
  async container(title: string): Promise<void> {
    const tab = this.#activity(title);
    await tab.waitFor();
    const shown = this.page.locator('.part.sidebar .composite.title', { hasText: new RegExp(title, 'i') });
    // A window that is loaded anew opens what was open before: a click on that would close it again.
    for (let attempt = 0; attempt < 5; attempt++) {
      if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.locator('a').click({ force: true });
      const isShown = await shown.waitFor({ timeout: attemptMs }).then(
        () => true,
        () => false,
      );
      if (isShown) return;
    }
    await shown.waitFor();
  }

  /** The number on the container's badge; `undefined` when there is no badge. */
  async badge(title: string): Promise<string | undefined> {
    const content = this.badgeOf(title);
    return (await content.isVisible()) ? ((await content.textContent()) ?? undefined) : undefined;
  }

  badgeOf(title: string): Locator {
    return this.#activity(title).locator('.badge-content');
  }

  /** A tree or webview view by the title in its header. */
  view(title: string): View {
    return new View(this.page, title);
  }

  /** The entries of the status bar whose text contains `text`. */
  statusItem(text: string): Locator {
    return this.page.locator('.part.statusbar .statusbar-item').filter({ hasText: text });
  }

  /** A notification on the screen whose message contains `text`. */
  notification(text: string): Locator {
    return this.page.locator('.notifications-toasts .notification-toast').filter({ hasText: text });
  }

  /** From now on, the messages of the notifications that come on the screen, those included that leave it at once. */
  async followNotifications(): Promise<() => Promise<readonly string[]>> {
    const shown = await this.page.evaluateHandle(() => {
      const messages = '.notification-toast .notification-list-item-message';
      const before = new Set([...document.querySelectorAll(messages)].map((one) => one.textContent));
      // What leaves the screen is emptied, so its words are kept.
      const words = new Map<Element, string>();
      new MutationObserver(() => {
        for (const toast of document.querySelectorAll('.notification-toast')) {
          const text = toast.querySelector('.notification-list-item-message')?.textContent ?? '';
          if (before.has(text)) continue;
          if (text !== '' || !words.has(toast)) words.set(toast, text);
        }
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
      return words;
    });
    return () => shown.evaluate((words) => [...words.values()]);
  }

  /** The content of the visible webview. */
  webview(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  }

  async reload(): Promise<void> {
    await this.page.reload({ timeout: loadMs });
    await this.ready();
  }

  /** Kills the extension hosts as a crash would, and loads the page again. */
  async crashAndReload(code: { extensionHostPids(): readonly number[] }): Promise<void> {
    for (const pid of code.extensionHostPids()) process.kill(pid, 'SIGKILL');
    await this.reload();
  }

  /** Writes `out/screenshots/NAME.png` and returns its path. */
  async screenshot(name: string): Promise<string> {
    const path = join(screenshotFolder, `${name}.png`);
    await this.page.screenshot({ path });
    return path;
  }

  async close(): Promise<void> {
    openWorkbenches.delete(this);
    await this.end();
  }

  #activity(title: string): Locator {
    const label = this.page.locator(`a.action-label[aria-label^="${title}"]`);
    return this.page.locator('.part.activitybar .action-item').filter({ has: label });
  }
}

function succeeds(attempt: () => Promise<void>): Promise<boolean> {
  return attempt().then(
    () => true,
    () => false,
  );
}
