import assert from 'node:assert/strict';
import type { SessionId } from '../../protocol';
import { StoreError } from '../../host/store/errors';
import { FaultyFiles } from '../store/support';
import { plannedCall, Rig } from './rig';

describe('a full disk under a working agent', () => {
  let rig: Rig;
  let files: FaultyFiles;
  let session: SessionId;

  beforeEach(async () => {
    rig = await new Rig((clock) => (files = new FaultyFiles(clock))).open();
    session = await rig.session('full');
  });
  afterEach(() => rig.close());

  for (const [at, errno, code] of [
    ['write', 'ENOSPC', 'store_full'],
    ['sync', 'ENOSPC', 'store_full'],
    // Busy is not taken over: the lease is still this host's (D4).
    ['write', 'EBUSY', 'store_io'],
    ['sync', 'EBUSY', 'store_io'],
  ] as const)
    it(`D8 R1 a result that the disk refuses (${errno}, ${at}) is recorded once there is room, and nothing is lost or done twice`, async () => {
      await rig.send(session, 'go');
      await rig.quiet();
      rig.answers[0]?.give({ calls: [plannedCall('c1', 'gated'), plannedCall('c2', 'gated')] });
      await rig.quiet();
      assert.equal(rig.runs.length, 1);
      files.fail = (operation) => (operation === at ? errno : undefined);
      rig.runs[0]?.finish();
      await rig.quiet();
      assert.equal(
        rig.events.some((event) => event.type === 'tool_completed'),
        false,
        'nothing is told that is not on disk',
      );
      assert.equal(rig.runs.length, 0, 'and nothing is begun on it');
      await assert.rejects(
        rig.send(session, 'more'),
        (error: unknown) => error instanceof StoreError && error.code === code,
      );
      await rig.advance(500);
      assert.equal(rig.runs.length, 0);
      files.fail = () => undefined;
      await rig.advance(5_000);
      assert.deepEqual(rig.events.filter((event) => event.type === 'tool_completed').length, 1);
      assert.equal(rig.runs.length, 1, 'the next call goes on');
      rig.runs[0]?.finish();
      await rig.quiet();
      assert.deepEqual(
        rig.begun.filter((one) => one.startsWith('run ')),
        ['run t1/c1', 'run t1/c2'],
      );
      assert.equal((await rig.send(session, 'more')).state, 'steering');
      assert.deepEqual(rig.opened.store.check(), []);
    });

  for (const at of ['write', 'sync'] as const)
    it(`D8 R1 R8 ends that the disk refuses (${at}) wait in one line with one deadline, and are told in the order in which they happened`, async () => {
      const sessions: SessionId[] = [];
      for (let n = 0; n < 4; n++) {
        const id = await rig.session('full');
        await rig.send(id, 'go');
        await rig.quiet();
        rig.answers[0]?.give({ calls: [plannedCall('c', 'gated')] });
        await rig.quiet();
        sessions.push(id);
      }
      const [first, second, third, fourth] = rig.runs;
      const idle = rig.engine.schedule.size;
      files.fail = (operation) => (operation === at ? 'ENOSPC' : undefined);
      first?.finish();
      await rig.quiet();
      // The pauses of the first are long by now; those of one that comes later would be short.
      await rig.advance(800);
      second?.finish();
      third?.finish();
      await rig.quiet();
      assert.equal(rig.engine.schedule.size, idle + 1);
      await rig.advance(10);
      files.fail = () => undefined;
      fourth?.finish();
      await rig.quiet();
      await rig.advance(5_000);
      const told = rig.events.flatMap((event) => (event.type === 'tool_completed' ? [event.session] : []));
      assert.deepEqual(told, sessions);
      assert.equal(rig.engine.schedule.size, idle);
      assert.deepEqual(rig.opened.store.check(), []);
    });

  it('D8 R5 an end that the disk has refused is tried once more when the host stops', async () => {
    const id = await rig.session('full');
    await rig.send(id, 'go');
    await rig.quiet();
    rig.answers[0]?.give({ calls: [plannedCall('c', 'gated')] });
    await rig.quiet();
    files.fail = (operation) => (operation === 'write' ? 'ENOSPC' : undefined);
    rig.runs[0]?.finish({ stdout: 'its own end' });
    await rig.quiet();
    files.fail = () => undefined;
    await rig.engine.stop(0);
    await rig.quiet();
    const told = rig.events.flatMap((event) => (event.type === 'tool_completed' ? [event.data.result] : []));
    assert.deepEqual(told, [{ stdout: 'its own end' }]);
  });

  it('P1 P4 a pull on a full disk ends what a client does at once, and is told of once there is room', async () => {
    rig.clients.come('served', 'w1');
    await rig.send(session, 'go');
    await rig.quiet();
    rig.answers[0]?.give({ calls: [plannedCall('c', 'served')] });
    await rig.quiet();
    const signal = rig.clients.pending[0]?.signal;
    files.fail = (operation) => (operation === 'write' ? 'ENOSPC' : undefined);
    const pull = rig.engine.pull('you', undefined);
    await rig.quiet();
    assert.equal(signal?.aborted, true);
    await rig.advance(1_000);
    assert.deepEqual(
      (await pull).ended.map((one) => one.id),
      ['c'],
    );
    const told = () =>
      rig.events.flatMap(({ type }) =>
        type === 'tool_completed' || type === 'host_paused' || type === 'host_quiet' ? [type] : [],
      );
    assert.deepEqual(told(), []);
    files.fail = () => undefined;
    await rig.advance(5_000);
    assert.deepEqual(told(), ['tool_completed', 'host_paused', 'host_quiet']);
    assert.deepEqual(
      rig.ledger.read((tx) => [tx.cord().pulled, tx.cord().told]),
      [true, true],
    );
    await rig.engine.release('you');
    await rig.quiet();
    assert.equal(rig.clients.pending.length, 0, 'it is not run again');
    assert.deepEqual(rig.opened.store.check(), []);
  });
});
