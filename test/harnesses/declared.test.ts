import assert from 'node:assert/strict';
import { acp } from '../../host/adapters/harnesses/acp/client';
import { claude } from '../../host/adapters/harnesses/claude/client';
import { codexAppServer } from '../../host/adapters/harnesses/codexAppServer/client';
import { codexExec } from '../../host/adapters/harnesses/codexExec/client';
import { toolWay } from '../../host/engine/questions/ways';
import { waitPlan } from '../../host/engine/questions/waitPolicy';

describe('what each adapter declares', () => {
  it('C3 C5 C6 the way for tools, and what becomes of a call that waits for a person', () => {
    const declared = { codexAppServer, claude, codexExec, acp };
    const told = Object.entries(declared).map(([name, { capabilities: can }]) => [
      name,
      toolWay(can.reach),
      waitPlan(can.waits, can.holdLimitMs),
    ]);
    assert.deepEqual(told, [
      // Both hold a call of their own protocol for as long as it takes.
      ['codexAppServer', 'native', { kind: 'hold', ms: undefined }],
      ['claude', 'native', { kind: 'hold', ms: undefined }],
      // It is started with a limit of an hour, ten seconds before which the call is acknowledged.
      ['codexExec', 'socket', { kind: 'hold', ms: 3_590_000 }],
      // Nobody knows the limit of any agent: that of the MCP SDKs is kept.
      ['acp', 'http', { kind: 'hold', ms: 50_000 }],
    ]);
  });

  it('H4 a ladder that ends by force, and asks first where the agent can be asked', () => {
    for (const { capabilities } of [codexAppServer, claude, codexExec, acp]) {
      const kinds = capabilities.ladder.map((step) => (step.kind === 'signal' ? step.signal : step.kind));
      assert.equal(kinds.at(-1), 'SIGKILL');
      assert.ok(kinds.indexOf('SIGTERM') < kinds.length - 1);
      assert.ok(!kinds.includes('protocol') || kinds[0] === 'protocol');
    }
  });
});
