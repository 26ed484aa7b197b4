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

  describe('that are staged', () => {
    const big = { text: 'a large result '.repeat(10_000), encoding: 'utf8' } as const;
    const idOf = (content: string): string => createHash('sha256').update(content).digest('hex');

    it('D7 are on the disk before the job, which writes and reads nothing', async () => {
      const dir = rig.folder();
      const blobs = new Blobs(dir);
      const bytes = new Uint8Array([1, 2, 3]);
      const picture = { text: Buffer.from('a picture').toString('base64'), encoding: 'base64' } as const;
      await blobs.stage([big, bytes, picture]);
      assert.deepEqual(
        new Set(blobs.list()),
        new Set([idOf(big.text), idOf('\x01\x02\x03'), idOf('a picture')]),
      );
      const { openSync, readFileSync: read } = fs;
      const refuse = (): never => {
        throw new Error('The job has touched the disk.');
      };
      Object.assign(fs, { openSync: refuse, readFileSync: refuse });
      syncBuiltinESMExports();
      try {
        assert.equal(blobs.put({ ...big }), idOf(big.text));
        assert.equal(blobs.put(bytes), idOf('\x01\x02\x03'));
        assert.equal(blobs.put(picture), idOf('a picture'));
        assert.equal(blobs.put(picture), idOf('a picture'), 'a job may name it twice');
      } finally {
        Object.assign(fs, { openSync, readFileSync: read });
        syncBuiltinESMExports();
      }
      assert.equal(text(blobs.get(idOf(big.text))), big.text);
    });

    it('D7 are no leftovers until their job has come, and are after it if no row names them', async () => {
      const blobs = new Blobs(rig.folder());
      const staging = blobs.stage([big]);
      await staging;
      assert.ok(blobs.isStaged(idOf(big.text)));
      blobs.put(big);
      await Promise.resolve();
      assert.ok(!blobs.isStaged(idOf(big.text)));
    });

    it('D8 a disk that refuses is told to the job, and leaves nothing half written', async () => {
      const dir = rig.folder();
      writeFileSync(join(dir, 'blobs'), 'in the way');
      const blobs = new Blobs(dir);
      await blobs.stage([big]);
      assert.ok(!blobs.isStaged(idOf(big.text)));
      assert.throws(() => blobs.put(big), StoreError);
      fs.rmSync(join(dir, 'blobs'));
      assert.equal(blobs.put(big), idOf(big.text));
      assert.deepEqual(blobs.list(), [idOf(big.text)]);
    });

    it('R10 that no job takes are forgotten, the oldest first', async () => {
      const blobs = new Blobs(rig.folder());
      const contents = Array.from({ length: 5 }, (_, n) => Buffer.alloc(16 * 1024 * 1024, n));
      for (const one of contents) await blobs.stage([one]);
      const staged = contents.map((one) => blobs.isStaged(createHash('sha256').update(one).digest('hex')));
      assert.deepEqual(staged, [false, true, true, true, true]);
    });
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
