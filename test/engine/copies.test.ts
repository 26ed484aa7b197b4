import assert from 'node:assert/strict';
import { TOLD, type SessionId } from '../../protocol';
import { readSessionText } from '../../host/engine/driver/sessionText';
import { StoreError } from '../../host/store/errors';
import { FaultyFiles } from '../store/support';
import { plannedCall, Rig } from './rig';

/** Turns of the file: several pieces. */
const TURNS = 40;
/** Turns whose events are removed in several pieces, before the first of their own rows. */
const MANY_TURNS = 200;

describe('copies and removals in pieces', () => {
  let rig: Rig;
  let files: FaultyFiles;
  let session: SessionId;
  /** The rows of the first session alone. */
  let alone: readonly number[];

  beforeEach(async () => {
    rig = await new Rig((clock) => (files = new FaultyFiles(clock))).open();
    session = await rig.session('full');
    await rig.send(session, 'go');
    await rig.quiet();
    rig.answers[0]?.give({ calls: [plannedCall('c1', 'gated')] });
    await rig.quiet();
    rig.runs[0]?.finish({ text: 'x'.repeat(10_000) });
    await rig.quiet();
    rig.answers[0]?.give({ text: 'Done.' });
    await rig.quiet();
    alone = rows();
  });
  afterEach(() => rig.close());

  /** The file of a session with the turn many times over. */
  async function longText(count = TURNS) {
    const types: ReadonlySet<string> = new Set(TOLD);
    const told = rig.ledger
      .look((tables) => tables.sessionEvents(session, 0))
      .filter(({ event }) => event.turn !== undefined && types.has(event.type))
      .map(({ event: { at, type, data } }) => ({ at, type, data }));
    const head = { title: 'long', agent: { kind: 'model', model: 'rig/m' }, mode: 'ask' };
    const turns = Array.from({ length: count }, () => ({ told }));
    return readSessionText(JSON.stringify({ version: 1, session: head, turns }));
  }

  const imported = async (count = TURNS) =>
    (await rig.engine.importSession(await longText(count), '/work')).session.id;
  const rows = () =>
    rig.opened.store.read((q) =>
      ['sessions', 'turns', 'events', 'blobs', 'kept', 'calls', 'unlisted'].map((table) =>
        Number(
          q.get(`SELECT count(*) FROM ${table} ${table === 'events' ? 'WHERE turn IS NOT NULL' : ''}`)?.[0],
        ),
      ),
    );
  /** Fails the n-th write from now on, and all after it. */
  const failFrom = (n: number, code: string): void => {
    let left = n;
    files.fail = (operation, path) =>
      operation === 'write' && path.endsWith('-wal') && left-- <= 0 ? code : undefined;
  };

  it('D1 a piece at a time: others commit between two pieces, and lists know of none of them', async () => {
    const seen: number[] = [];
    let isOver = false;
    const work = imported().finally(() => (isOver = true));
    let turns = 0;
    while (!isOver) {
      const now = rows();
      seen.push(now[1] ?? 0);
      assert.equal(
        rig.ledger.look((tables) => tables.sessions(undefined, undefined, 10)).length,
        isOver ? 2 : now[0],
      );
      if ((now[1] ?? 0) > 1 && turns === 0) {
        turns = now[1] ?? 0;
        await rig.engine.changeSession(session, { title: 'meanwhile' });
      } else await new Promise<void>((resolve) => void setImmediate(resolve));
    }
    const id = await work;
    assert.ok(new Set(seen).size > 3, `pieces: ${[...new Set(seen)].join(' ')}`);
    assert.equal(rig.ledger.look((tables) => tables.turnIds(id)).length, TURNS);
    const order = rig.events.map((event) => event.type);
    assert.ok(order.lastIndexOf('session_updated') < order.lastIndexOf('session_created'));
  });

  for (const what of ['import', 'fork'] as const)
    for (const at of [0, 1, 2, 4])
      it(`D8 D2 a full disk at write ${String(at)} of the ${what} is told by its code, and leaves nothing`, async () => {
        const id = await imported();
        const before = rows();
        const text = await longText();
        failFrom(at, 'ENOSPC');
        await assert.rejects(
          what === 'import'
            ? rig.engine.importSession(text, '/work')
            : rig.engine.forkSession({ session: id }),
          (error: unknown) => error instanceof StoreError && error.code === 'store_full',
        );
        files.fail = () => undefined;
        await rig.advance(5_000);
        await rig.crash();
        await rig.quiet();
        assert.deepEqual(rows(), before);
        assert.deepEqual(rig.opened.store.check(), []);
      });

  it('D2 R6 a crash in the middle of a fork, and of a removal, leaves nothing after the next start', async () => {
    const id = await imported();
    const before = rows();
    rig.engine.forkSession({ session: id }).catch(() => undefined);
    while ((rows()[1] ?? 0) < (before[1] ?? 0) + 3) await new Promise<void>((go) => void setImmediate(go));
    await rig.crash();
    await rig.quiet();
    assert.deepEqual(rows(), before);

    rig.engine.deleteSession(id).catch(() => undefined);
    while ((rows()[2] ?? 0) === before[2]) await new Promise<void>((go) => void setImmediate(go));
    await rig.crash();
    await rig.quiet();
    assert.deepEqual(rows(), alone);
    assert.equal(rig.ledger.look((tables) => tables.turnIds(id)).length, 0);
  });

  for (const count of [TURNS, MANY_TURNS])
    it(`R9 R5 a session of ${String(count)} turns that is deleted while it is copied makes no half of a copy`, async () => {
      const id = await imported(count);
      const copying = rig.engine.forkSession({ session: id });
      const refused = assert.rejects(copying, (error: unknown) => Object(error).code === 'session_busy');
      await rig.engine.deleteSession(id);
      await refused;
      assert.deepEqual(rows(), alone);
    });

  it('T5 R5 a turn that ends while it is copied is interrupted in the copy, in lists as in the transcript', async () => {
    const id = await imported();
    await rig.send(id, 'more');
    await rig.quiet();
    const copying = rig.engine.forkSession({ session: id });
    rig.answers[0]?.give({ text: 'Over.' });
    const { session: copy } = await copying;
    rig.ledger.look((tables) => {
      assert.equal(tables.lastTurn(id)?.status, 'completed');
      const row = tables.lastTurn(copy.id);
      const told = tables.sessionEvents(copy.id, -Number.MAX_SAFE_INTEGER).map(({ event }) => event);
      const end = told.findLast((event) => event.type === 'turn_ended');
      assert.ok(end?.type === 'turn_ended' && row !== undefined);
      assert.deepEqual([row.status, row.rounds, row.usage], ['interrupted', 0, end.data.usage]);
      assert.deepEqual(
        [end.data.turn, end.data.status, end.data.code, end.data.detail],
        [row.id, row.status, row.code, row.detail],
      );
    });
  });
});
