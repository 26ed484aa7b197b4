import assert from 'node:assert/strict';
import { redacting } from '../../host/adapters/harnesses/redacting';
import type { HarnessEvent } from '../../host/engine/harnessPort';

const KEY = 'sk-of-a-provider';

describe('streams of an agent without keys', () => {
  /** What is told of pieces, once their stream has ended, joined. */
  async function told(values: readonly string[], pieces: readonly string[]): Promise<string> {
    const events: HarnessEvent[] = [];
    const sink = redacting(
      (event) => {
        events.push(event);
        return Promise.resolve();
      },
      () => ({ names: [], values }),
    );
    for (const text of pieces) await sink({ kind: 'output', id: 'c1', text });
    await sink({ kind: 'gone', killed: [] });
    return events.flatMap((event) => (event.kind === 'output' ? [event.text] : [])).join('');
  }

  for (const values of [[], [KEY]])
    it(`X8 a sign that is cut between two pieces stays whole, with ${values.length === 0 ? 'no key' : 'a key'} to hide`, async () => {
      assert.equal(
        await told(values, ['so \u{1F600}'.slice(0, -1), '\uDE00 it', ' ends \uD83D']),
        'so \u{1F600} it ends \uD83D',
      );
    });

  it('X8 without a key to hide, nothing is changed', async () => {
    const odd = 'alone \uD83D here, \uDE00 there';
    assert.equal(await told([], [odd]), odd);
  });

  it('X8 a key that is cut between two pieces, behind such a sign, is hidden', async () => {
    assert.equal(
      await told([KEY], ['\uD83D', `\uDE00${KEY.slice(0, 5)}`, KEY.slice(5)]),
      '\u{1F600}[REDACTED]',
    );
  });
});
