/** A stop goes up the ladder over the whole tree, and says only what has been seen (X5, X7). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WindowsFamily } from '../../host/adapters/processes/windowsFamily';
import { Desk, free, type Started } from './desk';

describe('the stop of a terminal', function () {
  this.timeout(30_000);
  let desk: Desk;
  beforeEach(async () => (desk = await Desk.open()));
  afterEach(() => desk.close());

  const programs = (started: Started, count: number): Promise<void> => started.says(`ready ${count}`);
  const shell = async (): Promise<Started> => {
    const started = desk.start(undefined);
    await started.terminal.started;
    return started;
  };

  it('X5 X7 SIGINT first: a program that obeys it ends by it, and has the time to say so', async () => {
    const started = desk.start(
      `trap 'echo interrupted; exit 5' INT; echo ready 1; while :; do sleep 0.05; done`,
    );
    await programs(started, 1);
    const report = await started.run.stop('stopped');
    assert.deepEqual(report, { stopped: true, survivors: [], signal: 'SIGINT' });
    const { output, end } = await started.run.done;
    assert.match(String(output['output']), /interrupted\n$/);
    assert.deepEqual(
      [output['error'], output['running'], end?.end, end?.signal],
      ['stopped', false, 'stopped', 'SIGINT'],
    );
  });

  it('X5 the whole tree: jobs, sessions of their own, nohup, double forks, what traps every signal', async () => {
    const started = await shell();
    started.type('sleep 1000 &\r');
    started.type('setsid sleep 1001 &\r');
    started.type('nohup sleep 1002 >/dev/null 2>&1 &\r');
    started.type('(setsid sh -c "sleep 1003 & exec sleep 1004" &)\r');
    started.type(`sh -c 'trap "" INT TERM HUP QUIT; while :; do sleep 0.2; done' &\r`);
    started.type('sleep 1005 | sleep 1006 &\r');
    started.type('echo ready $((3+4))\r');
    await programs(started, 7);
    // What runs in the background comes when it comes; the time limit of the test bounds it.
    while (desk.alive().length < 10) await delay(10);
    const report = await started.run.stop('stopped');
    assert.deepEqual(report, { stopped: true, survivors: [], signal: 'SIGKILL' });
    const { output } = await started.run.done;
    assert.equal(output['error'], 'stopped');
  });

  it('X5 an idle shell, which ignores SIGTERM, is gone at once', async () => {
    const started = await shell();
    started.type('echo ready $((0+1))\r');
    await programs(started, 1);
    const before = performance.now();
    assert.equal((await started.run.stop('stopped')).stopped, true);
    // Not after the seconds that a program is given to obey SIGTERM; on a busy machine a stop itself takes its time.
    assert.ok(performance.now() - before < 1_500, String(performance.now() - before));
  });

  it('X5 fifty processes, one below the other', async () => {
    const deep = `f='if [ $1 -gt 0 ]; then sh -c "$2" x $(($1-1)) "$2"; true; else echo ready 50; sleep 1000; fi'; sh -c "$f" x 50 "$f"; true`;
    const tree = desk.start(deep);
    await programs(tree, 50);
    assert.ok(desk.alive().length >= 50, String(desk.alive().length));
    const report = await tree.run.stop('stopped');
    assert.equal(report.stopped, true);
    assert.deepEqual(report.survivors, []);
  });

  it('X7 ends are told as they are: exited with its code, signalled with its signal', async () => {
    assert.deepEqual((await desk.run('exit 7')).end, { end: 'exited', exitCode: 7 });
    assert.deepEqual((await desk.run('kill -SEGV $$')).end, { end: 'signalled', signal: 'SIGSEGV' });
    assert.equal((await desk.run('no-such-program-here')).output['exit_code'], 127);
  });

  it('X5 what a shell leaves in its session ends with it', async () => {
    const started = desk.start('nohup sleep 1007 >/dev/null 2>&1 & echo left $!');
    await started.run.done;
    const pid = Number(/left (\d+)/.exec(started.text)?.[1]);
    assert.ok(pid > 0);
    assert.ok(!desk.alive().includes(pid));
  });

  it('R9 a second stop, and one behind the end, are harmless', async () => {
    const started = desk.start('sleep 1000');
    const [one, two] = await Promise.all([started.run.stop('stopped'), started.run.stop('host_paused')]);
    assert.deepEqual(one, two);
    assert.deepEqual(await started.run.stop('stopped'), one);
    assert.equal((await started.run.done).output['error'], 'stopped');
    assert.equal(started.terminal.write('x', free), 'ended');
  });

  it('X4 a child that never reads: what is typed is refused once its queue is full, and a stop is not held up', async () => {
    const started = desk.start(`stty raw -echo; echo ready 1; sleep 1000`);
    await programs(started, 1);
    const piece = 'x'.repeat(64 * 1024);
    let outcome = started.terminal.write(piece, free);
    for (let n = 0; n < 40 && outcome === 'written'; n += 1) outcome = started.terminal.write(piece, free);
    assert.equal(outcome, 'full');
    assert.equal((await started.run.stop('stopped')).stopped, true);
  });

  it('X4 a child that floods is stopped as any other, and its output is bounded', async () => {
    const started = desk.start('yes');
    await started.says('y\r\ny');
    const report = await started.run.stop('stopped');
    assert.equal(report.stopped, true);
    assert.ok(String((await started.run.done).output['output']).length < 70_000);
  });

  it('the program starts in its folder, with a real terminal around it and no pager', async () => {
    const { output } = await desk.run('pwd; echo $TERM $PAGER $GIT_PAGER; tty; tput cols');
    const [pwd, env, tty, cols] = String(output['output']).split('\n');
    assert.deepEqual([pwd, env, cols], [desk.folder, 'xterm-256color cat cat', '120']);
    assert.match(tty ?? '', /^\/dev\/pts\/\d+$/);
  });

  it('R11 a folder that is gone is named', async () => {
    const run = desk.terminals.terminal(
      { command: 'true', folder: join(desk.folder, 'gone'), cols: 80, rows: 24 },
      free,
      () => {},
    );
    const { output, ran } = await run.done;
    assert.deepEqual([output['error'], ran], ['tool_failed', false]);
    assert.match(String(output['detail']), /gone does not exist/);
  });
});

describe('the stop of a terminal on Windows, by its own means (not run there)', () => {
  it('X5 X7 the tree below the program is ended by force, and one that resists is named', async () => {
    const asked: string[][] = [];
    let running = true;
    const family = new WindowsFamily(
      42,
      () => running,
      async (args) => {
        asked.push([...args]);
        running = false;
      },
    );
    assert.deepEqual(await family.end('tree'), { stopped: true, survivors: [], signal: 'SIGKILL' });
    assert.deepEqual(asked, [['/T', '/F', '/PID', '42']]);
    assert.deepEqual(await family.end('tree'), { stopped: true, survivors: [], signal: 'SIGKILL' });
    const stubborn = new WindowsFamily(
      43,
      () => true,
      () => Promise.reject(new Error('denied')),
    );
    assert.deepEqual(await stubborn.end('tree'), { stopped: false, survivors: [43] });
    assert.deepEqual(await stubborn.end('session'), { stopped: false, survivors: [43] });
  });
});
