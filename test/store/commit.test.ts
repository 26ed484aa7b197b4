import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Query } from '../../host/store/contract';
import { StoreMisuse } from '../../host/store/errors';
import { sqlite } from './sqliteShell';
import { add, Rig, gate, notes } from './support';

describe('store: a commit', () => {
  const rig = new Rig();
  afterEach(() => rig.end());

  it('is visible to reads at once, and acknowledged only after its sync (D1)', async () => {
    const opened = await rig.open(rig.folder());
    const held = gate();
    rig.files.gate = held.opened;
    const before = opened.store.stats().syncs;
    let safe = false;
    const durable = add(opened, 'one').then(() => {
      safe = true;
    });
    assert.deepEqual(notes(opened), ['one']);
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(safe, false);
    assert.equal(opened.store.stats().syncs, before);
    held.open();
    await durable;
    assert.equal(opened.store.stats().syncs, before + 1);
  });

  it('shares one sync with all commits of its moment, acknowledged in order (D1)', async () => {
    const opened = await rig.open(rig.folder());
    const before = opened.store.stats();
    const order: number[] = [];
    const waiting = Array.from({ length: 50 }, (_, index) =>
      add(opened, `note ${index}`).then(() => order.push(index)),
    );
    // Work of the same moment that comes a few microtasks later is still of this moment.
    await Promise.resolve();
    waiting.push(add(opened, 'late').then(() => order.push(50)));
    await Promise.all(waiting);
    const after = opened.store.stats();
    assert.equal(after.commits - before.commits, 51);
    assert.equal(after.syncs - before.syncs, 1);
    assert.deepEqual(
      order,
      Array.from({ length: 51 }, (_, index) => index),
    );
  });

  it('that comes during a sync waits for the next one (D1)', async () => {
    const opened = await rig.open(rig.folder());
    const held = gate();
    rig.files.gate = held.opened;
    const order: string[] = [];
    const first = add(opened, 'first').then(() => order.push('first'));
    await new Promise((resolve) => setImmediate(resolve));
    const second = add(opened, 'second').then(() => order.push('second'));
    const before = opened.store.stats().syncs;
    held.open();
    await Promise.all([first, second]);
    assert.deepEqual(order, ['first', 'second']);
    assert.equal(opened.store.stats().syncs - before, 2);
  });

  it('waits with all others that came during a sync for one more (D1)', async () => {
    const opened = await rig.open(rig.folder());
    const held = gate();
    rig.files.gate = held.opened;
    const before = opened.store.stats().syncs;
    const waiting: Promise<void>[] = [];
    for (let moment = 0; moment < 5; moment += 1) {
      waiting.push(add(opened, `${moment}`));
      await new Promise((resolve) => setImmediate(resolve));
    }
    held.open();
    await Promise.all(waiting);
    assert.equal(opened.store.stats().syncs - before, 2);
  });

  it('that throws keeps nothing and passes the error on', async () => {
    const opened = await rig.open(rig.folder());
    const reason = new Error('changed my mind');
    assert.throws(
      () =>
        opened.store.commit((q) => {
          q.run('INSERT INTO note (body) VALUES (?)', 'half');
          throw reason;
        }),
      reason,
    );
    assert.throws(() => opened.store.commit((q) => q.run('INSERT INTO note (body) VALUES (?)', null)), {
      message: /NOT NULL/,
    });
    assert.deepEqual(notes(opened), []);
    await add(opened, 'whole');
    assert.deepEqual(notes(opened), ['whole']);
  });

  it('without a change takes no sync of its own, and waits for what it may have read', async () => {
    const opened = await rig.open(rig.folder());
    const before = opened.store.stats();
    await opened.store.commit((q) => q.all('SELECT * FROM note')).durable;
    assert.deepEqual(opened.store.stats(), before);
    const held = gate();
    rig.files.gate = held.opened;
    let settled = false;
    const written = add(opened, 'one');
    const looked = opened.store
      .commit((q) => q.get('SELECT count(*) FROM note'))
      .durable.then(() => {
        settled = true;
      });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(settled, false);
    held.open();
    await Promise.all([written, looked, opened.store.settled()]);
    assert.equal(settled, true);
  });

  it('refuses misuse: nested, asynchronous, late and double statements, and writing reads', async () => {
    const opened = await rig.open(rig.folder());
    const { store } = opened;
    assert.throws(() => store.commit(() => store.commit(() => 1)), StoreMisuse);
    assert.throws(() => store.commit(async () => Promise.resolve(1)), StoreMisuse);
    const kept: Query[] = [];
    store.commit((q) => kept.push(q));
    assert.throws(() => kept[0]?.all('SELECT 1'), StoreMisuse);
    assert.throws(() => store.commit((q) => q.run('DELETE FROM note; DELETE FROM note')), StoreMisuse);
    assert.throws(() => store.read((q) => q.run('DELETE FROM note')), StoreMisuse);
    assert.throws(() => store.read((q) => q.all('DELETE FROM note RETURNING id')), StoreMisuse);
    await add(opened, 'still works');
    assert.deepEqual(notes(opened), ['still works']);
  });

  it('gives rows as arrays, every kind of value back as it was, changes and row ids', async () => {
    const { store } = await rig.open(rig.folder(), {
      migrations: [
        {
          version: 1,
          up: (q) => q.script('CREATE TABLE v (id INTEGER PRIMARY KEY, a ANY, b ANY) STRICT'),
        },
      ],
    });
    const bytes = new Uint8Array([0, 255, 7]);
    const values = ['', '\ufeffmark', 'täxt \u{1f9d7} \0 end', 0, -1.5, 2 ** 53, -(2 ** 53), null] as const;
    const done = store.commit((q) => {
      const ids = values.map((value) => q.run('INSERT INTO v (a) VALUES (?)', value).lastId);
      q.run('INSERT INTO v (a, b) VALUES (?, ?)', bytes, 'x'.repeat(300_000));
      return { ids, changed: q.run('UPDATE v SET b = 1 WHERE id <= 3').changes };
    });
    assert.deepEqual(done.value, { ids: [1, 2, 3, 4, 5, 6, 7, 8], changed: 3 });
    await done.durable;
    const rows = store.read((q) => q.all('SELECT a FROM v ORDER BY id'));
    assert.deepEqual(
      rows.map((row) => row[0]),
      [...values, bytes],
    );
    assert.equal(store.read((q) => q.get('SELECT length(b) FROM v WHERE id = 9'))?.[0], 300_000);
    assert.equal(
      store.read((q) => q.get('SELECT 1 WHERE 0')),
      undefined,
    );
    assert.deepEqual(store.explain('SELECT * FROM v WHERE id = 1'), [
      'SEARCH v USING INTEGER PRIMARY KEY (rowid=?)',
    ]);
  });

  it('keeps whole numbers whole, refuses what is no number, and binds nothing that was left out', async () => {
    const { store } = await rig.open(rig.folder(), {
      migrations: [
        { version: 1, up: (q) => q.script('CREATE TABLE v (id INTEGER PRIMARY KEY, a ANY) STRICT') },
      ],
    });
    store.commit((q) => {
      for (const value of [1_800_000_000_000, 2 ** 31, -(2 ** 31), 0.5, 1e300]) {
        q.run('INSERT INTO v (a) VALUES (?)', value);
      }
      q.run('INSERT INTO v (a) VALUES (?)');
      q.run('INSERT INTO v (a) VALUES (?)', new Uint8Array(0));
    });
    assert.deepEqual(
      store.read((q) => q.all('SELECT typeof(a) FROM v ORDER BY id')).map((row) => row[0]),
      ['integer', 'integer', 'integer', 'real', 'real', 'null', 'blob'],
    );
    assert.throws(() => store.commit((q) => q.run('INSERT INTO v (a) VALUES (?)', NaN)), StoreMisuse);
    assert.throws(() => store.commit((q) => q.run('INSERT INTO v (a) VALUES (?)', 1, 2)), /range/);
    await store.settled();
  });

  it('works with more different statements than are kept ready, and with texts larger than their room', async () => {
    const opened = await rig.open(rig.folder());
    for (let index = 0; index < 900; index += 1) {
      assert.deepEqual(
        opened.store.read((q) => q.get(`SELECT ${index}`)),
        [index],
      );
    }
    const large = 'ä'.repeat(5_000_000);
    await add(opened, large);
    assert.equal(notes(opened)[0] === large, true);
  });

  it('lies in an ordinary SQLite file once the host is gone (D3)', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    for (let index = 0; index < 200; index += 1) void add(opened, `note ${index}`);
    await opened.store.dispose();
    assert.deepEqual(readdirSync(dir).sort(), ['acknowledged', 'belay.db']);
    const read = (sql: string) => sqlite(join(dir, 'belay.db'), sql);
    assert.deepEqual(read('SELECT count(*) FROM note'), [200]);
    assert.deepEqual(read('PRAGMA integrity_check'), ['ok']);
    assert.deepEqual(read('PRAGMA auto_vacuum'), [2]);
    assert.deepEqual(read('PRAGMA journal_mode'), ['wal']);
  });

  it('is saved when the store closes at once, and the closed store says so', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    let safe = false;
    void add(opened, 'last').then(() => {
      safe = true;
    });
    await opened.store.dispose();
    assert.equal(safe, true);
    assert.throws(() => opened.store.commit(() => 1), StoreMisuse);
    assert.throws(() => opened.store.read(() => 1), StoreMisuse);
    assert.deepEqual(notes(await rig.open(dir)), ['last']);
    assert.equal(existsSync(join(dir, 'belay.db-wal')), true);
  });

  it('of a host that was killed before its sync is on the disk before the next host acts on it (D1)', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    await add(opened, 'safe');
    rig.files.gate = gate().opened;
    void add(opened, 'never acknowledged');
    const copy = rig.folder();
    cpSync(dir, copy, { recursive: true });
    rig.files.gate = undefined;
    const synced: string[] = [];
    rig.files.fail = (operation, path) => {
      if (operation === 'sync') synced.push(path);
      return undefined;
    };
    const again = await rig.open(copy);
    assert.deepEqual(notes(again), ['safe', 'never acknowledged']);
    assert.ok(synced.includes(join(copy, 'belay.db-wal')));
  });

  it('leaves no descriptor and no timer behind', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    for (let index = 0; index < 100; index += 1) await add(opened, 'x'.repeat(4000));
    assert.ok(rig.clock.armed > 0);
    await opened.store.dispose();
    assert.equal(rig.files.openCount, 0);
    assert.equal(rig.clock.armed, 0);
  });

  it('folds the log into the file in a quiet moment, and between commits when it is long', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    for (let index = 0; index < 100; index += 1) await add(opened, 'x'.repeat(4000));
    assert.ok(opened.store.stats().walBytes > 256 * 1024);
    rig.clock.advance(2_000);
    assert.equal(opened.store.stats().walBytes, 0);
    for (let index = 0; index < 30; index += 1) await add(opened, 'y'.repeat(400_000));
    assert.ok(opened.store.stats().walBytes < 9 * 1024 * 1024);
    assert.equal(opened.store.check().length, 0);
    assert.equal(notes(opened).length, 130);
  });
});
