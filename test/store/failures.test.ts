import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { StoreError } from '../../host/store/errors';
import { RETRY_FIRST_MS } from '../../host/store/trouble';
import { WAL_IDLE_MS, WAL_LIMIT_BYTES } from '../../host/store/writableStore';
import { add, fileError, gate, notes, Rig } from './support';

const INSERT = 'INSERT INTO note (body) VALUES (?)';

const CODES = [
  ['ENOSPC', 'store_full'],
  ['EDQUOT', 'store_full'],
  ['EIO', 'store_io'],
  ['EROFS', 'store_read_only'],
  ['EACCES', 'store_read_only'],
  ['EBUSY', 'store_io'],
  ['ETXTBSY', 'store_io'],
] as const;

function hasCode(code: string) {
  return (error: unknown): boolean => error instanceof StoreError && error.code === code;
}

describe('store: when the disk refuses', () => {
  const rig = new Rig();
  afterEach(() => rig.end());

  for (const [errno, code] of CODES) {
    for (const lasting of [false, true]) {
      it(`${errno} at any ${lasting ? 'write and every later one' : 'one write'} of a transaction keeps what was and nothing of it (D2, D8)`, async () => {
        const dir = rig.folder();
        const opened = await rig.open(dir);
        await add(opened, 'kept 0');
        let reached = 0;
        for (let index = 0; ; index += 1) {
          const first = rig.files.counts.write + index;
          const hits: number[] = [];
          rig.files.fail = (operation, path, count) => {
            if (operation !== 'write' || !path.endsWith('-wal')) return undefined;
            if (lasting ? count < first : count !== first) return undefined;
            hits.push(count);
            return errno;
          };
          const before = notes(opened);
          const big = (): Promise<void> =>
            opened.store.commit((q) => {
              for (let row = 0; row < 8; row += 1) q.run(INSERT, `lost ${row} `.padEnd(70_000, 'x'));
            }).durable;
          let refused: unknown;
          try {
            await big();
          } catch (error) {
            refused = error;
          }
          rig.files.fail = () => undefined;
          if (hits.length === 0) {
            assert.equal(refused, undefined);
            break;
          }
          reached += 1;
          assert.ok(hasCode(code)(refused), String(refused));
          assert.deepEqual(notes(opened), before);
          await add(opened, `kept ${index + 1}`);
        }
        assert.ok(reached >= 4, `only ${reached} writes were reached`);
        assert.deepEqual(opened.store.check(), []);
        const kept = notes(opened);
        await opened.store.dispose();
        assert.deepEqual(notes(await rig.open(dir)), kept);
      });
    }
  }

  for (const [errno, code] of CODES) {
    it(`${errno} at the sync rejects every commit that waits and brings the store back to the last safe one (D2)`, async () => {
      const dir = rig.folder();
      const opened = await rig.open(dir);
      const told: (string | undefined)[] = [];
      opened.store.onTrouble((trouble) => told.push(trouble?.code));
      await add(opened, 'safe');
      const held = gate();
      rig.files.gate = held.opened;
      const first = add(opened, 'first');
      await new Promise((resolve) => setImmediate(resolve));
      const second = add(opened, 'second');
      const looked = opened.store.commit((q) => q.get('SELECT count(*) FROM note'));
      assert.equal(looked.value?.[0], 3);
      rig.files.fail = (operation) => (operation === 'sync' ? errno : undefined);
      held.open();
      await assert.rejects(first, hasCode(code));
      // By the time that the first is told, the store is back, and the second is lost as well.
      assert.deepEqual(notes(opened), ['safe']);
      await assert.rejects(second, hasCode(code));
      await assert.rejects(looked.durable, hasCode(code));
      await assert.rejects(add(opened, 'while it lasts'), hasCode(code));
      assert.deepEqual(notes(opened), ['safe']);
      rig.files.fail = () => undefined;
      await add(opened, 'after');
      assert.deepEqual(notes(opened), ['safe', 'after']);
      assert.deepEqual(told, [code, undefined]);
      assert.deepEqual(opened.store.check(), []);
      await opened.store.dispose();
      const again = await rig.open(dir);
      assert.deepEqual(notes(again), ['safe', 'after']);
      assert.equal(again.lost, 0);
    });
  }

  it('a failed sync after the log was folded leaves the folded state (D2)', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    for (let index = 0; index < 80; index += 1) await add(opened, `${index} `.padEnd(4000, 'x'));
    rig.clock.advance(WAL_IDLE_MS);
    assert.equal(opened.store.stats().walBytes, 0);
    rig.files.fail = (operation) => (operation === 'sync' ? 'EIO' : undefined);
    // The log is begun anew here, and SQLite syncs its head within the commit.
    assert.throws(() => add(opened, 'lost'), hasCode('store_io'));
    const headSync = rig.files.counts.sync;
    rig.files.fail = (operation, _, count) => (operation === 'sync' && count > headSync ? 'EIO' : undefined);
    await assert.rejects(add(opened, 'lost too'), hasCode('store_io'));
    rig.files.fail = () => undefined;
    assert.equal(notes(opened).length, 80);
    await add(opened, 'after');
    await opened.store.dispose();
    const again = await rig.open(dir);
    assert.equal(notes(again).length, 81);
    assert.deepEqual(again.store.check(), []);
  });

  it('says so, tries by itself and goes on when it is over (D8)', async () => {
    const opened = await rig.open(rig.folder());
    const told: (string | undefined)[] = [];
    opened.store.onTrouble((trouble) => told.push(trouble?.code));
    rig.files.fail = (operation, path) =>
      operation === 'write' && path.endsWith('-wal') ? 'ENOSPC' : undefined;
    assert.throws(() => add(opened, 'no'), hasCode('store_full'));
    for (let tries = 0; tries < 5; tries += 1) rig.clock.advance(60_000);
    assert.deepEqual(told, ['store_full']);
    rig.files.fail = () => undefined;
    rig.clock.advance(60_000);
    await opened.store.settled();
    assert.deepEqual(told, ['store_full', undefined]);
    assert.ok(rig.clock.armed <= 1);
    await add(opened, 'yes');
    assert.deepEqual(notes(opened), ['yes']);
  });

  it('a job that swallows the failure still loses its commit', async () => {
    const opened = await rig.open(rig.folder());
    await add(opened, 'safe');
    assert.throws(
      () =>
        opened.store.commit((q) => {
          // Enough to make SQLite write before the commit.
          for (let row = 0; row < 400; row += 1) {
            if (row === 300) rig.files.fail = (operation) => (operation === 'write' ? 'ENOSPC' : undefined);
            try {
              q.run(INSERT, 'x'.repeat(100_000));
            } catch {
              rig.files.fail = () => undefined;
            }
          }
        }),
      hasCode('store_full'),
    );
    rig.files.fail = () => undefined;
    assert.deepEqual(notes(opened), ['safe']);
    await add(opened, 'after');
    assert.deepEqual(notes(opened), ['safe', 'after']);
    assert.deepEqual(opened.store.check(), []);
  });

  it('while even bringing back fails, nothing is written and reads say so; then all is well again (D2)', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    await add(opened, 'safe');
    rig.files.fail = (operation) => (operation === 'sync' || operation === 'truncate' ? 'EIO' : undefined);
    await assert.rejects(add(opened, 'lost'), hasCode('store_io'));
    assert.throws(() => notes(opened), hasCode('store_io'));
    assert.throws(() => add(opened, 'no'), hasCode('store_io'));
    rig.files.fail = () => undefined;
    assert.deepEqual(notes(opened), ['safe']);
    await add(opened, 'after');
    await opened.store.dispose();
    assert.deepEqual(notes(await rig.open(dir)), ['safe', 'after']);
  });

  it('a log that cannot be folded is kept, commits go on, and it is folded later (D8)', async () => {
    const opened = await rig.open(rig.folder());
    for (let index = 0; index < 80; index += 1) await add(opened, `${index} `.padEnd(4000, 'x'));
    rig.files.fail = (operation, path) =>
      operation === 'write' && path.endsWith('.db') ? 'ENOSPC' : undefined;
    rig.clock.advance(WAL_IDLE_MS);
    assert.ok(opened.store.stats().walBytes > 0);
    await add(opened, 'more');
    rig.files.fail = () => undefined;
    rig.clock.advance(WAL_IDLE_MS);
    rig.clock.advance(WAL_IDLE_MS);
    assert.equal(opened.store.stats().walBytes, 0);
    assert.equal(notes(opened).length, 81);
    assert.deepEqual(opened.store.check(), []);
  });

  it('a store that cannot be opened says why, and opens when the reason is gone (D8)', async () => {
    const dir = rig.folder();
    const first = await rig.open(dir);
    await add(first, 'kept');
    await first.store.dispose();
    for (const [errno, code] of CODES) {
      for (const operation of ['open', 'write', 'sync'] as const) {
        rig.files.fail = (one, path) => (one === operation && path.includes('belay.db') ? errno : undefined);
        await assert.rejects(rig.open(dir), hasCode(code), `${errno} at ${operation}`);
        assert.equal(rig.files.openCount, 0, `${errno} at ${operation} leaves a file open`);
      }
    }
    rig.files.fail = () => undefined;
    const again = await rig.open(dir);
    assert.deepEqual(notes(again), ['kept']);
    assert.equal(again.lost, 0);
    assert.equal(again.setAside, undefined);
  });

  it('a failure to note the last commit beside the log fails no commit', async () => {
    const opened = await rig.open(rig.folder());
    rig.files.fail = (operation, path) =>
      operation !== 'read' && path.endsWith('acknowledged') ? 'EIO' : undefined;
    await add(opened, 'one');
    await add(opened, 'two');
    assert.deepEqual(notes(opened), ['one', 'two']);
  });

  for (const errno of [undefined, 'EIO'] as const) {
    it(`a long log is folded while a commit waits: that one is synced first${errno === undefined ? '' : ', and rejected when that fails'} (D1, D2)`, async () => {
      const dir = rig.folder();
      const opened = await rig.open(dir);
      const held = gate();
      rig.files.gate = held.opened;
      const long = add(opened, 'x'.repeat(WAL_LIMIT_BYTES));
      await new Promise((resolve) => setImmediate(resolve));
      const waits = add(opened, 'waits');
      const done: string[] = [];
      rig.files.fail = (operation, path) => {
        const one = `${operation} ${basename(path)}`;
        if (one === 'sync belay.db-wal' || one === 'write acknowledged') done.push(one);
        return done.length === 3 && one === 'sync belay.db-wal' ? errno : undefined;
      };
      held.open();
      await long;
      if (errno === undefined) await waits;
      else await assert.rejects(waits, hasCode('store_io'));
      const safe = ['sync belay.db-wal', 'write acknowledged'];
      assert.deepEqual(
        done.slice(0, 4),
        errno === undefined ? [...safe, ...safe] : [...safe, 'sync belay.db-wal'],
      );
      rig.files.fail = () => undefined;
      assert.equal(notes(opened).length, errno === undefined ? 2 : 1);
      await add(opened, 'after');
      assert.deepEqual(opened.store.check(), []);
      assert.equal(notes(opened).at(-1), 'after');
    });
  }

  it('a listener that fails stops nobody', async () => {
    const opened = await rig.open(rig.folder());
    opened.store.onTrouble(() => {
      throw new Error('the listener');
    });
    rig.files.fail = (operation) => (operation === 'sync' ? 'EIO' : undefined);
    await assert.rejects(add(opened, 'no'), hasCode('store_io'));
    rig.files.fail = () => undefined;
    await add(opened, 'yes');
    assert.deepEqual(notes(opened), ['yes']);
  });

  it('a lease that cannot be looked at refuses the commit and ends no wait unanswered', async () => {
    const dir = rig.folder();
    const codes: string[] = [];
    const holds = (): boolean => {
      const code = codes.pop();
      if (code !== undefined) throw fileError(code);
      return true;
    };
    const opened = await rig.open(dir, { fence: { number: 1, holds } });
    codes.push('EIO');
    assert.throws(() => add(opened, 'no'), hasCode('store_io'));
    const durable = add(opened, 'not safe');
    codes.push('EACCES');
    await assert.rejects(durable, hasCode('store_read_only'));
    await add(opened, 'yes');
    assert.deepEqual(notes(opened), ['yes']);
  });

  it('tries again after RETRY_FIRST_MS at the earliest', async () => {
    const opened = await rig.open(rig.folder());
    rig.files.fail = (operation) => (operation === 'write' ? 'ENOSPC' : undefined);
    assert.throws(() => add(opened, 'no'), hasCode('store_full'));
    rig.files.fail = () => undefined;
    const before = rig.files.counts.write;
    rig.clock.advance(RETRY_FIRST_MS - 1);
    assert.equal(rig.files.counts.write, before);
    rig.clock.advance(1);
    assert.ok(rig.files.counts.write > before);
    await opened.store.settled();
  });
});
