import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs, { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, relative } from 'node:path';
import { Blobs } from '../../host/store/blobs';
import { StoreError, StoreMisuse } from '../../host/store/errors';
import { Rig } from './support';

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

describe('store: blobs', () => {
  const rig = new Rig();
  afterEach(() => rig.end());

  it('are kept once, by what they hold, at blobs/ab/<sha256> (D7)', () => {
    const dir = rig.folder();
    const blobs = new Blobs(dir);
    const bytes = Buffer.from('a large result');
    const [one, two] = [blobs.put(bytes), blobs.put(bytes)];
    assert.equal(one, createHash('sha256').update(bytes).digest('hex'));
    assert.equal(two, one);
    assert.equal(blobs.put(bytes), one);
    assert.deepEqual(readdirSync(join(dir, 'blobs', one.slice(0, 2))), [one]);
    assert.deepEqual(blobs.list(), [one]);
    assert.equal(blobs.size(one), bytes.byteLength);
  });

  it('are read whole, in pages, and not at all when they are gone', () => {
    const blobs = new Blobs(rig.folder());
    const id = blobs.put(Buffer.from('0123456789'));
    const empty = blobs.put(new Uint8Array(0));
    assert.equal(text(blobs.get(id)), '0123456789');
    assert.equal(text(blobs.get(id, 3, 4)), '3456');
    assert.equal(text(blobs.get(id, 8, 100)), '89');
    assert.equal(text(blobs.get(id, 100, 5)), '');
    assert.equal(blobs.get(empty)?.byteLength, 0);
    blobs.remove([id, id]);
    assert.equal(blobs.get(id), undefined);
    assert.equal(blobs.size(id), undefined);
    assert.deepEqual(blobs.list(), [empty]);
  });

  it('that were damaged are told from whole ones, and an id leads nowhere else', () => {
    const dir = rig.folder();
    const blobs = new Blobs(dir);
    const id = blobs.put(Buffer.from('0123456789'));
    writeFileSync(join(dir, 'blobs', id.slice(0, 2), id), '0123456780');
    assert.throws(
      () => blobs.get(id),
      (error) => error instanceof StoreError && error.code === 'store_damaged',
    );
    assert.throws(() => blobs.get('../../belay.db'), StoreMisuse);
    assert.throws(() => blobs.remove(['x']), StoreMisuse);
  });

  it('that a crash left half written are replaced, and its leftovers swept', () => {
    const dir = rig.folder();
    const blobs = new Blobs(dir);
    assert.deepEqual(blobs.list(), []);
    const bytes = Buffer.from('0123456789');
    const id = createHash('sha256').update(bytes).digest('hex');
    const folder = join(dir, 'blobs', id.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, id), '012');
    writeFileSync(join(folder, '.new-0011'), '01');
    assert.deepEqual(blobs.list(), [id]);
    assert.deepEqual(readdirSync(folder), [id]);
    blobs.put(bytes);
    assert.equal(readFileSync(join(folder, id), 'utf8'), '0123456789');
  });

  it('that were damaged are written anew by the same content', () => {
    const dir = rig.folder();
    const blobs = new Blobs(dir);
    const id = blobs.put(Buffer.from('0123456789'));
    writeFileSync(join(dir, 'blobs', id.slice(0, 2), id), '0123456780');
    assert.equal(blobs.put(Buffer.from('0123456789')), id);
    assert.equal(text(blobs.get(id)), '0123456789');
  });

  it('D1 are on the disk with the folders that lead to them when they have been put', function () {
    if (process.platform !== 'linux') this.skip();
    const dir = rig.folder();
    const blobs = new Blobs(dir);
    const synced: string[] = [];
    const sync = fs.fsyncSync;
    fs.fsyncSync = (fd) => {
      synced.push(relative(dir, fs.readlinkSync(`/proc/self/fd/${String(fd)}`)));
      sync(fd);
    };
    syncBuiltinESMExports();
    try {
      const [one, ...rest] = sameFolder();
      const part = createHash('sha256').update(one).digest('hex').slice(0, 2);
      blobs.put(Buffer.from(one));
      assert.deepEqual(synced.splice(0), [`blobs`, '', `blobs/${part}`], 'both folders are new');
      for (const text of rest) blobs.put(Buffer.from(text));
      assert.deepEqual(synced.splice(0), [`blobs/${part}`], 'its folder was there');
      blobs.put(Buffer.from(one));
      assert.deepEqual(synced, [], 'it was there');
    } finally {
      fs.fsyncSync = sync;
      syncBuiltinESMExports();
    }
  });
});

/** Two texts whose names begin alike. */
function sameFolder(): readonly [string, string] {
  const seen = new Map<string, string>();
  for (let n = 0; ; n += 1) {
    const part = createHash('sha256').update(String(n)).digest('hex').slice(0, 2);
    const other = seen.get(part);
    if (other !== undefined) return [other, String(n)];
    seen.set(part, String(n));
  }
}
