/** A step that cannot be made is told to its script, which goes on (R5, R11). */
import assert from 'node:assert/strict';
import { NestedCalls } from '../../host/adapters/scripts/nested';
import type { Reply } from '../../host/adapters/scripts/messages';
import type { Steps } from '../../host/engine/ports';

describe('the nested calls of a script', () => {
  it('R5 R11 a step whose facts cannot be read has a named end, and nothing is under way any more', async () => {
    const steps: Steps = {
      tools: () => [],
      call: () => Promise.reject(new Error('The disk reported an error.')),
      ask: () => Promise.reject(new Error('It asks nothing.')),
      halt: () => Promise.resolve(),
    };
    const replies = new Promise<readonly Reply[]>((resolve) => {
      const calls = new NestedCalls(
        steps,
        (sent) => {
          assert.deepEqual([calls.underWay, calls.running], [0, 0]);
          resolve(sent);
        },
        () => {},
      );
      calls.make({ id: 1, tool: 'read', args: '{}' });
      assert.equal(calls.underWay, 1);
    });
    assert.deepEqual(await replies, [
      {
        id: 1,
        ok: false,
        json: JSON.stringify({ error: 'tool_failed', detail: 'The disk reported an error.' }),
      },
    ]);
  });
});
