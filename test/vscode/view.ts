import type { Locator, Page } from 'playwright-core';

/** A view of the side bar, by the title in its header. */
export class View {
  readonly root: Locator;

  constructor(page: Page, title: string) {
    const header = page.locator('.pane-header', { hasText: new RegExp(`^\\s*${escaped(title)}`, 'i') });
    this.root = page.locator('.pane').filter({ has: header });
  }

  /** Unfolds the view if it is folded. */
  async expand(): Promise<void> {
    const header = this.root.locator('.pane-header');
    if ((await header.getAttribute('aria-expanded')) !== 'true') await header.click();
  }

  /** All rows that are drawn; wait for one with `.first().waitFor()`. */
  rows(): Locator {
    return this.root.locator('.monaco-list-row');
  }

  /** The row whose label or description contains `text`. */
  row(text: string | RegExp): Row {
    return new Row(this.rows().filter({ hasText: text }).first());
  }

  /** The sentence and buttons that an empty view shows. */
  welcome(): Locator {
    return this.root.locator('.welcome-view-content');
  }
}

/** For an open menu to offer its entry, ms, and how often it is opened. */
const MENU_MS = 2_500;
const MENU_ATTEMPTS = 5;

/** A row of a tree view. */
export class Row {
  constructor(readonly locator: Locator) {}

  async label(): Promise<string> {
    return this.#text('.label-name');
  }

  async description(): Promise<string> {
    return this.#text('.label-description');
  }

  /** Clicks an inline action by its title; the actions are drawn only under the pointer. */
  async action(title: string): Promise<void> {
    await this.locator.hover();
    await this.locator.locator(`.actions a.action-label[aria-label^="${title}"]`).click();
  }

  async click(): Promise<void> {
    await this.locator.click();
  }

  /** Opens the context menu and chooses an entry. The menu goes when its tree is drawn anew: then it is opened again. */
  async menu(entry: string): Promise<void> {
    const page = this.locator.page();
    const item = page.getByRole('menuitem', { name: entry });
    for (let attempt = 1; ; attempt++) {
      await this.locator.click({ button: 'right' });
      try {
        await item.hover({ timeout: MENU_MS });
        await item.press('Enter', { timeout: MENU_MS });
        return;
      } catch (error) {
        await page.keyboard.press('Escape');
        if (attempt === MENU_ATTEMPTS) throw error;
      }
    }
  }

  async waitFor(): Promise<void> {
    await this.locator.waitFor();
  }

  async gone(): Promise<void> {
    await this.locator.waitFor({ state: 'hidden' });
  }

  async #text(part: string): Promise<string> {
    return ((await this.locator.locator(part).first().textContent()) ?? '').trim();
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
