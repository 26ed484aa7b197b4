/** Many terminals leave nothing behind: no descriptor, no process, no memory. `BELAY_FULL=1` runs 500. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { Desk } from './desk';
import { ptyHosts } from './support';

const MANY = process.env['BELAY_FULL'] === '1' ? 500 : 60;
const AT_ONCE = 20;

describe('many terminals', function () {
  this.timeout(300_000);

  it(`X5 X6 ${MANY} opened and stopped leave no descriptor, no process and no memory`, async () => {
    const desk = await Desk.open();
    try {
      await rounds(desk, AT_ONCE);
      const [pid] = ptyHosts().filter((one) => desk.alive().includes(one));
      assert.ok(pid !== undefined);
      const before = { host: resident(pid), descriptors: descriptors(pid), own: descriptors(process.pid) };
      await rounds(desk, MANY);
      assert.equal(descriptors(pid), before.descriptors);
      assert.equal(descriptors(process.pid), before.own);
      assert.ok(resident(pid) - before.host < 24 * 1024, `${resident(pid) - before.host} KiB more`);
      assert.equal(desk.alive().length, 1, 'the PTY host is left, which holds none');
      assert.deepEqual(zombies(pid), []);
    } finally {
      await desk.close();
    }
  });

  it('R8 nothing is started and nothing is loaded before the first terminal, and the rest goes with the host', async () => {
    const desk = await Desk.open();
    assert.deepEqual(desk.alive(), []);
    await desk.run('true');
    const [pid] = ptyHosts().filter((one) => desk.alive().includes(one));
    assert.ok(pid !== undefined);
    await desk.close();
    assert.ok(!ptyHosts().includes(pid));
  });
});

async function rounds(desk: Desk, count: number): Promise<void> {
  for (let n = 0; n < count; n += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, () => desk.start('echo up; exec sleep 1000'));
    await Promise.all(some.map((one) => one.says('up')));
    for (const report of await Promise.all(some.map((one) => one.run.stop('stopped'))))
      assert.deepEqual(report, { stopped: true, survivors: [], signal: 'SIGINT' });
    await Promise.all(some.map((one) => one.run.done));
  }
}

const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

const resident = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** Children that were not collected. */
function zombies(parent: number): string[] {
  return readdirSync(`/proc/${parent}/task`).flatMap((task) =>
    readFileSync(`/proc/${parent}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter((pid) => pid !== ''),
  );
}
