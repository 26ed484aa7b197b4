import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fifo, Host } from './support';
import { holding, STUBBORN } from './stubborn';

describe('A stop', () => {
  let host: Host;
  beforeEach(async () => (host = await Host.start()));
  afterEach(() => host.stop());

  for (const [name, command] of Object.entries(STUBBORN)) {
    it(`X5: ends ${name}, and says so only when all of it is gone`, async () => {
      const fifo = new Fifo(host.folder);
      const started = host.start(holding(command, fifo.path));
      await started.says('up');
      const report = await started.run.stop('stopped');
      assert.equal(report.stopped, true);
      assert.deepEqual(report.survivors, []);
      assert.deepEqual(host.alive(), []);
      await fifo.ended;
      const { output, end } = await started.run.done;
      assert.equal(output['error'], 'stopped');
      assert.equal(output['stdout'], 'up\n');
      assert.deepEqual(end, { end: 'stopped', signal: report.signal });
    });
  }

  it('X5: names the signal that it took', async () => {
    const mild = host.start('echo up; exec sleep 1000');
    await mild.says('up');
    assert.equal((await mild.run.stop('stopped')).signal, 'SIGTERM');
    const hard = host.start(`trap '' TERM; echo up; while :; do sleep 1000; done`);
    await hard.says('up');
    assert.equal((await hard.run.stop('stopped')).signal, 'SIGKILL');
    assert.equal((await mild.run.done).output['signal'], 'SIGTERM');
    assert.equal((await hard.run.done).output['signal'], 'SIGKILL');
  });

  it('X5: lets a command clean up on SIGTERM, and keeps what it says then', async () => {
    const started = host.start(
      `trap 'echo cleaned; touch clean; exit 0' TERM; echo up; while :; do sleep 1000 & wait $!; done`,
    );
    await started.says('up');
    await started.run.stop('host_paused');
    const { output, end, failed } = await started.run.done;
    assert.equal(output['error'], 'host_paused');
    assert.equal(output['stdout'], 'up\ncleaned\n');
    assert.equal(existsSync(join(host.folder, 'clean')), true);
    assert.equal(end?.end, 'host_paused');
    assert.equal(failed, true);
  });

  it('X6: signals nothing else, not even a look-alike of the same user', async () => {
    const stranger = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    const other = await Host.start();
    const neighbour = other.start('echo up; exec sleep 1000');
    await neighbour.says('up');
    const started = host.start(`echo up; setsid sleep 1000 & exec sleep 1000`);
    await started.says('up');
    const later = host.start('echo up; exec sleep 1000');
    await later.says('up');
    await started.run.stop('stopped');
    assert.ok(process.kill(stranger.pid ?? 0, 0));
    assert.equal(other.alive().length, 1);
    assert.equal(host.alive().length, 1, 'the command beside it goes on');
    await later.run.stop('stopped');
    stranger.kill('SIGKILL');
    await once(stranger, 'exit');
    await other.stop();
  });

  it('R9: twice is once, and after the end it is nothing', async () => {
    const started = host.start('echo up; exec sleep 1000');
    await started.says('up');
    const [one, two] = await Promise.all([started.run.stop('stopped'), started.run.stop('host_paused')]);
    assert.deepEqual(one, two);
    assert.deepEqual(await started.run.stop('cancelled'), one);
    assert.equal((await started.run.done).output['error'], 'stopped');
    const over = host.start('echo done');
    await over.run.done;
    assert.deepEqual(await over.run.stop('stopped'), { stopped: true, survivors: [] });
    assert.equal((await over.run.done).output['success'], true);
  });

  it('R9: a stop that races the end gives exactly one of the two results', async () => {
    for (let round = 0; round < 50; round += 1) {
      const started = host.start('echo up');
      if (round % 2 === 0) await started.says('up');
      const report = await started.run.stop('stopped');
      const { output } = await started.run.done;
      assert.equal(report.stopped, true);
      assert.ok(output['error'] === 'stopped' || output['exit_code'] === 0, JSON.stringify(output));
    }
  }).timeout(30_000);

  it('a pause during many commands ends them side by side', async () => {
    const many = Array.from({ length: 20 }, () => host.start('echo up; sleep 1000 & wait'));
    await Promise.all(many.map((one) => one.says('up')));
    const reports = await Promise.all(many.map((one) => one.run.stop('host_paused')));
    assert.ok(reports.every((report) => report.stopped));
    assert.deepEqual(host.alive(), []);
  });
});

describe('What a command leaves in its group', () => {
  let host: Host;
  beforeEach(async () => (host = await Host.start()));
  afterEach(() => host.stop());

  it('X1: is ended with it, and cannot hold its result back', async () => {
    const { output } = await host.run('sleep 1000 & echo done');
    assert.deepEqual(output, { stdout: 'done\n', stderr: '', exit_code: 0, success: true });
    assert.deepEqual(host.alive(), []);
  });

  it('X1: is ended by force when it ignores SIGTERM', async () => {
    const { output } = await host.run(
      `mkfifo up; sh -c "trap '' TERM; echo > up; while :; do sleep 1000; done" & read x < up; echo done`,
    );
    assert.equal(output['stdout'], 'done\n');
    assert.deepEqual(host.alive(), []);
  });

  it('X4: has its last words kept', async () => {
    const { output } = await host.run(
      `mkfifo up; sh -c "trap 'echo bye; exit' TERM; echo > up; while :; do sleep 1000 & wait; done" & read x < up; echo done`,
    );
    assert.equal(output['stdout'], 'done\nbye\n');
  });

  it('X6: what left the group goes on, and ends with the host at the latest', async () => {
    const fifo = new Fifo(host.folder);
    const { output } = await host.run(
      `mkfifo up; setsid sh -c "exec 9>${fifo.path}; echo \\$\\$ > pid; echo > up; exec sleep 1000" & read x < up; echo done`,
    );
    assert.equal(output['stdout'], 'done\n');
    const pid = Number(readFileSync(join(host.folder, 'pid'), 'utf8'));
    assert.deepEqual(host.alive(), [pid]);
    await host.processes.dispose();
    await fifo.ended;
    assert.deepEqual(host.alive(), []);
  });
});
