import type { Context } from 'mocha';
import { openWorkbenches } from '../page';
import { closeLeft, spoil } from './left';
import { closeShared } from './shared';

/** A failed test leaves a picture of every open window in `out/screenshots`; what the files shared ends with them. */
export const mochaHooks = {
  async afterEach(this: Context): Promise<void> {
    if (this.currentTest?.state !== 'failed') return;
    spoil();
    const name = `failed-${this.currentTest.fullTitle().replace(/\W+/g, '-').slice(0, 80)}`;
    const windows = [...openWorkbenches];
    await Promise.all(
      windows.map((workbench, n) => workbench.screenshot(n === 0 ? name : `${name}-${n + 1}`)),
    );
  },
  afterAll: () => closeLeft().finally(closeShared),
};
