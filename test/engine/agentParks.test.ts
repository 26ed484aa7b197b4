import assert from 'node:assert/strict';
import { Rig } from './rig';

/** No adapter of today's agents declares these: a harness that parks calls by itself is played by the rig's. */
describe('a harness that parks a call by itself', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await new Rig().open();
  });
  afterEach(() => rig.close());

  it('C5 C8 is answered with its next prompt, a denial as a denial', async () => {
    rig.clients.come('gated_client', 'w1');
    for (const policy of ['defer', 'native'] as const) {
      rig.agent.can = { ...rig.agent.can, waits: policy };
      await rig.send(await rig.session('ask', { kind: 'harness', harness: 'rig' }), 'go');
      await rig.quiet();
      const { signal } = new AbortController();
      const { tools } = rig.agent;
      await tools.call('ask', { question: policy }, { signal, callId: `asked_${policy}` });
      await tools.call('gated_client', { n: 1 }, { signal, callId: `gated_${policy}` });
      await rig.agent.end();
      await rig.quiet();
      const approval = rig.snapshot.needs.find((need) => need.kind === 'approval');
      assert.ok(approval?.kind === 'approval');
      const question = rig.snapshot.needs.find((need) => need.kind === 'question');
      assert.ok(question?.kind === 'question');
      await rig.engine.answer(question.question.id, { text: `for ${policy}` }, 'you');
      await rig.quiet();
      await rig.agent.end();
      await rig.quiet();
      assert.match(rig.agent.prompts.at(-1)!.text, new RegExp(`for ${policy}"`));
      const { id, request } = approval.approval;
      const verdict = { decision: 'deny', reason: `not ${policy}`, scope: 'once', by: 'you' } as const;
      await rig.engine.verdict({ approval: id, request, ...verdict });
      await rig.quiet();
      assert.match(rig.agent.prompts.at(-1)!.text, new RegExp(`denied[^]*not ${policy}`));
      await rig.agent.end();
      await rig.quiet();
      assert.deepEqual(rig.snapshot.needs, []);
    }
  });
});
