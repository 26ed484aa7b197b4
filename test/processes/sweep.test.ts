import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { hostMark, parseHostMark } from '../../host/adapters/processes/hostMark';
import { psTable } from '../../host/adapters/processes/psTable';
import { sweep } from '../../host/adapters/processes/sweep';
import { systemClock } from '../../host/base/clock';
import { Host } from './support';

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('The sweep at the start of a host', () => {
  let host: Host;
  const children: ChildProcess[] = [];
  beforeEach(async () => (host = await Host.start()));
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await host.stop();
  });

  function left(mark: string, command = 'exec sleep 1000'): ChildProcess {
    const child = spawn('sh', ['-c', `echo up; ${command}`], {
      env: { PATH: process.env['PATH'], BELAY_HOST: mark },
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    return child;
  }

  const up = async (child: ChildProcess): Promise<void> => {
    if (child.stdout !== null) await once(child.stdout, 'data');
  };

  it('X6: ends what a dead host has left, and nothing of a living one or of another space of pids', async () => {
    const { space, start } = await hostMark('x');
    const dead = left(`dead.${process.pid}.1.${space}`);
    const hard = left(`dead.4194304.5.${space}`, `trap '' TERM; while :; do sleep 1000; done`);
    const living = left(`living.${process.pid}.${start}.${space}`);
    const elsewhere = left(`dead.4194304.5.1`);
    const nonsense = left('nonsense');
    const stranger = left('');
    await Promise.all(children.map(up));
    const swept = await host.processes.sweep();
    assert.deepEqual(swept.survivors, []);
    assert.ok(swept.ended.includes(dead.pid ?? 0) && swept.ended.includes(hard.pid ?? 0));
    for (const spared of [living, elsewhere, nonsense, stranger]) {
      assert.ok(!swept.ended.includes(spared.pid ?? 0));
      assert.equal(spared.signalCode, null);
      assert.ok(process.kill(spared.pid ?? 0, 0));
    }
    assert.match(host.log.join('\n'), /Ended what an earlier host had left/);
  });

  it('X6: says nothing when there is nothing', async () => {
    assert.deepEqual(await host.processes.sweep(), { ended: [], survivors: [] });
    assert.deepEqual(host.log, []);
  });

  it('macOS X6: what a living host has started is spared, what a dead one left is ended', async () => {
    const rows = new Map<number, { start: string; mark: string }>();
    // `ps` of macOS, whose columns and starts differ from what /proc tells here.
    const ps = (args: readonly string[]): Promise<string> => {
      const lines = [...rows].flatMap(([pid, { start, mark }]) => {
        if (args.includes('-E'))
          return mark === '' ? [] : [`${pid} sleep 1000 HOME=/x BELAY_HOST=${mark} LANG=C`];
        if (args.includes('-p') && args.at(-1) !== String(pid)) return [];
        const isGone = pid !== process.pid && !isThere(pid);
        return isGone ? [] : [`  ${pid}     1   ${pid} S    ${start}`];
      });
      return Promise.resolve(`${lines.join('\n')}\n`);
    };
    const table = psTable(ps);
    rows.set(process.pid, { start: 'Sun Nov 29 16:01:22 2026', mark: '' });
    const own = await hostMark('own', table);
    assert.equal(own.text, `own.${process.pid}.Sun-Nov-29-16-01-22-2026.whole`);
    assert.deepEqual(parseHostMark(own.text), own);
    // A host beside this one, which another window holds.
    const other = left('');
    const marks = {
      living: `other.${other.pid ?? 0}.Sun-Nov-29-16-05-00-2026.whole`,
      own: own.text,
      unknown: `old.4194304.unknown.unknown`,
      dead: `dead.4194304.Sun-Nov-29-16-05-00-2026.whole`,
    };
    const work = Object.entries(marks).map(([name, mark]) => ({ name, mark, child: left('') }));
    await Promise.all(children.map(up));
    rows.set(other.pid ?? 0, { start: 'Sun Nov 29 16:05:00 2026', mark: '' });
    for (const { mark, child } of work) rows.set(child.pid ?? 0, { start: 'Sun Nov 29 16:06:00 2026', mark });
    const swept = await sweep(table, systemClock, own);
    const dead = work.find(({ name }) => name === 'dead')?.child;
    assert.deepEqual(swept, { ended: [dead?.pid], survivors: [] });
    // A host that does not know itself judges nothing.
    const unsure = await hostMark(
      'unsure',
      psTable(() => Promise.reject(new Error('no ps'))),
    );
    assert.equal(unsure.text, `unsure.${process.pid}.unknown.unknown`);
    assert.deepEqual(await sweep(table, systemClock, unsure), { ended: [], survivors: [] });
  });

  it('a mark that was not written by a host is none', () => {
    for (const text of ['', 'a', 'a.b.c.d', 'a.0.1.2', 'a.-1.1.2', 'a.1.2', 'a.1.2.3.4']) {
      assert.equal(parseHostMark(text), undefined, text);
    }
  });
});
