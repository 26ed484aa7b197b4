import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Ended, Ending, Progress, Start } from '../../host/adapters/scripts/messages';
import { ThreadPool } from '../../host/adapters/scripts/pool';
import type { ScriptThread } from '../../host/adapters/scripts/thread';
import { HandClock } from '../store/support';
import { free } from '../tools/support';

const MIB = 1024 * 1024;
/** More than a thread's own heap holds, MiB. */
const TOO_MUCH = 320;
/** Threads that are kept, and how long more may wait, ms. */
const KEPT = 2;
const SURPLUS_MS = 1_000;

describe('threads that wait for a script', () => {
  let clock: HandClock;
  let pool: ThreadPool;
  beforeEach(() => {
    clock = new HandClock();
    pool = new ThreadPool(join(__dirname, '../../dist'), clock);
  });
  afterEach(async () => {
    await pool.dispose();
    assert.equal(clock.armed, 0, 'no timer is left');
  });

  const start = (code: string, stored: Start['stored'] = {}): Start => {
    const halt = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    return { kind: 'start', code, halt, tools: '[]', stored };
  };

  /** Runs one script in a thread to its end. */
  const run = (thread: ScriptThread, code: string) =>
    new Promise<Ending>((resolve, reject) => {
      const message = (told: Progress | Ended) => {
        if (told.kind !== 'ended') return;
        thread.release();
        resolve(told.ending);
      };
      thread.start(free, start(code), { message, gone: (problem) => reject(new Error(problem)) });
    });

  const takeAll = (count: number) => Promise.all(Array.from({ length: count }, () => pool.take(free)));

  it('S8 R5 one that dies of its memory while it waits is not handed out, and the next script runs', async () => {
    const dying = await pool.take(free);
    await run(dying, 'return 1;');
    pool.giveBack(dying);
    // As far as the pool knows, it waits.
    const text = 'x'.repeat(MIB);
    const stored = Object.fromEntries(Array.from({ length: TOO_MUCH }, (_, key) => [String(key), text]));
    const problem = await new Promise<string>((gone) => {
      dying.start(free, start('return 1;', stored), { message: () => undefined, gone });
    });
    assert.match(problem, /memory/);
    const next = await pool.take(free);
    assert.notEqual(next, dying);
    assert.deepEqual(await run(next, 'return 2;'), { how: 'completed', value: '2' });
  });

  it('S8 R9 one that is being ended is not handed out, though its script has said its end meanwhile', async () => {
    const ending = await pool.take(free);
    await run(ending, 'return 1;');
    const gone = pool.drop(ending);
    pool.giveBack(ending);
    const next = await pool.take(free);
    assert.notEqual(next, ending);
    assert.deepEqual(await run(next, 'return 2;'), { how: 'completed', value: '2' });
    await gone;
  });

  it('S2 R9 one whose script was halted takes the next one at once', async () => {
    const thread = await pool.take(free);
    const halted = start(`text('begun'); await new Promise(() => {});`);
    const ending = await new Promise<Ending>((resolve, reject) => {
      const message = (told: Progress | Ended) => {
        if (told.kind === 'ended') resolve(told.ending);
        else {
          Atomics.store(halted.halt, 0, 1);
          thread.halt();
        }
      };
      thread.start(free, halted, { message, gone: reject });
    });
    assert.deepEqual(ending, { how: 'halted' });
    assert.deepEqual(await run(thread, 'return 3;'), { how: 'completed', value: '3' });
    assert.deepEqual(await run(thread, 'return 4;'), { how: 'completed', value: '4' });
  });

  it('P1 R10 those that are given back at once wait a second, then all but two are ended', async () => {
    const threads = await takeAll(5);
    for (const thread of threads) pool.giveBack(thread);
    clock.advance(SURPLUS_MS - 1);
    assert.deepEqual(
      threads.filter((thread) => thread.gone),
      [],
      'none is ended while the others end',
    );
    clock.advance(1);
    const ended = threads.filter((thread) => thread.gone);
    assert.equal(ended.length, threads.length - KEPT);
    assert.equal(clock.armed, 0, 'nothing waits for the two that are kept');
    const again = await takeAll(3);
    assert.deepEqual(
      again.filter((thread) => threads.includes(thread)).length,
      KEPT,
      'they take the next scripts',
    );
    for (const thread of again)
      assert.deepEqual(await run(thread, 'return 4;'), { how: 'completed', value: '4' });
  });

  it('S4 those that have found a script by then are not ended', async () => {
    const threads = await takeAll(4);
    for (const thread of threads) pool.giveBack(thread);
    const busy = await takeAll(3);
    clock.advance(SURPLUS_MS);
    assert.deepEqual(
      threads.filter((thread) => thread.gone),
      [],
    );
    for (const thread of busy)
      assert.deepEqual(await run(thread, 'return 5;'), { how: 'completed', value: '5' });
  });
});
