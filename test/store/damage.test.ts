import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../host/store/errors';
import { sqlite } from './sqliteShell';
import { add, notes, NOTES, Rig } from './support';

const PAGE_BYTES = 4096;

/** A closed store with this many long notes. */
async function closed(rig: Rig, count: number): Promise<string> {
  const dir = rig.folder();
  const opened = await rig.open(dir);
  for (let note = 0; note < count; note += 1) await add(opened, `${note}`.padEnd(3_000, '.'));
  await opened.store.dispose();
  return dir;
}

/** The files of a store that was killed with some notes in its file and as many in its log. */
async function killed(rig: Rig, count: number): Promise<string> {
  const dir = await closed(rig, count);
  const opened = await rig.open(dir);
  for (let note = 0; note < count; note += 1) await add(opened, `${note}`.padEnd(3_000, '.'));
  const copy = rig.folder();
  cpSync(dir, copy, { recursive: true });
  return copy;
}

function overwrite(path: string, at: number, length: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, at, at + length);
  writeFileSync(path, bytes);
}

function contents(dir: string): Map<string, string> {
  return new Map(
    readdirSync(dir)
      .sort()
      .map((name) => {
        const { mtimeNs, ino } = statSync(join(dir, name), { bigint: true });
        return [name, `${ino} ${mtimeNs} ${readFileSync(join(dir, name)).toString('base64')}`];
      }),
  );
}

describe('store: damage', () => {
  const rig = new Rig();
  afterEach(() => rig.end());

  it('a file that is no database is set aside whole, a fresh one is started, and both are told (D2)', async () => {
    const dir = await closed(rig, 20);
    const path = join(dir, 'belay.db');
    overwrite(path, 0, 64);
    const damaged = readFileSync(path);
    const opened = await rig.open(dir);
    assert.match(opened.setAside?.path ?? '', /belay\.db\.damaged-\d{8}T\d{6}Z$/);
    assert.deepEqual(readFileSync(opened.setAside?.path ?? ''), damaged);
    assert.equal(opened.lost, 20);
    assert.deepEqual(notes(opened), []);
    await add(opened, 'new');
    await opened.store.dispose();
    const again = await rig.open(dir);
    assert.deepEqual(notes(again), ['new']);
    assert.equal(again.lost, 0);
    assert.equal(again.setAside, undefined);
  });

  it('a page that was damaged while the host was killed is noticed, and the log goes with the file (D2)', async () => {
    const dir = await killed(rig, 30);
    const path = join(dir, 'belay.db');
    const log = readFileSync(`${path}-wal`);
    overwrite(path, statSync(path).size - 3 * PAGE_BYTES, 2 * PAGE_BYTES);
    const opened = await rig.open(dir);
    assert.ok(opened.setAside !== undefined);
    assert.deepEqual(readFileSync(`${opened.setAside.path}-wal`), log);
    assert.equal(opened.lost, 60);
    assert.deepEqual(notes(opened), []);
  });

  it('a second damaged file is set aside beside the first', async () => {
    const dir = await closed(rig, 3);
    const path = join(dir, 'belay.db');
    for (let round = 0; round < 3; round += 1) {
      overwrite(path, 0, 16);
      const opened = await rig.open(dir);
      await add(opened, 'x');
      await opened.store.dispose();
    }
    assert.equal(readdirSync(dir).filter((name) => name.includes('.damaged-')).length, 3);
  });

  it('a file that was cut is set aside (D2)', async () => {
    const dir = await closed(rig, 40);
    const path = join(dir, 'belay.db');
    truncateSync(path, Math.floor(statSync(path).size / 2 / PAGE_BYTES) * PAGE_BYTES);
    const opened = await rig.open(dir);
    assert.ok(opened.setAside !== undefined);
    assert.equal(opened.lost, 40);
  });

  for (const way of ['removed', 'emptied'] as const) {
    it(`a file that was ${way} does not take its log along (D2)`, async () => {
      const dir = await killed(rig, 10);
      const path = join(dir, 'belay.db');
      const log = readFileSync(`${path}-wal`);
      if (way === 'removed') rmSync(path);
      else truncateSync(path, 0);
      const opened = await rig.open(dir);
      assert.ok(opened.setAside !== undefined);
      assert.deepEqual(readFileSync(`${opened.setAside.path}-wal`), log);
      assert.equal(opened.lost, 20);
    });
  }

  it('a store that is gone without a trace but for its number is reported (D2)', async () => {
    const dir = await closed(rig, 10);
    rmSync(join(dir, 'belay.db'));
    const opened = await rig.open(dir);
    assert.equal(opened.lost, 10);
    assert.equal(opened.setAside, undefined);
    await add(opened, 'new');
    await opened.store.dispose();
    assert.equal((await rig.open(dir)).lost, 0);
  });

  it('an older copy of the file put in its place is reported (D2)', async () => {
    const dir = await closed(rig, 10);
    const copy = rig.folder();
    cpSync(join(dir, 'belay.db'), join(copy, 'belay.db'));
    const opened = await rig.open(dir);
    for (let note = 0; note < 7; note += 1) await add(opened, 'later');
    await opened.store.dispose();
    cpSync(join(copy, 'belay.db'), join(dir, 'belay.db'));
    const again = await rig.open(dir);
    assert.equal(notes(again).length, 10);
    assert.ok(again.lost >= 7);
  });

  it('a store that was first made when its host was killed is made anew', async () => {
    const dir = rig.folder();
    writeFileSync(join(dir, 'belay.db'), '');
    const opened = await rig.open(dir);
    assert.equal(opened.setAside, undefined);
    assert.equal(opened.lost, 0);
    await add(opened, 'x');
  });

  it('met while the host runs is told until the next start, which checks the whole file (D2)', async () => {
    const dir = await closed(rig, 400);
    const path = join(dir, 'belay.db');
    const opened = await rig.open(dir);
    const told: (string | undefined)[] = [];
    opened.store.onTrouble((trouble) => told.push(trouble?.code));
    const pages = statSync(path).size / PAGE_BYTES;
    // Behind the host's back, in the middle of the table.
    overwrite(path, Math.floor(pages / 3) * PAGE_BYTES, Math.floor(pages / 3) * PAGE_BYTES);
    const isDamage = (error: unknown): boolean =>
      error instanceof StoreError && error.code === 'store_damaged';
    assert.throws(() => notes(opened), isDamage);
    rig.clock.advance(60_000);
    await opened.store.settled();
    assert.deepEqual(told, ['store_damaged']);
    await opened.store.dispose();
    const again = await rig.open(dir);
    assert.ok(again.setAside !== undefined);
    assert.equal(existsSync(join(dir, 'suspect')), false);
  });

  for (const way of ['closed', 'killed'] as const) {
    it(`a newer store that was ${way} is refused and left untouched (D5)`, async () => {
      const dir = rig.folder();
      const newer = [NOTES, { version: 2, up: () => {} }, { version: 3, up: () => {} }];
      const opened = await rig.open(dir, { migrations: newer });
      await add(opened, 'kept');
      let place = dir;
      if (way === 'closed') await opened.store.dispose();
      else {
        place = rig.folder();
        cpSync(dir, place, { recursive: true });
      }
      const before = contents(place);
      await assert.rejects(
        rig.open(place),
        (error) =>
          error instanceof StoreError && error.code === 'store_newer' && error.message.includes('format 3'),
      );
      assert.deepEqual(contents(place), before);
      assert.deepEqual(notes(await rig.open(place, { migrations: newer })), ['kept']);
    });
  }

  it('what was set aside opens with an ordinary SQLite, log and all (D3)', async () => {
    const dir = await killed(rig, 30);
    const path = join(dir, 'belay.db');
    overwrite(path, statSync(path).size - 3 * PAGE_BYTES, 2 * PAGE_BYTES);
    const opened = await rig.open(dir);
    assert.ok(opened.setAside !== undefined);
    const [last] = sqlite(opened.setAside.path, 'SELECT body FROM note WHERE id = 60');
    assert.match(String(last), /^29\./, 'the last note, which was only in the log');
  });
});
