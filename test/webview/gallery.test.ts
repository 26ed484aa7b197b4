/**
 * Every state of the page in every kind of theme: a picture to look at, and no finding of axe. A run takes every
 * second one in the dark theme and a third of those in each other one; with `BELAY_FULL=1` it takes all in all.
 */
import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { Browsing, screenshot, wear } from './support/openPage';
import { SCENES } from './support/scenes';
import { THEMES } from './support/themes';

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

describe('the chat page in every state and theme', function () {
  this.timeout(60_000);
  let browsing: Browsing;
  before(async () => {
    browsing = await Browsing.start();
  });
  afterEach(() => browsing.closePages());

  const all = process.env['BELAY_FULL'] === '1';
  for (const [n, scene] of SCENES.filter((_scene, at) => all || at % 2 === 0).entries()) {
    const themes = THEMES.filter((_theme, at) => all || at === 0 || (n + at) % 3 === 0);
    it(`${scene.name}: is accessible, and fits its width`, async () => {
      const { width = 420, height = 800, zoom = 1 } = scene;
      const page = await browsing.open(scene.editor(), { theme: 'dark', width, height, zoom });
      await scene.ready(page);
      await page.evaluate(() => document.fonts.ready);
      await page.locator('.request').or(page.locator('.composer')).first().waitFor();
      await settled(page);
      await scene.act?.(page);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `the page is ${overflow} px wider than its window`);
      assert.deepEqual(
        await hidden(page),
        [],
        'what decides a request is in sight, and nothing lies over it',
      );
      for (const theme of themes) {
        await wear(page, theme);
        await screenshot(page, `${scene.name}-${theme}`);
        // What does not depend on colours is looked at once.
        const violations = await (theme === 'dark' ? everything(page) : contrast(page));
        assert.deepEqual(
          violations.map(
            ({ id, nodes }) => `${theme} ${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`,
          ),
          [],
        );
      }
      assert.deepEqual(
        await hidden(page),
        [],
        'what decides a request is in sight, and nothing lies over it',
      );
    });
  }
});

/** The buttons of the request and of the composer that cannot be clicked where they are; a menu may cover them. */
function hidden(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    if (document.querySelector('[role="menu"], [role="listbox"]') !== null) return [];
    const buttons = [
      ...document.querySelectorAll('.request-buttons button, .pager button, .composer-tools button'),
    ];
    return buttons.flatMap((button) => {
      const { left, right, top, bottom } = button.getBoundingClientRect();
      const corners = [
        [left + 3, top + 3],
        [right - 3, bottom - 3],
      ] as const;
      const isSeen = corners.every(([x, y]) => button.contains(document.elementFromPoint(x, y)));
      return isSeen ? [] : [button.outerHTML.slice(0, 80)];
    });
  });
}

/** Runs axe with all its rules. In legacy mode it needs no second page for its report, and stays in this one. */
async function everything(page: Page): Promise<readonly Finding[]> {
  return (await new AxeBuilder({ page }).setLegacyMode(true).analyze()).violations;
}

/** What depends on colours, by the axe that `everything` has left in the page. */
function contrast(page: Page): Promise<readonly Finding[]> {
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: Finding[] }> };
    };
    const run = await axe.run({ runOnly: ['color-contrast'], resultTypes: ['violations'] });
    return run.violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) }));
  });
}

/** A request that has just come takes no click for a moment; the picture is of the time after it. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('.request[data-settled="no"]') === null);
}
