import assert from 'node:assert/strict';
import { agentScenes } from '../support/agents/scene';

describe('harness/list', () => {
  const scene = agentScenes('claude');

  it('H1 says what was found on this machine, and how to get what was not', async () => {
    const found = await scene.host.request('harness/list', {});
    assert.deepEqual(
      found.items.map(({ id, found: isFound }) => [id, isFound]),
      [
        ['codex', true],
        ['claude', true],
        ['codex-exec', true],
        ['acp:puppet', true],
      ],
    );
    assert.equal(found.items[1]?.path, `${scene.stage.folder}/claude`);
    await scene.host.request('settings/update', {
      settings: { harnesses: { codex: { path: '/nowhere/codex' }, claude: { path: '/nowhere/claude' } } },
    });
    const missing = await scene.host.request('harness/list', {});
    assert.deepEqual(
      missing.items.map(({ id, install }) => [id, install]),
      [
        ['codex', 'npm install -g @openai/codex'],
        ['claude', 'npm install -g @anthropic-ai/claude-code'],
        ['codex-exec', 'npm install -g @openai/codex'],
      ],
    );
    assert.ok(missing.items.every((one) => !one.found && one.note.length > 20));
  });

  it('A12 a setting that is not right is told by its key, and the rest holds', async () => {
    const { warnings } = await scene.host.request('settings/update', {
      settings: { harnesses: { codex: { path: 7 }, claude: { path: '/nowhere/claude' } } },
    });
    assert.match(warnings.join(), /"belay\.harnesses\.codex\.path" is .*; it must be /);
  });
});
