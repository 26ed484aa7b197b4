import './vscodeStub';
import assert from 'node:assert/strict';
import { Emitter } from 'vscode-jsonrpc/node';
import type { HostStatus } from '../../extension/hostClient';
import { SnapshotStore, type Change } from '../../extension/state';
import type { BelayEvent, Snapshot } from '../../protocol';
import { FakeClock } from './fakeClock';
import { approval, asks, snapshot } from './samples';

describe('the snapshot that all lists show', () => {
  const ready: HostStatus = { kind: 'ready', readOnly: false, warnings: [] };
  let events: Emitter<BelayEvent>;
  let statuses: Emitter<HostStatus>;
  let store: SnapshotStore;
  let changes: Change[];
  let subscriptions: ((given: Snapshot | Error) => Promise<void>)[];
  let warnings: string[];
  let clock: FakeClock;

  beforeEach(() => {
    events = new Emitter();
    statuses = new Emitter();
    changes = [];
    subscriptions = [];
    warnings = [];
    const source = {
      onEvent: events.event,
      onStatus: statuses.event,
      request: () =>
        new Promise<{ seq: number; snapshot: Snapshot }>((resolve, reject) =>
          subscriptions.push(async (given) => {
            if (given instanceof Error) reject(given);
            else resolve({ seq: given.seq, snapshot: given });
            await Promise.resolve();
            await Promise.resolve();
          }),
        ),
    };
    clock = new FakeClock();
    store = new SnapshotStore(source, (text) => warnings.push(text), clock);
    store.onChange((change) => changes.push(change));
  });

  /** Read anew each time: the compiler must not take it for what it was before. */
  const now = (): Snapshot | undefined => store.current;
  const answered = (seq: number, id = 'a1'): BelayEvent =>
    ({
      seq,
      at: 0,
      session: 's1',
      turn: 't1',
      type: 'approval_answered',
      data: { id, request: 1, call_id: 'call_0_0', decision: 'allow', by: 'test' },
    }) as unknown as BelayEvent;
  const asked = (seq: number, id: string): BelayEvent => {
    const { call, session, turn, ...rest } = approval({ id, call: `call_${id}` });
    return { seq, at: 0, session, turn, type: 'approval_requested', data: { ...rest, call_id: call } };
  };

  it('is unknown until a host has answered, and folds its events from then on', async () => {
    assert.equal(now(), undefined);
    statuses.fire(ready);
    await subscriptions[0]?.(snapshot({ seq: 5, needs: [asks()] }));
    assert.equal(now()?.needs.length, 1);
    events.fire(answered(6));
    assert.deepEqual(now()?.needs, []);
    assert.equal(changes.length, 2);
    assert.equal(changes[1]?.event?.seq, 6);
  });

  it('drops events that the snapshot already holds and keeps those that came while it was on its way', async () => {
    statuses.fire(ready);
    events.fire(answered(4));
    events.fire(asked(6, 'a2'));
    await subscriptions[0]?.(snapshot({ seq: 5, needs: [asks()] }));
    assert.deepEqual(
      now()?.needs.map((need) => need.kind === 'approval' && need.approval.id),
      ['a1', 'a2'],
    );
  });

  it('reads everything again when events are missing', async () => {
    statuses.fire(ready);
    await subscriptions[0]?.(snapshot({ seq: 5, needs: [asks()] }));
    events.fire(answered(9));
    assert.equal(now()?.needs.length, 1, 'an event after a gap is not folded');
    assert.match(warnings[0] ?? '', /6 to 8/);
    await subscriptions[1]?.(snapshot({ seq: 9 }));
    assert.deepEqual(now()?.needs, []);
    assert.equal(now()?.seq, 9);
  });

  it('R6 is asked for again where the host could not answer: later and later, and sooner when it tells of something', async () => {
    const failure = new Error('The disk reported an error.');
    statuses.fire(ready);
    await subscriptions[0]?.(failure);
    clock.turn(999);
    assert.equal(subscriptions.length, 1);
    clock.turn(1);
    assert.equal(subscriptions.length, 2);
    await subscriptions[1]?.(failure);
    clock.turn(1_999);
    assert.equal(subscriptions.length, 2);
    events.fire(asked(6, 'a2'));
    assert.equal(subscriptions.length, 3);
    await subscriptions[2]?.(snapshot({ seq: 6, needs: [asks()] }));
    assert.equal(now()?.needs.length, 1);
    clock.turn(60_000);
    assert.equal(subscriptions.length, 3, 'nothing asks once there is an answer');
  });

  it('R10 a host that tells of much but cannot list is asked once a second, and each gap is warned of once', async () => {
    statuses.fire(ready);
    await subscriptions[0]?.(snapshot({ seq: 5 }));
    events.fire(answered(9));
    const failure = new Error('The disk reported an error.');
    for (let n = 1; n < 8; n += 1) {
      await subscriptions[n]?.(failure);
      for (let seq = 10; seq < 30; seq += 1) events.fire(answered(seq));
      assert.equal(subscriptions.length, n + 1);
      clock.turn(999);
      assert.equal(subscriptions.length, n + 1);
      clock.turn(1);
      assert.equal(subscriptions.length, n + 2);
    }
    assert.equal(warnings.filter((text) => text.includes('are missing')).length, 1);
    await subscriptions[8]?.(snapshot({ seq: 30 }));
    assert.equal(now()?.seq, 30);
    assert.equal(clock.pending, 0);
  });

  it('keeps the lists while a crashed host is started again, and empties them when it has failed', async () => {
    statuses.fire(ready);
    await subscriptions[0]?.(snapshot({ needs: [asks()] }));
    statuses.fire({ kind: 'restarting', why: 'x' });
    assert.equal(now()?.needs.length, 1);
    statuses.fire({ kind: 'failed', why: 'x', code: 'host_failed' });
    assert.equal(now(), undefined);
    assert.equal(changes.at(-1)?.snapshot, undefined);
  });

  it('tells those who wait for the first snapshot', async () => {
    const known = store.known();
    statuses.fire(ready);
    await subscriptions[0]?.(snapshot({ seq: 3 }));
    assert.equal((await known).seq, 3);
  });
});
