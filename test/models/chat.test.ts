import assert from 'node:assert/strict';
import { startModelServer, type ModelServer } from '../support/modelServer';
import { callOf, modelsFor, run, user } from './bench';

describe('models: chat completions', () => {
  let server: ModelServer;
  beforeEach(async () => void (server = await startModelServer()));
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.violations, []);
  });

  it('streams text in pieces and counts tokens', async () => {
    server.script([{ text: 'Good morning', pieces: 3, usage: { input: 100, output: 7, cached: 40 } }]);
    const { answer, pieces } = await run(
      modelsFor(server),
      callOf({ items: [user('hello')], system: 'Be brief.' }),
    );
    assert.equal(answer.text, 'Good morning');
    assert.deepEqual(pieces, ['text:Good', 'text: mor', 'text:ning']);
    assert.deepEqual(answer.usage, { inputTokens: 100, outputTokens: 7, cachedTokens: 40 });
    assert.equal(answer.stop, 'end');
    assert.deepEqual(
      server.requests[0]?.items.map(({ role, text }) => `${role}: ${text}`),
      ['system: Be brief.', 'user: hello'],
    );
  });
});
