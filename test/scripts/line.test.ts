import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createScripts, type Scripts } from '../../host/adapters/scripts/scripts';
import { Stopwatch } from '../../host/adapters/scripts/stopwatch';
import { systemClock } from '../../host/base/clock';
import { CordPulled, type Launch } from '../../host/base/launch';
import type { Run } from '../../host/engine/ports';
import { HandClock } from '../store/support';
import { noSteps } from '../tools/support';

describe('the threads of scripts', () => {
  let scripts: Scripts;
  beforeEach(() => {
    scripts = createScripts({
      assets: join(__dirname, '../../dist'),
      clock: systemClock,
      secrets: () => ({ names: [], values: [] }),
    });
  });
  afterEach(() => scripts.dispose());

  const free: Launch = (effect) => effect();
  const run = (code: string, launch = free) =>
    scripts.run({ code, timeoutMs: undefined, stored: {} }, launch, () => {}, noSteps);

  it('P1 P2 a script whose launch is refused has not started, and says so', async () => {
    const result = await run('return 1;', () => {
      throw new CordPulled();
    }).done;
    assert.deepEqual([result.output['error'], result.ran], ['host_paused', false]);
  });

  it('P3 S2 one that is stopped before its thread is ready never runs, and its place is free again', async () => {
    const first = run('return 1;');
    const report = await first.stop('cancelled');
    assert.equal(report.stopped, true);
    assert.deepEqual([(await first.done).output['error'], (await first.done).ran], ['cancelled', false]);
    for (let n = 0; n < 3; n++) await run('return 1;').stop('cancelled');
    assert.deepEqual((await run('return 2;').done).output, { class: 'completed', value: 2 });
  });

  it('R9 a second stop, and one after the end, are harmless', async () => {
    const one = run('await new Promise(() => {});');
    await Promise.all([one.stop('stopped'), one.stop('cancelled')]);
    await one.stop('host_paused');
    assert.equal((await one.done).output['class'], 'stopped');
  });

  it('P1 R5 ten that a pull stops at once leave threads in which the next ten run, round after round', async () => {
    for (let round = 0; round < 3; round++) {
      const runs = await Promise.all(
        Array.from(
          { length: 10 },
          () =>
            new Promise<Run>((begun) => {
              const code = `text('begun'); await new Promise(() => {});`;
              const one: Run = scripts.run(
                { code, timeoutMs: undefined, stored: {} },
                free,
                () => begun(one),
                noSteps,
              );
            }),
        ),
      );
      await Promise.all(runs.map((one) => one.stop('host_paused')));
      for (const one of runs) assert.equal((await one.done).output['class'], 'host_paused');
      const next = await Promise.all(Array.from({ length: 10 }, (_, n) => run(`return ${n};`).done));
      assert.deepEqual(
        next.map(({ output }) => output['value']),
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      );
    }
  });

  it('S5 time that is held does not count, and a longer limit counts what was spent', () => {
    const clock = new HandClock();
    let over = 0;
    const watch = new Stopwatch(clock, 100, () => over++);
    watch.run();
    clock.advance(60);
    watch.hold();
    clock.advance(1_000);
    assert.deepEqual([over, watch.ms], [0, 60]);
    watch.run();
    watch.limit(200);
    clock.advance(100);
    assert.equal(over, 0);
    clock.advance(40);
    assert.deepEqual([over, watch.ms], [1, 200]);
  });
});
