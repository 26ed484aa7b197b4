import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { hostMark, parseHostMark } from '../../host/adapters/processes/hostMark';
import { Host } from './support';

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

  it('a mark that was not written by a host is none', () => {
    for (const text of ['', 'a', 'a.b.c.d', 'a.0.1.2', 'a.-1.1.2', 'a.1.2', 'a.1.2.3.4']) {
      assert.equal(parseHostMark(text), undefined, text);
    }
  });
});
