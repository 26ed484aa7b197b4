/** What is written in several windows that share one folder: each keeps its own, and what a crash leaves is found. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { WrittenFiles } from '../../extension/writtenFiles';

describe('what is written in windows that share a folder', () => {
  let root: string;
  beforeEach(async () => (root = await mkdtemp(join(tmpdir(), 'belay-written-'))));
  afterEach(() => rm(root, { recursive: true, force: true }));

  const HERE = `${process.pid} ${hostname()}`;
  const ALIVE = `${process.ppid} ${hostname()}`;
  const dead = () => `${spawnSync(process.execPath, ['-e', '']).pid} ${hostname()}`;

  /** A window with this page, which has written this. */
  async function writing(page: string, value: unknown, owner = HERE): Promise<WrittenFiles> {
    const files = new WrittenFiles(root, owner);
    await files.open(page);
    files.set('texts', value);
    await files.kept();
    return files;
  }

  it('R6 R9 a window neither overwrites nor reads what another one has written, over reloads of both', async () => {
    await writing('a', 'of a', ALIVE);
    assert.equal((await new WrittenFiles(root, HERE).open('b')).texts, undefined);
    await writing('b', 'of b');
    assert.equal((await new WrittenFiles(root, ALIVE).open('a')).texts, 'of a');
    assert.equal((await new WrittenFiles(root, HERE).open('b')).texts, 'of b');
  });

  it('R6 what a window has left that crashed is taken over by the next new page, and by one only', async () => {
    await writing('a', 'of a', dead());
    assert.equal((await new WrittenFiles(root, HERE).open('b')).texts, 'of a');
    assert.equal((await new WrittenFiles(root, ALIVE).open('c')).texts, undefined);
  });

  it('R6 a page that begins anew in the same window finds what the one before has written, to the last key', async () => {
    const files = await writing('a', 'of a');
    files.set('texts', 'of a, whole');
    assert.equal((await files.open('b')).texts, 'of a, whole');
  });

  it('R6 a window of another machine counts as one that lives', async () => {
    await writing('a', 'of a', '1 elsewhere');
    assert.equal((await new WrittenFiles(root, HERE).open('b')).texts, undefined);
  });

  it('R10 the pages that were opened longest ago go, never the one that opens', async () => {
    for (let n = 0; n < 66; n += 1) {
      await writing(`p${n}`, n, `${n} elsewhere`);
      await utimes(join(root, `p${n}`, 'owner'), n, n);
    }
    assert.equal((await new WrittenFiles(root, ALIVE).open('p1')).texts, 1);
    const left = await readdir(root);
    assert.ok(!left.includes('p0') && left.includes('p1') && left.length <= 65, left.join());
  });

  it('R6 the id of a page names no folder elsewhere', async () => {
    await writing('../../up', 'kept');
    assert.deepEqual(await readdir(root), ['up']);
  });
});
