import assert from 'node:assert/strict';
import type { Agent, EventType, SessionId } from '../../protocol';
import { plannedCall, Rig } from './rig';

/** Deeper than any stack that would write it. */
const DEEP = 200_000;
const deepArgs = `{"a":${'['.repeat(DEEP)}1${']'.repeat(DEEP)}}`;
/** No JSON can hold it. */
const UNWRITABLE = { count: 1n };
const AGENT: Agent = { kind: 'harness', harness: 'rig' };

describe('a fact that cannot be written', () => {
  let rig: Rig;
  let session: SessionId;

  beforeEach(async () => {
    rig = await new Rig().open();
    session = await rig.session('full');
  });
  afterEach(() => rig.close());

  const told = (type: EventType) =>
    rig.events.flatMap((event) => (event.type === type ? [event.data as Record<string, unknown>] : []));
  /** A turn that begins and ends as if nothing had been. */
  const goesOn = async (id: SessionId) => {
    const before = told('turn_ended').length;
    await rig.send(id, 'more');
    await rig.quiet();
    rig.answers[0]?.give({ text: 'fine' });
    await rig.quiet();
    assert.deepEqual(
      told('turn_ended')
        .slice(before)
        .map((one) => one['status']),
      ['completed'],
    );
  };

  it('R5 R11 of a model’s answer ends the turn as failed, and the next message starts the next one', async () => {
    await rig.send(session, 'go');
    await rig.quiet();
    rig.answers[0]?.give({ calls: [{ callId: 'c1', tool: 'gated', args: deepArgs }] });
    await rig.quiet();
    assert.deepEqual(
      told('turn_ended').map(({ status, code }) => [status, code]),
      [['failed', 'internal']],
    );
    await goesOn(session);
  });

  it('R5 R11 of a call’s result ends that call with an error that the model reads, and the turn goes on', async () => {
    await rig.send(session, 'go');
    await rig.quiet();
    rig.answers[0]?.give({ calls: [plannedCall('c1', 'gated'), plannedCall('c2', 'gated')] });
    await rig.quiet();
    rig.runs[0]?.finish(UNWRITABLE);
    await rig.quiet();
    rig.runs[0]?.finish();
    await rig.quiet();
    assert.deepEqual(
      told('tool_completed').map(({ call_id, failed }) => [call_id, failed]),
      [
        ['c1', true],
        ['c2', false],
      ],
    );
    rig.answers[0]?.give({ text: 'done' });
    await rig.quiet();
    assert.deepEqual(
      told('turn_ended').map((one) => one['status']),
      ['completed'],
    );
    assert.deepEqual(rig.violations, []);
  });

  it('R5 L9 of work in the background ends its handle, once', async () => {
    await rig.send(session, 'go');
    await rig.quiet();
    rig.answers[0]?.give({ calls: [plannedCall('c1', 'gated', { background: true })] });
    await rig.quiet();
    rig.runs[0]?.finish(UNWRITABLE);
    await rig.quiet();
    assert.deepEqual(
      told('handle_ended').map((one) => one['end']),
      ['failed'],
    );
  });

  it('R5 of a step is what its script reads, and the steps beside it are written', async () => {
    await rig.send(session, 'go');
    await rig.quiet();
    rig.answers[0]?.give({ calls: [plannedCall('c1', 'gated')] });
    await rig.quiet();
    const steps = rig.runs[0]?.steps;
    const results = Promise.all([steps?.call('free', deepArgs), steps?.call('free', '{}')]);
    await rig.quiet();
    rig.runs.find((one) => one.call === 'c1.2')?.finish();
    assert.deepEqual(
      (await results).map((one) => one?.failed),
      [true, false],
    );
  });

  it('R5 of an outside agent’s run ends its turn behind what could be written, and is no trouble of the store', async () => {
    const id = await rig.session('full', AGENT);
    const troubles: unknown[] = [];
    rig.opened.store.onTrouble((trouble) => troubles.push(trouble));
    await rig.send(id, 'go');
    await rig.quiet();
    await Promise.all([
      rig.agent.tell({ kind: 'message', text: 'so far' }),
      rig.agent.tell({ kind: 'usage', usage: { inputTokens: 1.5, outputTokens: 0, cachedTokens: 0 } }),
    ]);
    await rig.quiet();
    assert.deepEqual(
      told('message_completed').map((one) => one['text']),
      ['so far'],
    );
    assert.deepEqual(
      told('turn_ended').map(({ status, code }) => [status, code]),
      [['failed', 'internal']],
    );
    assert.deepEqual(troubles, []);
    await rig.send(id, 'more');
    await rig.quiet();
    assert.equal(rig.agent.prompts.length, 2);
    await rig.agent.end();
    await rig.quiet();
    assert.equal(told('turn_ended').at(-1)?.['status'], 'completed');
  });
});
