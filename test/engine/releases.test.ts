import assert from 'node:assert/strict';
import type { SessionId } from '../../protocol';
import { plannedCall, Rig } from './rig';

describe('a release of what was held', () => {
  let rig: Rig;
  let sessions: readonly SessionId[];

  beforeEach(async () => {
    rig = await new Rig().open();
    sessions = [await rig.session('full'), await rig.session('full')];
    for (const session of sessions) {
      await rig.send(session, 'go');
      await rig.quiet();
      rig.answers[0]?.give({ calls: [plannedCall('c1', 'gated')] });
      await rig.quiet();
    }
    await rig.engine.pull('one', undefined);
    await rig.quiet();
  });
  afterEach(() => rig.close());

  it('P7 R5 is kept back by no turn that cannot go on: that one ends as failed, and the others go on', async () => {
    const [broken] = rig.ledger.look((tables) => tables.turnsByStatus('paused'));
    assert.ok(broken !== undefined && rig.answers.length === 0);
    const unfit = { ...rig.ledger.look((tables) => tables.round(broken.id))[0]?.prepared, title: 1 };
    await rig.ledger.commit((tx) =>
      tx.changeCall(broken.id, plannedCall('c1', 'gated').callId as never, { prepared: unfit as never }),
    ).durable;
    await rig.engine.release('one');
    await rig.quiet();
    assert.equal(rig.answers.length, 1, 'the other turn asks its model');
    assert.deepEqual(
      rig.events.flatMap((event) =>
        event.type === 'turn_ended' ? [[event.data.turn, event.data.status, event.data.code]] : [],
      ),
      [[broken.id, 'failed', 'internal']],
    );
  });
});
