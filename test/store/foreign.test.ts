import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WAL_SHARED_LIMIT_BYTES } from '../../host/store/writableStore';
import { sqlite, SqliteShell } from './sqliteShell';
import { add, gate, notes, Rig } from './support';

/** What the `sqlite3` shell does with a live file: it opens it for writing, runs `sql`, and takes itself for the last one. */
const shell = (dir: string, sql: string): unknown[] => sqlite(join(dir, 'belay.db'), sql);

describe('store: another program on the live file', () => {
  const rig = new Rig();
  afterEach(() => rig.end());

  /** Opens a copy of the files as they are now: what a kill at this moment would leave. */
  async function afterKill(dir: string): Promise<string[]> {
    const copy = rig.folder();
    cpSync(dir, copy, { recursive: true });
    const opened = await rig.open(copy);
    assert.equal(opened.lost, 0);
    assert.equal(opened.setAside, undefined);
    assert.deepEqual(opened.store.check(), []);
    return notes(opened);
  }

  it('that only reads takes the log away at its end: noticed before the next acknowledgement, nothing lost (D4)', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    const told: (string | undefined)[] = [];
    opened.store.onTrouble((trouble) => told.push(trouble?.code));
    await add(opened, 'one');
    assert.deepEqual(shell(dir, 'SELECT body FROM note'), ['one']);
    assert.equal(existsSync(join(dir, 'belay.db-wal')), false);
    const expected = ['one'];
    for (let note = 0; note < 50; note += 1) {
      await add(opened, `${note}`);
      expected.push(`${note}`);
    }
    assert.deepEqual(await afterKill(dir), expected);
    assert.deepEqual(told, ['store_damaged', undefined]);
    for (let round = 0; round < 5; round += 1) {
      shell(dir, 'SELECT count(*) FROM note');
      await add(opened, `round ${round}`);
      expected.push(`round ${round}`);
      assert.deepEqual(await afterKill(dir), expected);
    }
    assert.deepEqual(notes(opened), expected);
    await opened.store.dispose();
    assert.deepEqual(notes(await rig.open(dir)), expected);
  });

  it('that took the log away while a commit waits for its sync is noticed before that is acknowledged (D4)', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    await add(opened, 'one');
    const held = gate();
    rig.files.gate = held.opened;
    const durable = add(opened, 'two');
    await new Promise((resolve) => setImmediate(resolve));
    rmSync(join(dir, 'belay.db-wal'));
    held.open();
    await durable;
    assert.deepEqual(await afterKill(dir), ['one', 'two']);
  });

  it('that wrote keeps what it wrote, and so do we (D4)', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    for (let note = 0; note < 20; note += 1) await add(opened, `${note}`.padEnd(2_000, '.'));
    shell(dir, "INSERT INTO note (body) VALUES ('of the shell')");
    await add(opened, 'ours');
    assert.equal(notes(opened).includes('ours'), true);
    assert.deepEqual(opened.store.check(), []);
    const left = await afterKill(dir);
    assert.deepEqual(left, notes(opened));
  });

  it('that wrote and stays open keeps what it wrote, and does no harm when it ends (D4)', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    for (let note = 0; note < 20; note += 1) await add(opened, `${note}`.padEnd(2_000, '.'));
    const db = new SqliteShell(join(dir, 'belay.db'));
    await db.run("INSERT INTO note (body) VALUES ('of the shell')");
    await add(opened, 'ours');
    assert.deepEqual(notes(opened).slice(-2), ['of the shell', 'ours']);
    await add(opened, 'ours too');
    await db.close();
    await add(opened, 'after');
    assert.deepEqual(notes(opened).slice(-3), ['ours', 'ours too', 'after']);
    assert.deepEqual(await afterKill(dir), notes(opened));
  });

  it('that is open keeps us from folding the log under it', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    const db = new SqliteShell(join(dir, 'belay.db'));
    await db.run('SELECT count(*) FROM note');
    for (let note = 0; note < 100; note += 1) await add(opened, `${note}`.padEnd(4_000, '.'));
    rig.clock.advance(2_000);
    assert.ok(opened.store.stats().walBytes > 0);
    await db.close();
    await add(opened, 'after');
    assert.equal(notes(opened).length, 101);
    assert.deepEqual(await afterKill(dir), notes(opened));
    rig.clock.advance(10_000);
    assert.equal(opened.store.stats().walBytes, 0);
    assert.deepEqual(await afterKill(dir), notes(opened));
  });

  it('that stays open longer than we do takes nothing of ours along (D3, D4)', async () => {
    for (const writes of [false, true]) {
      const dir = rig.folder();
      const opened = await rig.open(dir);
      for (let note = 0; note < 40; note += 1) void add(opened, `${note}`.padEnd(2_000, '.'));
      await opened.store.settled();
      const db = new SqliteShell(join(dir, 'belay.db'));
      await db.run('SELECT count(*) FROM note');
      if (writes) await db.run("INSERT INTO note (body) VALUES ('of the shell')");
      await opened.store.commit((q) => q.run('DELETE FROM note WHERE id % 2 = 0')).durable;
      for (let note = 0; note < 40; note += 1) void add(opened, `later ${note}`.padEnd(2_000, '.'));
      await opened.store.settled();
      const expected = notes(opened);
      await opened.store.dispose();
      await db.close();
      const again = await rig.open(dir);
      assert.deepEqual(notes(again), expected);
      assert.equal(again.lost, 0);
      assert.deepEqual(again.store.check(), []);
      assert.equal(existsSync(join(dir, 'belay.db-shm')), false);
      await again.store.dispose();
    }
  });

  it('that stays open while the log grows long is left behind with its files (D4)', async function () {
    this.timeout(60_000);
    const dir = rig.folder();
    const opened = await rig.open(dir);
    await add(opened, 'first');
    const db = new SqliteShell(join(dir, 'belay.db'));
    await db.run('SELECT count(*) FROM note');
    for (let note = 0; note < 45; note += 1) await add(opened, `${note}`.padEnd(800_000, '.'));
    assert.ok(opened.store.stats().walBytes < WAL_SHARED_LIMIT_BYTES);
    await opened.store.commit((q) => q.run("UPDATE note SET body = 'short ' || id")).durable;
    const expected = notes(opened);
    await db.close();
    await add(opened, 'last');
    assert.deepEqual(await afterKill(dir), [...expected, 'last']);
  });

  it('that replaced the log or the file does not have the last word, and its file is kept (D4)', async () => {
    const dir = rig.folder();
    const path = join(dir, 'belay.db');
    const opened = await rig.open(dir);
    await add(opened, 'one');
    writeFileSync(join(dir, 'other'), 'something else');
    renameSync(join(dir, 'other'), `${path}-wal`);
    await add(opened, 'two');
    assert.deepEqual(await afterKill(dir), ['one', 'two']);
    writeFileSync(join(dir, 'other'), 'something else');
    renameSync(join(dir, 'other'), path);
    await add(opened, 'three');
    assert.deepEqual(await afterKill(dir), ['one', 'two', 'three']);
    assert.equal(readdirSync(dir).filter((name) => name.includes('.replaced-')).length, 1);
    rmSync(path);
    rmSync(`${path}-wal`);
    await add(opened, 'four');
    await opened.store.dispose();
    assert.deepEqual(notes(await rig.open(dir)), ['one', 'two', 'three', 'four']);
  });

  it('that removed the whole folder loses nothing, nor does it at our end', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    await add(opened, 'one');
    rmSync(dir, { recursive: true });
    await add(opened, 'two');
    assert.deepEqual(await afterKill(dir), ['one', 'two']);
    rmSync(dir, { recursive: true });
    await opened.store.dispose();
    assert.deepEqual(notes(await rig.open(dir)), ['one', 'two']);
  });

  it('that took the log away from a full disk: nothing is acknowledged until it can be put back (D2, D4)', async () => {
    const dir = rig.folder();
    const opened = await rig.open(dir);
    await add(opened, 'one');
    const held = gate();
    rig.files.gate = held.opened;
    const durable = add(opened, 'two');
    await new Promise((resolve) => setImmediate(resolve));
    rmSync(join(dir, 'belay.db-wal'));
    rig.files.fail = (operation, path) =>
      operation === 'write' && path.endsWith('.restored') ? 'ENOSPC' : undefined;
    held.open();
    await assert.rejects(durable, { code: 'store_full' });
    assert.throws(() => add(opened, 'three'), { code: 'store_full' });
    assert.throws(() => notes(opened), { code: 'store_full' });
    rig.files.fail = () => undefined;
    assert.deepEqual(notes(opened), ['one']);
    await add(opened, 'four');
    assert.deepEqual(await afterKill(dir), ['one', 'four']);
  });
});
