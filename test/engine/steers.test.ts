import assert from 'node:assert/strict';
import type { SessionId } from '../../protocol';
import { plannedCall, Rig } from './rig';

describe('a steer that came before the wait', () => {
  let rig: Rig;
  let session: SessionId;

  beforeEach(async () => {
    rig = await new Rig().open();
    session = await rig.session('ask');
    await rig.send(session, 'go');
    await rig.quiet();
    rig.answers[0]?.give({ calls: [plannedCall('c1', 'free'), plannedCall('c2', 'gated')] });
    await rig.quiet();
    await rig.send(session, 'wait a moment');
    await rig.quiet();
  });
  afterEach(() => rig.close());

  const lifted = () =>
    rig.events.flatMap((event) => (event.type === 'call_lifted' ? [event.data.call_id] : []));

  it('L1 lifts a wait for a verdict that begins while it is unread, after the grace', async () => {
    rig.runs[0]?.finish();
    await rig.quiet();
    assert.deepEqual(lifted(), []);
    await rig.advance(250);
    assert.deepEqual(lifted(), ['c2']);
    assert.equal(rig.answers.length, 1, 'the model reads the message');
    assert.equal(rig.answers[0]?.items.at(-1)?.kind, 'user');
  });

  it('L1 lifts one that is parked at once, because nothing is held live', async () => {
    rig.settings = { ...rig.settings, holdMs: 0 };
    rig.runs[0]?.finish();
    await rig.quiet();
    await rig.advance(250);
    assert.deepEqual(lifted(), ['c2']);
  });

  it('L1 lifts a command that begins while it is unread', async () => {
    const row = rig.snapshot.needs[0];
    assert.ok(row?.kind === 'approval');
    await rig.engine.verdict({
      approval: row.approval.id,
      request: 1,
      decision: 'allow',
      reason: undefined,
      scope: 'once',
      by: 'one',
    });
    rig.runs[0]?.finish();
    await rig.quiet();
    assert.equal(rig.runs.length, 1, 'the command runs');
    await rig.advance(250);
    assert.deepEqual(lifted(), ['c2']);
    assert.equal(rig.runs.length, 1, 'and goes on running');
  });
});
