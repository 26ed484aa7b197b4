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

describe('a steer that is removed before it is read', () => {
  let rig: Rig;

  beforeEach(async () => (rig = await new Rig().open()));
  afterEach(() => rig.close());

  it('L1 L5 lifts nothing any more: a command behind it runs as it was asked for', async () => {
    const session = await rig.session('full');
    await rig.send(session, 'go');
    await rig.quiet();
    rig.answers[0]?.give({
      calls: [plannedCall('c1', 'gated'), plannedCall('c2', 'free'), plannedCall('c3', 'gated')],
    });
    await rig.quiet();
    await rig.send(session, 'wait a moment');
    await rig.advance(250);
    const [message] = rig.snapshot.unread;
    assert.ok(message !== undefined);
    await rig.engine.remove(message.id);
    rig.runs.find((run) => run.call === 'c2')?.finish();
    await rig.quiet();
    assert.ok(rig.runs.some((run) => run.call === 'c3'));
    assert.deepEqual(
      rig.events.flatMap((event) => (event.type === 'call_lifted' ? [event.data.call_id] : [])),
      ['c1'],
    );
    assert.ok(!rig.events.some((event) => event.type === 'tool_completed' && event.data.call_id === 'c3'));
  });
});
