/** What is shipped: small enough to open at once, and fit for a strict content security policy. */
import assert from 'node:assert/strict';
import { buildPage } from './support/server';

const MOST = 300 * 1024;

describe('the bundle of the page', () => {
  it('is under 300 KB, and carries no schema of the protocol', async () => {
    const { bytes, schemas } = await buildPage();
    assert.equal(schemas, 0);
    assert.ok(bytes < MOST, `${bytes} bytes`);
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
