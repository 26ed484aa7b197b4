import assert from 'node:assert/strict';
import { Rig } from './rig';

describe('an agent that leaves', () => {
  let rig: Rig;
  beforeEach(async () => (rig = await new Rig().open()));
  afterEach(() => rig.close());

  it('C6 C8 an agent that leaves while its question is written down is told the answer all the same', async () => {
    rig.agent.can = { ...rig.agent.can, waits: 'hold' };
    await rig.send(await rig.session('ask', { kind: 'harness', harness: 'rig' }), 'go');
    await rig.quiet();
    const abort = new AbortController();
    const reply = rig.agent.tools.call(
      'ask',
      { question: 'Which?' },
      { callId: 'call_1', signal: abort.signal },
    );
    // Within one moment of the loop: the question is in the store, and the disk has not taken it yet.
    const isPut = () => rig.ledger.read((tx) => tx.openQuestions().length > 0);
    for (let step = 0; step < 100 && !isPut(); step += 1) await Promise.resolve();
    assert.ok(isPut());
    abort.abort();
    await rig.quiet();
    assert.deepEqual(await reply, { kind: 'dropped' });
    const [question] = rig.snapshot.needs.flatMap((need) =>
      need.kind === 'question' ? [need.question] : [],
    );
    assert.ok(question !== undefined);
    assert.equal(question.handle, 'proc:1');
    await rig.engine.answer(question.id, { text: 'later' }, 'you');
    await rig.quiet();
    const ends = rig.events.flatMap((event) =>
      event.type === 'lifted_ended' ? [[event.data.outcome, event.data.result]] : [],
    );
    assert.deepEqual(ends, [['answered', { answer: 'later' }]]);
  });
});
