import assert from 'node:assert/strict';
import { PosixFamily } from '../../host/adapters/processes/family';
import { LADDER, Stop, TERMINAL_LADDER } from '../../host/adapters/processes/stop';
import type { ProcessRow, ProcessTable } from '../../host/adapters/processes/table';
import type { Clock } from '../../host/base/clock';

/** Time goes on by itself, as fast as it is asked for. */
function quickClock(): Clock & { readonly passed: () => number } {
  let now = 0;
  return {
    now: () => now,
    passed: () => now,
    after: (ms, run) => {
      let cleared = false;
      queueMicrotask(() => {
        if (cleared) return;
        now += ms;
        run();
      });
      return { clear: () => (cleared = true) };
    },
  };
}

/** A system whose processes obey as the test says. */
class FakeSystem implements ProcessTable {
  rows: ProcessRow[] = [];
  readonly signals: string[] = [];
  onSignal: (pid: number, signal: string) => void = () => {};
  marks = new Map<number, string>();
  ignored = new Map<number, string>();

  own(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
  list(): Promise<readonly ProcessRow[]> {
    return Promise.resolve([...this.rows]);
  }
  marked(): Promise<ReadonlyMap<number, string>> {
    return Promise.resolve(this.marks);
  }
  alive(rows: readonly ProcessRow[]): Promise<readonly ProcessRow[]> {
    return Promise.resolve(
      rows.filter((row) =>
        this.rows.some((one) => one.pid === row.pid && one.start === row.start && !one.dead),
      ),
    );
  }
  deaf(rows: readonly ProcessRow[], signal: NodeJS.Signals): ReadonlySet<number> {
    return new Set(rows.map((row) => row.pid).filter((pid) => this.ignored.get(pid) === signal));
  }
  async signal(rows: readonly ProcessRow[], signal: NodeJS.Signals): Promise<void> {
    for (const row of await this.alive(rows)) {
      this.signals.push(`${signal} ${row.pid}`);
      this.onSignal(row.pid, signal);
    }
  }
  add(pid: number, parent = 1, group = pid): void {
    this.rows.push({ pid, parent, group, session: group, start: `s${pid}`, dead: false });
  }
  remove(pid: number): void {
    this.rows = this.rows.filter((row) => row.pid !== pid);
  }
}

describe('The stop ladder', () => {
  let table: FakeSystem;
  let clock: ReturnType<typeof quickClock>;
  const family = (): PosixFamily =>
    new PosixFamily({
      table,
      clock,
      leader: 10,
      mark: 'm',
      isRunning: () => table.rows.some((row) => row.pid === 10),
    });
  beforeEach(() => {
    table = new FakeSystem();
    clock = quickClock();
    table.add(1, 0);
    table.add(7, 1);
  });

  it('X5: names the survivors when the last signal has not helped, and ends', async () => {
    table.add(10);
    table.add(11, 10, 10);
    table.add(12, 10, 10);
    table.onSignal = (pid) => {
      if (pid === 11) table.remove(11);
    };
    assert.deepEqual(await family().end('tree', LADDER, 2_000), { stopped: false, survivors: [10, 12] });
    assert.ok(clock.passed() >= 4_000 && clock.passed() < 5_000, String(clock.passed()));
    assert.ok(table.signals.every((signal) => /^SIG(TERM|KILL) 1[012]$/.test(signal)));
  });

  it('X5: gives SIGTERM its whole step, and no signal twice before the last', async () => {
    table.add(10);
    let killed = 0;
    table.onSignal = (pid, signal) => {
      if (signal !== 'SIGKILL') return;
      killed = clock.now();
      table.remove(pid);
    };
    assert.deepEqual(await family().end('tree', LADDER, 2_000), {
      stopped: true,
      survivors: [],
      signal: 'SIGKILL',
    });
    assert.deepEqual(table.signals, ['SIGTERM 10', 'SIGKILL 10']);
    assert.equal(killed, 2_000);
  });

  it('X5: does not wait for a signal that all that is left ignores', async () => {
    table.add(10);
    table.add(11, 10, 10);
    table.ignored.set(10, 'SIGTERM').set(11, 'SIGTERM');
    table.onSignal = (pid, signal) => {
      if (signal === 'SIGKILL') table.remove(pid);
    };
    const report = await family().end('tree', LADDER, 2_000);
    assert.deepEqual(report, { stopped: true, survivors: [], signal: 'SIGKILL' });
    assert.ok(clock.passed() < 100, String(clock.passed()));
  });

  it('X5: interrupts what runs in a shell at its prompt, and does not wait for the shell', async () => {
    const shell = new PosixFamily({
      table,
      clock,
      leader: 10,
      mark: 'm',
      isShell: true,
      isRunning: () => table.rows.some((row) => row.pid === 10),
    });
    table.add(10);
    table.add(11, 10);
    table.onSignal = (pid, signal) => {
      if (pid === 11 || signal === 'SIGTERM') table.remove(pid);
    };
    const report = await shell.end('tree', TERMINAL_LADDER, 2_000);
    assert.deepEqual(report, { stopped: true, survivors: [], signal: 'SIGTERM' });
    assert.deepEqual(table.signals, ['SIGINT 10', 'SIGINT 11', 'SIGTERM 10']);
    assert.ok(clock.passed() < 100, String(clock.passed()));
  });

  it('X5: finds what was started between two looks, and what has lost its parent', async () => {
    table.add(10);
    table.add(11, 10);
    let born = 20;
    table.onSignal = (pid, signal) => {
      table.remove(pid);
      if (signal === 'SIGTERM' && pid === 10) table.add(born++, 1, 11);
      if (signal === 'SIGKILL' && born < 25) table.add(born++, 1, 11);
    };
    const report = await family().end('tree', LADDER, 2_000);
    assert.deepEqual(report, { stopped: true, survivors: [], signal: 'SIGKILL' });
    assert.deepEqual(
      table.rows.map((row) => row.pid),
      [1, 7],
    );
  });

  it('X6: spares a process that was given the number of a gone member', async () => {
    table.add(10);
    table.onSignal = (pid) => {
      table.remove(pid);
      table.rows.push({ pid, parent: 7, group: 7, session: 7, start: 'another', dead: false });
    };
    const report = await family().end('tree', LADDER, 2_000);
    assert.equal(report.stopped, false, 'the shell counts as running here, and its number is taken');
    table = new FakeSystem();
    table.rows = [{ pid: 10, parent: 7, group: 7, session: 7, start: 'another', dead: false }];
    const gone = new PosixFamily({ table, clock, leader: 10, mark: 'm', isRunning: () => false });
    assert.deepEqual(await gone.end('tree', LADDER, 2_000), { stopped: true, survivors: [] });
    assert.deepEqual(table.signals, []);
  });

  it('X5: counts a dead process that nobody has collected as gone', async () => {
    table.add(10);
    table.onSignal = (pid) => {
      table.rows = table.rows.map((row) => (row.pid === pid ? { ...row, dead: true } : row));
    };
    assert.equal((await family().end('tree', LADDER, 2_000)).stopped, true);
  });

  it('X5: says that nothing was left, without a signal, when nothing is', async () => {
    assert.deepEqual(await family().end('tree', LADDER, 2_000), { stopped: true, survivors: [] });
    assert.deepEqual(table.signals, []);
  });

  it('X5: looks at once when it is told that something has happened', async () => {
    const never: Clock = { now: () => 0, after: () => ({ clear: () => {} }) };
    table.add(10);
    const stop = new Stop({
      table,
      clock: never,
      isInVain: () => false,
      find: () => table.list().then((rows) => rows.filter((row) => row.pid === 10)),
    });
    const ended = stop.end(LADDER, 2_000);
    table.onSignal = () => {
      table.remove(10);
      setImmediate(() => stop.nudge());
    };
    assert.deepEqual(await ended, { stopped: true, survivors: [], signal: 'SIGTERM' });
  });
});
