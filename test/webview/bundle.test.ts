/** What is shipped: small enough to open at once, and fit for a strict content security policy. */
import assert from 'node:assert/strict';
import { buildPage } from './support/server';

const MOST = 300 * 1024;

describe('the bundle of the page', () => {
  it('is under 300 KB without the schemas of the protocol', async () => {
    const { bytes, schemas } = await buildPage();
    assert.ok(bytes - schemas < MOST, `${bytes - schemas} bytes`);
  });

  it('makes no code from text and no HTML from text', async () => {
    const { own } = await buildPage();
    for (const word of [
      /\beval\(/,
      /new Function/,
      /innerHTML/,
      /dangerouslySetInnerHTML/,
      /insertAdjacentHTML/,
      /document\.write/,
    ]) {
      assert.doesNotMatch(own, word);
    }
  });
});
