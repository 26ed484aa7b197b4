import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../host/base/clock';
import type { Query, Store } from '../../host/store/contract';
import { StoreError, StoreMisuse } from '../../host/store/errors';
import { nodeFileOps } from '../../host/store/files';
import { openReadOnly } from '../../host/store/readOnly';
import { WAL_IDLE_MS } from '../../host/store/writableStore';
import { Child } from './child';
import { add, quiet, Rig, wasm } from './support';

/** How often the writer must have folded its log while it was read. */
const FOLDS = 3;

describe('store: a reader beside the writer', () => {
  const rig = new Rig();
  const readers: Store[] = [];
  afterEach(async () => {
    for (const reader of readers.splice(0)) await reader.dispose();
    await rig.end();
  });

  async function read(dir: string, newest = 1): Promise<Store> {
    const reader = await openReadOnly({ dir, wasm, newest, clock: systemClock, log: quiet });
    readers.push(reader);
    return reader;
  }

  const bodies = (reader: Store): string[] =>
    reader.read((q) => q.all('SELECT body FROM note ORDER BY id')).map((row) => String(row[0]));

  it('sees every commit, before and after the log is folded, and changes no byte (D4)', async () => {
    const dir = rig.folder();
    const writer = await rig.open(dir);
    const reader = await read(dir);
    const expected: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (let note = 0; note < 30; note += 1) {
        const body = `${round} ${note}`.padEnd(12_000, '.');
        void add(writer, body);
        expected.push(body);
        assert.equal(bodies(reader).length, expected.length);
      }
      await writer.store.settled();
      assert.deepEqual(bodies(reader), expected);
      const before = readdirSync(dir).map((name) => readFileSync(join(dir, name)).toString('base64'));
      assert.deepEqual(reader.check(), []);
      assert.deepEqual(
        readdirSync(dir).map((name) => readFileSync(join(dir, name)).toString('base64')),
        before,
      );
      rig.clock.advance(WAL_IDLE_MS);
      assert.equal(writer.store.stats().walBytes, 0);
      assert.deepEqual(bodies(reader), expected);
    }
    assert.equal(existsSync(join(dir, 'belay.db-shm')), false);
    await writer.store.dispose();
    assert.deepEqual(bodies(reader), expected);
  });

  it('writes nothing: commits, writing reads and a newer store are refused', async () => {
    const dir = rig.folder();
    const writer = await rig.open(dir, {
      migrations: [1, 2].map((version) => ({
        version,
        up: (q) => q.script(`CREATE TABLE t${version} (a ANY) STRICT`),
      })),
    });
    const reader = await read(dir, 2);
    assert.equal(reader.readOnly, true);
    assert.throws(
      () => reader.commit(() => 1),
      (error) => error instanceof StoreError && error.code === 'store_read_only',
    );
    assert.throws(() => reader.read((q) => q.all('INSERT INTO t1 VALUES (1) RETURNING a')), StoreMisuse);
    await assert.rejects(
      read(dir, 1),
      (error) => error instanceof StoreError && error.code === 'store_newer',
    );
    await reader.settled();
    await writer.store.dispose();
  });

  it('sees every commit where files keep their times in coarse ticks', async () => {
    const dir = rig.folder();
    const writer = await rig.open(dir);
    for (let note = 0; note < 100; note += 1) await add(writer, `${note}`.padEnd(4_000, '.'));
    // From here on the log is written over, so that its length tells nothing.
    rig.clock.advance(WAL_IDLE_MS);
    const real = nodeFileOps(systemClock);
    const coarse = {
      ...real,
      state: (path: string) => {
        const state = real.state(path);
        return state === undefined
          ? undefined
          : { ...state, changed: state.changed - (state.changed % 15_000_000n) };
      },
    };
    const reader = await openReadOnly({
      dir,
      wasm,
      newest: 1,
      clock: systemClock,
      log: quiet,
      files: coarse,
    });
    readers.push(reader);
    for (let note = 100; note < 200; note += 1) {
      await add(writer, `${note}`);
      assert.equal(bodies(reader).length, note + 1);
    }
  });

  it('repeats a read under which the log was folded', async () => {
    const dir = rig.folder();
    const writer = await rig.open(dir);
    for (let note = 0; note < 100; note += 1) await add(writer, `${note}`.padEnd(4_000, '.'));
    const reader = await read(dir);
    let tries = 0;
    const counts = reader.read((q: Query) => {
      tries += 1;
      const first = q.get('SELECT count(*) FROM note')?.[0];
      if (tries === 1) {
        rig.clock.advance(WAL_IDLE_MS);
        writer.store.commit((w) => w.run('DELETE FROM note WHERE id > 50'));
      }
      return [first, q.get('SELECT count(*) FROM note')?.[0]];
    });
    assert.deepEqual(counts, [50, 50]);
    assert.equal(tries, 2);
    await writer.store.settled();
  });

  it('always sees whole commits while another process writes and folds without pause (D4)', async function () {
    this.timeout(90_000);
    const dir = rig.folder();
    const child = new Child('storm', dir, 3);
    await child.said('safe 1');
    const reader = await read(dir);
    let last = 0;
    let folds = 0;
    const files = nodeFileOps(systemClock);
    let folded = files.state(join(dir, 'belay.db'))?.changed;
    while (folds < FOLDS) {
      const seen = reader.read((q) => ({
        batches: Number(q.get('SELECT count(*) FROM batch')?.[0]),
        half: q.get(
          'SELECT count(*) FROM batch WHERE size <> (SELECT count(*) FROM part WHERE part.batch = batch.id)',
        )?.[0],
        parts: q.get('SELECT count(*) FROM part')?.[0],
        total: q.get('SELECT parts FROM total')?.[0],
      }));
      assert.equal(seen.half, 0);
      assert.equal(seen.parts, seen.total);
      assert.ok(seen.batches >= last);
      last = seen.batches;
      const changed = files.state(join(dir, 'belay.db'))?.changed;
      if (changed !== folded) folds += 1;
      folded = changed;
      // Lets the lines of the child in, so that its pipe does not fill up.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await child.kill();
  });
});
