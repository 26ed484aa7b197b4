import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { numbers } from './childMain';
import { add, notes, Rig } from './support';

const HEAD_BYTES = 32;
const FRAME_BYTES = 4096 + 24;
const IN_FILE = 5;
const IN_LOG = 30;

/** Files as a kill leaves them: five notes in the database, thirty more in the log, and where each ends there. */
async function crashed(rig: Rig): Promise<{ dir: string; ends: number[] }> {
  const dir = rig.folder();
  const first = await rig.open(dir);
  for (let note = 0; note < IN_FILE; note += 1) await add(first, `${note}`);
  await first.store.dispose();
  const second = await rig.open(dir);
  const pick = numbers(7);
  const ends: number[] = [];
  for (let note = IN_FILE; note < IN_FILE + IN_LOG; note += 1) {
    await add(second, `${note}`.padEnd(pick(12_000), '.'));
    ends.push(second.store.stats().walBytes);
  }
  const copy = rig.folder();
  cpSync(dir, copy, { recursive: true });
  return { dir: copy, ends };
}

/** Changes the log, opens the store, and returns how many of the notes in the log survived. */
async function survivors(rig: Rig, dir: string, change: (log: Buffer) => Buffer): Promise<number> {
  const copy = rig.folder();
  cpSync(dir, copy, { recursive: true });
  const log = join(copy, 'belay.db-wal');
  const changed = change(readFileSync(log));
  writeFileSync(log, changed);
  const opened = await rig.open(copy);
  const found = notes(opened).map((body) => Number.parseInt(body, 10));
  assert.deepEqual(
    found,
    found.map((_, index) => index),
  );
  assert.deepEqual(opened.store.check(), []);
  assert.equal(opened.lost, IN_FILE + IN_LOG - found.length, 'what was lost is reported');
  assert.equal(opened.nothingLeft, false);
  if (opened.lost === 0 || changed.byteLength === 0) assert.equal(opened.setAside, undefined);
  else assert.deepEqual(readFileSync(opened.setAside?.path ?? ''), changed, 'the log is kept whole');
  const told: unknown[] = [];
  opened.store.onTrouble((trouble) => told.push(trouble));
  await add(opened, 'after');
  await add(opened, 'more');
  assert.equal(notes(opened).length, found.length + 2);
  assert.deepEqual(told, [], 'what the crash left is not taken for the work of another program');
  await opened.store.dispose();
  rmSync(copy, { recursive: true });
  return found.length - IN_FILE;
}

describe('store: a log that a crash left', () => {
  const rig = new Rig();
  afterEach(() => rig.end());

  it('cut at any byte, opens at the longest whole prefix of commits, says how many are lost and keeps the log (D2)', async () => {
    const { dir, ends } = await crashed(rig);
    const size = readFileSync(join(dir, 'belay.db-wal')).byteLength;
    const pick = numbers(11);
    const cuts = [
      0,
      1,
      HEAD_BYTES,
      size - 1,
      ...ends.slice(0, 3),
      ...Array.from({ length: 60 }, () => pick(size)),
    ];
    for (const cut of cuts) {
      const whole = ends.filter((end) => end <= cut).length;
      assert.equal(await survivors(rig, dir, (log) => log.subarray(0, cut)), whole, `cut at ${cut}`);
    }
  });

  it('cut, on a disk with no room for a copy of it, opens all the same, and tells what is lost (D2, D8)', async () => {
    const { dir, ends } = await crashed(rig);
    truncateSync(join(dir, 'belay.db-wal'), (ends[9] ?? 0) + 100);
    rig.files.fail = (operation, path) =>
      operation === 'write' && path.endsWith('-wal.restored') ? 'ENOSPC' : undefined;
    const logged: string[] = [];
    const opened = await rig.open(dir, { log: (level, text) => logged.push(`${level}: ${text}`) });
    rig.files.fail = () => undefined;
    assert.deepEqual([opened.lost, opened.setAside], [IN_LOG - 10, undefined]);
    assert.match(logged.join('\n'), /error: The damaged log could not be kept/);
    assert.deepEqual(
      readdirSync(dir).filter((name) => name.includes('restored') || name.includes('damaged')),
      [],
    );
    await add(opened, 'after');
    assert.equal(notes(opened).length, IN_FILE + 10 + 1);
  });

  it('with a flipped byte, opens at the longest whole prefix before it (D2)', async () => {
    const { dir, ends } = await crashed(rig);
    const size = ends.at(-1) ?? 0;
    const pick = numbers(13);
    for (const at of [0, 17, ...Array.from({ length: 40 }, () => pick(size))]) {
      const frame = HEAD_BYTES + Math.floor((at - HEAD_BYTES) / FRAME_BYTES) * FRAME_BYTES;
      const whole = at < HEAD_BYTES ? 0 : ends.filter((end) => end <= frame).length;
      const flip = (log: Buffer): Buffer => {
        log[at] = (log[at] ?? 0) ^ (1 << pick(8));
        return log;
      };
      assert.equal(await survivors(rig, dir, flip), whole, `flipped at ${at}`);
    }
  });

  it('with garbage behind its end, opens whole (D2)', async () => {
    const { dir } = await crashed(rig);
    const pick = numbers(17);
    const garbage = Buffer.from(Array.from({ length: 9_000 }, () => pick(256)));
    assert.equal(await survivors(rig, dir, (log) => Buffer.concat([log, garbage])), IN_LOG);
  });
});
