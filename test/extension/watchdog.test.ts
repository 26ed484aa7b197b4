import assert from 'node:assert/strict';
import { PULL_MOST_MS, PULL_SILENT_MS, SILENT_MS, Watchdog } from '../../extension/watchdog';
import { FakeClock } from './fakeClock';

describe('the watchdog of the host', () => {
  let clock: FakeClock;
  let dog: Watchdog;
  let told: string[];
  let pong: () => void;

  beforeEach(() => {
    clock = new FakeClock();
    dog = new Watchdog(clock);
    told = [];
    dog.onSilent((method) => told.push(method));
    dog.onReply(({ method }) => told.push(`${method} replied`));
  });

  const watch = (method: string) => dog.watch(method, () => new Promise<void>((resolve) => (pong = resolve)));
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('P1 a pull without a sign of life is told after two seconds, and its reply after that as well', () => {
    const pull = watch('host/pause');
    clock.turn(PULL_SILENT_MS - 1);
    assert.deepEqual([told, dog.isSilent], [[], false]);
    clock.turn(1);
    assert.deepEqual([told, dog.isSilent], [['host/pause'], true]);
    clock.turn(60_000);
    pull.replied({});
    assert.deepEqual([told, dog.isSilent], [['host/pause', 'host/pause replied'], false]);
  });

  it('a verdict, an answer, a stop and an interrupt are told after five, and nothing else is timed', () => {
    for (const method of [
      'approval/answer',
      'question/answer',
      'handle/stop',
      'turn/interrupt',
      'session/list',
    ])
      watch(method);
    clock.turn(SILENT_MS - 1);
    assert.deepEqual(told, []);
    clock.turn(1);
    assert.deepEqual(told, ['approval/answer', 'question/answer', 'handle/stop', 'turn/interrupt']);
  });

  it('a host that lives may take its time for a stop, but not for a pull', async () => {
    watch('handle/stop');
    pong();
    watch('host/pause');
    pong();
    await settled();
    clock.turn(PULL_MOST_MS - 1);
    assert.deepEqual(told, []);
    clock.turn(1);
    assert.deepEqual(told, ['host/pause']);
    clock.turn(600_000);
    assert.deepEqual(told, ['host/pause']);
  });

  it('P1 a host that answers the ping late is at work: it is silent no more, and a pull once more after its time', async () => {
    const stop = watch('handle/stop');
    clock.turn(SILENT_MS);
    assert.deepEqual([told, dog.isSilent], [['handle/stop'], true]);
    pong();
    await settled();
    assert.equal(dog.isSilent, false, 'a stop may take its time');
    stop.replied({});
    const pull = watch('host/pause');
    clock.turn(PULL_SILENT_MS);
    pong();
    await settled();
    assert.equal(dog.isSilent, false);
    clock.turn(PULL_MOST_MS);
    assert.equal(dog.isSilent, true);
    pull.replied({});
    assert.deepEqual(told, ['handle/stop', 'handle/stop replied', 'host/pause', 'host/pause replied']);
    assert.equal(clock.pending, 0);
  });

  it('R9 what was answered in time, refused or lost with its host is never told, and leaves no timer', async () => {
    watch('host/pause').replied({});
    pong();
    watch('approval/answer').over();
    pong();
    await settled();
    clock.turn(60_000);
    assert.deepEqual([told, clock.pending], [[], 0]);
  });
});
