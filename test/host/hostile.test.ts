import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentScenes } from '../support/agents/scene';
import { init, result, said } from '../support/agents/claudeWords';
import type { Puppet } from '../support/agents/stage';
import { HostClient } from '../support/hostClient';
import { done, scenes, toldOf } from '../support/scene';

/** Deeper than any stack that walks it. */
const DEEP = 100_000;
const deep = `${'['.repeat(DEEP)}1${']'.repeat(DEEP)}`;

describe('arguments that a model nests too deep', () => {
  const scene = scenes();

  for (const tool of ['lookup', 'shell', 'exec'])
    it(`R5 R10 R11 are refused, and the model reads why (${tool})`, async () => {
      await scene.host.request('clientTool/register', {
        client: 'w1',
        tools: [{ name: 'lookup', schema: { type: 'object' } }],
      });
      scene.server.script([{ calls: [{ tool, args: `{"a":${deep}}`, id: 'c1' }] }, done()]);
      await scene.say('go');
      const ended = await scene.host.next('turn_ended');
      assert.equal(ended.data.status, 'completed');
      const told = toldOf(scene.server, 'c1');
      assert.equal(told['error'], 'tool_arguments_invalid');
      assert.match(String(told['detail']), /128/);
    });
});

describe('a line of an outside agent that is nested too deep', () => {
  const scene = agentScenes('claude');

  it('H5 is passed over, and the agent and the host go on', async () => {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.say(init());
    const use = `{"type":"tool_use","id":"toolu_1","name":"WebFetch","input":{"a":${deep}}}`;
    const message = `{"model":"m","role":"assistant","content":[${use},{"type":"text","text":"hello"}]}`;
    await puppet.write(`{"type":"assistant","parent_tool_use_id":null,"message":${message}}\n`);
    await puppet.say(said('Done.'), result('Done.'));
    const ended = await scene.host.next('turn_ended');
    assert.equal(ended.data.status, 'completed');
    assert.ok(scene.host.logs.some((line) => line.includes('nested too deep')));
  });
});

describe('an outside agent that counts oddly', () => {
  const scene = agentScenes('acp:puppet');

  const reply = async (puppet: Puppet, method: string, said: object) => {
    const asked = await puppet.messageLike((message) => message['method'] === method);
    await puppet.say({ jsonrpc: '2.0', id: asked['id'], result: said });
  };

  it('R5 T9 has its sums taken as whole numbers from 0 on, and its turn ends', async () => {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await reply(puppet, 'initialize', { protocolVersion: 1, agentCapabilities: {} });
    await reply(puppet, 'session/new', { sessionId: 'acp-1' });
    await reply(puppet, 'session/prompt', {
      stopReason: 'end_turn',
      usage: { inputTokens: 1.6, outputTokens: -5, cachedReadTokens: 1e300 },
    });
    const { data } = await scene.host.next('turn_ended');
    assert.equal(data.status, 'completed');
    assert.deepEqual(data.usage, { inputTokens: 2, outputTokens: 0, cachedTokens: 1e12 });
    const { trouble } = await scene.host.request('store/status', {});
    assert.equal(trouble, undefined);
  });
});

describe('an mcp.json that is nested too deep', () => {
  for (const trusted of [false, true])
    it(`A11 R11 keeps no host from starting, and is listed (trusted: ${String(trusted)})`, async () => {
      const workspace = mkdtempSync(join(tmpdir(), 'belay-hostile-'));
      const storeDir = mkdtempSync(join(tmpdir(), 'belay-hostile-'));
      mkdirSync(join(workspace, '.vscode'));
      writeFileSync(
        join(workspace, '.vscode', 'mcp.json'),
        `{"servers":{"a":{"command":"x","args":${deep}}}}`,
      );
      const host = HostClient.spawn({ workspace, storeDir, trusted });
      try {
        await host.initialize();
        const { items } = await host.request('server/list', {});
        assert.deepEqual(
          items.map(({ name, state, error }) => [name, state, error]),
          [
            trusted
              ? ['.vscode/mcp.json', 'failed', 'It must be JSON with an object "servers".']
              : ['.vscode/mcp.json', 'idle', undefined],
          ],
        );
      } finally {
        await host.stop();
        for (const folder of [workspace, storeDir]) rmSync(folder, { recursive: true, force: true });
      }
    });
});
