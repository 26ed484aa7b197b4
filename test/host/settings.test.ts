/** A malformed setting is told by its key, with what is wrong and the mend; all that is right holds (R11). */
import assert from 'node:assert/strict';
import { done, scenes, shell, toldOf } from '../support/scene';

const provider = (change: object): object => ({
  models: { providers: { p: { kind: 'openai', ...change } } },
});
const list = '"anthropic", "openai", "openai-compatible"';

const WRONG: readonly (readonly [object, string])[] = [
  [{ limits: { shellMs: 'fast' } }, '"belay.limits.shellMs" is "fast"; it must be a number.'],
  [{ limits: { shellMs: 0 } }, '"belay.limits.shellMs" is 0; it must be 1 or more.'],
  [{ limits: { shellMs: 1e9 } }, '"belay.limits.shellMs" is 1000000000; it must be at most 600000.'],
  [{ limits: { shellMs: 1.5 } }, '"belay.limits.shellMs" is 1.5; it must be a whole number.'],
  [{ limits: { shellMs: null } }, '"belay.limits.shellMs" is null; it must be a number.'],
  [{ limits: [] }, '"belay.limits" is a list; it must be an object in braces.'],
  [{ limits: { shelMs: 4 } }, '"belay.limits.shelMs" is no setting of Belay. Remove it, or mend its name.'],
  [
    { approvals: { mode: 'yes' } },
    '"belay.approvals.mode" is "yes"; it must be one of "ask", "edits", "full".',
  ],
  [
    { approvals: { notify: 'true' } },
    '"belay.approvals.notify" is "true"; it must be true or false, without quotes.',
  ],
  [{ models: { default: 7 } }, '"belay.models.default" is 7; it must be a text in quotes.'],
  [{ models: { default: 'x'.repeat(300) } }, 'it must be at most 256 characters long.'],
  [{ models: { providers: [] } }, '"belay.models.providers" is a list; it must be an object in braces.'],
  [
    provider({ kind: 'llama' }),
    `"kind" in "belay.models.providers.p" is "llama"; it must be one of ${list}.`,
  ],
  [
    provider({ kind: undefined }),
    `"kind" in "belay.models.providers.p" is missing; it must be one of ${list}.`,
  ],
  [
    provider({ baseUrl: 'ftp://x' }),
    '"baseUrl" in "belay.models.providers.p" is another text; it must be an address that begins with http:// or https://.',
  ],
  [
    provider({ models: [{ id: '' }] }),
    '"models.0.id" in "belay.models.providers.p" is empty; it must be a text that is not empty.',
  ],
  [
    { models: { providers: { 'a b': { kind: 'openai' } } } },
    '"belay.models.providers.a b" has a name that cannot be used. A name has letters, digits, dots,',
  ],
  [{ mcp: { servers: 'x' } }, '"belay.mcp.servers" is a text; it must be an object in braces.'],
  [{ harnesses: { codex: { path: 7 } } }, '"belay.harnesses.codex.path" is 7; it must be a text in quotes.'],
  [
    { harnesses: { acp: { x: {} } } },
    '"command" in "belay.harnesses.acp.x" is missing; it must be a text in quotes. This agent is left out until then.',
  ],
  [
    { harnesses: { acp: { x: { command: 'x', args: [1] } } } },
    '"args.0" in "belay.harnesses.acp.x" is 1; it must be a text in quotes.',
  ],
  [
    { harnesses: { codex: { env: { '1A': 'x' } } } },
    '"belay.harnesses.codex.env.1A" has a name that cannot be used. The name of a variable has letters,',
  ],
];

describe('a malformed setting', () => {
  const scene = scenes();

  const warningsOf = async (settings: object): Promise<readonly string[]> =>
    (await scene.host.request('settings/update', { settings })).warnings;

  it('R11 is told once, by its key, with what is wrong and the mend', async () => {
    for (const [settings, told] of WRONG) {
      const warnings = await warningsOf(settings);
      assert.equal(warnings.length, 1, JSON.stringify(settings));
      assert.ok(warnings[0]?.includes(told), `${warnings[0] ?? ''}\n${told}`);
    }
  });

  it('R11 leaves all that is right in force, an agent that is not whole left out', async () => {
    const acp = { command: '/nowhere/agent' };
    const warnings = await warningsOf({
      approvals: { mode: 'yes', lapseMs: null },
      harnesses: { acp: { half: {}, whole: acp } },
      limits: { shellMs: 'x' },
    });
    assert.equal(warnings.length, 3);
    const { items } = await scene.host.request('harness/list', {});
    assert.ok(items.some((one) => one.id === 'acp:whole'));
    assert.ok(!items.some((one) => one.id === 'acp:half'));
  });

  it('X8 repeats nothing of where keys are written', async () => {
    const key = 'sk-very-secret';
    const told = await warningsOf({
      models: { providers: { p: { kind: 'openai', apiKeyEnv: key }, q: { kind: 'openai', baseUrl: key } } },
      harnesses: { claude: { env: { TOKEN: [key] } }, codex: { path: { key } } },
      mcp: { servers: key },
    });
    assert.equal(told.length, 5);
    assert.ok(!told.join().includes(key), told.join('\n'));
    assert.match(told.join(), /the name of an environment variable: letters, digits and underscores/);
  });

  it('X1 the running time of commands holds from its change on', async () => {
    await scene.host.request('settings/update', {
      settings: { ...scene.settings, limits: { shellMs: 200 } },
    });
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([{ calls: [shell('exec sleep 60', {}, 'c1')] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['error'], 'timed_out');
  });
});
