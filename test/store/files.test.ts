import assert from 'node:assert/strict';
import { linkSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../host/base/clock';
import { nodeFileOps, writeAll } from '../../host/store/files';
import { fileError, HandClock, Rig } from './support';

/** A clock by which everything takes this long. */
function slow(ms: number): Clock {
  let time = 0;
  return {
    now: () => (time += ms),
    after: () => ({ clear: () => {} }),
  };
}

describe('store: files', () => {
  const rig = new Rig();
  afterEach(() => rig.end());

  it('are synced off the loop once the disk is slow, and at once on a fast one', async () => {
    for (const [ms, turns] of [
      [0, 0],
      [10, 1],
    ] as const) {
      const files = nodeFileOps(slow(ms));
      const fd = files.open(join(rig.folder(), 'file'), 'create');
      for (let sync = 0; sync < 20; sync += 1) await files.syncSoon(fd);
      let done = false;
      const synced = files.syncSoon(fd).then(() => {
        done = true;
      });
      // Nothing but microtasks passes here, so only a sync on the loop can be over.
      for (let task = 0; task < 20; task += 1) await Promise.resolve();
      assert.equal(done, turns === 0);
      await synced;
      files.close(fd);
    }
  });

  it('know whether a name still leads to them', () => {
    const files = nodeFileOps(new HandClock());
    const dir = rig.folder();
    const path = join(dir, 'file');
    const fd = files.open(path, 'create');
    assert.equal(files.isNamed(fd, path), true);
    symlinkSync(dir, join(dir, 'link'));
    assert.equal(files.isNamed(fd, join(dir, 'link', 'file')), true, 'through a link');
    renameSync(path, join(dir, 'moved'));
    assert.equal(files.isNamed(fd, path), false, 'moved away');
    writeFileSync(path, 'another');
    assert.equal(files.isNamed(fd, path), false, 'another took its name');
    renameSync(join(dir, 'moved'), path);
    assert.equal(files.isNamed(fd, path), true, 'back again');
    linkSync(path, join(dir, 'second'));
    assert.equal(files.isNamed(fd, join(dir, 'second')), true, 'a second name');
    unlinkSync(path);
    assert.equal(files.isNamed(fd, path), false, 'removed');
    mkdirSync(path);
    assert.equal(files.isNamed(fd, path), false, 'a folder took its name');
    files.close(fd);
  });

  it('are written whole, or the disk is full', () => {
    const real = nodeFileOps(new HandClock());
    const path = join(rig.folder(), 'file');
    const fd = real.open(path, 'create');
    const bits = {
      ...real,
      write: (to: number, bytes: Uint8Array, at: number) => real.write(to, bytes.subarray(0, 3), at),
    };
    writeAll(bits, fd, Buffer.from('0123456789'), 5);
    const back = new Uint8Array(15);
    assert.equal(real.read(fd, back, 0), 15);
    assert.equal(Buffer.from(back).toString(), '\0\0\0\0\x000123456789');
    assert.equal(real.read(fd, back, 10), 5);
    assert.throws(() => writeAll({ ...real, write: () => 0 }, fd, Buffer.from('x'), 0), { code: 'ENOSPC' });
    assert.throws(
      () =>
        writeAll(
          {
            ...real,
            write: () => {
              throw fileError('EIO');
            },
          },
          fd,
          Buffer.from('x'),
          0,
        ),
      { code: 'EIO' },
    );
    real.close(fd);
  });
});
