import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHOWN_BYTES, STREAM_KEPT_BYTES } from '../../protocol';
import { cord, Fifo, HeldClock, Host, pulled } from './support';

describe('A command', () => {
  let host: Host;
  beforeEach(async () => (host = await Host.start()));
  afterEach(() => host.stop());

  it('X1: gives stdout and stderr apart, its exit code and success', async () => {
    assert.deepEqual(await host.run('echo out; echo err >&2; exit 3'), {
      output: { stdout: 'out\n', stderr: 'err\n', exit_code: 3, success: false },
      failed: true,
      end: { end: 'exited', exitCode: 3 },
    });
    assert.deepEqual(await host.run('printf fine'), {
      output: { stdout: 'fine', stderr: '', exit_code: 0, success: true },
      failed: false,
      end: { end: 'exited', exitCode: 0 },
    });
  });

  it('X1: runs in the folder, without input, in a group and session of its own', async () => {
    const { output } = await host.run(
      'pwd; cat; cut -d" " -f1,5,6 /proc/$$/stat; test -t 0 || echo no terminal',
    );
    const [folder, ids = '', terminal] = String(output['stdout']).split('\n');
    assert.equal(folder, host.folder);
    assert.equal(new Set(ids.split(' ')).size, 1, ids);
    assert.equal(terminal, 'no terminal');
  });

  it('X1: reads no start-up files, pages nothing, asks nothing', async () => {
    const startUp = join(host.folder, 'rc');
    writeFileSync(startUp, 'echo from rc\n');
    process.env['ENV'] = process.env['BASH_ENV'] = startUp;
    const another = await Host.start();
    try {
      const { output } = await another.run(
        'bash -c "echo in bash"; echo $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT $NO_COLOR $TERM',
      );
      assert.equal(output['stdout'], 'in bash\ncat cat 0 1 dumb\n');
    } finally {
      delete process.env['ENV'];
      delete process.env['BASH_ENV'];
      await another.stop();
    }
  });

  it('X7: a signal is told as a signal', async () => {
    const { output, failed, end } = await host.run('kill -SEGV $$');
    assert.deepEqual(output, { stdout: '', stderr: '', signal: 'SIGSEGV', success: false });
    assert.deepEqual({ failed, end }, { failed: true, end: { end: 'signalled', signal: 'SIGSEGV' } });
  });

  it('R11: a missing folder is a result that names it', async () => {
    const run = host.processes.command(
      { command: 'true', folder: '/no/such/folder', timeoutMs: undefined },
      (e) => e(),
      () => {},
    );
    const { output, failed } = await run.done;
    assert.deepEqual(output, { error: 'tool_failed', detail: '/no/such/folder does not exist.' });
    assert.equal(failed, true);
    assert.deepEqual(await run.stop('stopped'), { stopped: true, survivors: [] });
  });

  it('X1: an explicit time limit ends it with the output so far', async () => {
    const { output, end } = await host.run('echo before; exec sleep 100', { timeoutMs: 150 });
    assert.deepEqual(output, {
      error: 'timed_out',
      detail: 'It had not ended after 150 ms and was ended.',
      timed_out: true,
      stdout: 'before\n',
      stderr: '',
      signal: 'SIGTERM',
      success: false,
    });
    assert.equal(end?.end, 'timed_out');
  });

  it('X4: the output of 100 short commands is complete in all of them', async () => {
    const expected = Array.from({ length: 3_000 }, (_, index) => `${index + 1}\n`).join('');
    for (let round = 0; round < 100; round += 1) {
      const { output } = await host.run('seq 1 3000');
      assert.equal(output['stdout'], expected, `round ${round}`);
    }
  }).timeout(60_000);

  it('X1: 10 MB are shown as head and tail with the omitted bytes counted, and kept in bounds', async () => {
    const started = host.start('seq -w 1 1250000; echo last line');
    const { output } = await started.run.done;
    const text = String(output['stdout']);
    const total = 1_250_000 * 8 + 'last line\n'.length;
    const note = /\n\[… (\d+) bytes omitted …\]\n/.exec(text);
    assert.ok(note !== null);
    assert.equal(Number(note[1]) + SHOWN_BYTES, total);
    assert.deepEqual(output['omitted_bytes'], { stdout: Number(note[1]) });
    assert.ok(text.startsWith('0000001\n0000002\n'));
    assert.ok(text.endsWith('1250000\nlast line\n'));
    const kept = started.run.read(0, 100 * 1024 * 1024);
    assert.equal(Buffer.byteLength(kept.text), STREAM_KEPT_BYTES);
    const tail = started.run.read(kept.text.length, 100 * 1024 * 1024);
    assert.equal(tail.total, total);
    assert.equal(tail.offset, total - STREAM_KEPT_BYTES);
    assert.ok(tail.text.endsWith('last line\n'));
    assert.equal(started.text().length, total);
  });

  it('X1: a short stderr is shown whole beside a long stdout', async () => {
    const { output } = await host.run('seq 1 100000; echo problem >&2');
    assert.equal(output['stderr'], 'problem\n');
    const shown = Buffer.byteLength(String(output['stdout'])) + Buffer.byteLength('problem\n');
    assert.ok(shown > SHOWN_BYTES - 100 && shown < SHOWN_BYTES + 100, String(shown));
  });

  it('X4: no character is split, whatever the borders of what was written', async () => {
    const started = host.start(
      String.raw`for byte in 342 202 254 360 237 230 200 303 251; do printf "\\$byte"; done`,
    );
    const { output } = await started.run.done;
    assert.equal(output['stdout'], '€😀é');
    assert.equal(started.text(), '€😀é');
  });

  it('X4: bytes that are no text are replaced, not lost and not the end', async () => {
    const { output } = await host.run(String.raw`printf 'a\377b\200\303'`);
    assert.equal(output['stdout'], 'a\ufffdb\ufffd\ufffd');
  });

  it('X4: nothing is told after the end, also when a process that left the group goes on', async () => {
    const started = host.start(
      'mkfifo out; setsid sh -c "echo > out; while echo more; do :; done" & read x < out',
    );
    const { end } = await started.run.done;
    assert.equal(end?.end, 'exited');
    const told = started.told.length;
    const { total } = started.run.read(0, 10);
    await host.run('seq 1 10');
    assert.equal(started.told.length, told);
    assert.equal(started.run.read(0, 10).total, total);
  });

  it('a reader of its handle sees both streams as they came, in pages', async () => {
    const started = host.start('mkfifo a b; echo one; read x < a; echo two >&2; read x < b; echo three');
    await started.says('one');
    assert.equal(started.run.read(0, 100).text, 'one\n');
    writeFileSync(join(host.folder, 'a'), 'go\n');
    await started.says('two');
    writeFileSync(join(host.folder, 'b'), 'go\n');
    await started.run.done;
    assert.deepEqual(started.run.read(0, 100), { text: 'one\ntwo\nthree\n', offset: 0, total: 14 });
    assert.deepEqual(started.run.read(4, 4), { text: 'two\n', offset: 4, total: 14 });
    assert.deepEqual(started.run.read(99, 4), { text: '', offset: 14, total: 14 });
  });
});

describe('The time limit of a command', () => {
  it('X1: the default one ends with a lift; an explicit one stays', async () => {
    const clock = new HeldClock(77_777);
    const host = await Host.start({ clock, defaultMs: () => 77_777 });
    const fifo = new Fifo(host.folder);
    const lifted = host.start(`exec 9>${fifo.path}; echo up; read line < ${host.folder}/go`);
    await lifted.says('up');
    lifted.run.detach();
    assert.deepEqual(
      clock.held.map((timer) => timer.cleared),
      [true],
    );
    const explicit = host.start('echo up; exec sleep 1000', { timeoutMs: 77_777 });
    await explicit.says('up');
    explicit.run.detach();
    assert.equal(clock.held[1]?.cleared, false);
    clock.held[1].run();
    assert.equal((await explicit.run.done).output['error'], 'timed_out');
    await lifted.run.stop('stopped');
    await fifo.ended;
    await host.stop();
  });

  it('X1: the default one ends a command that nobody lifted', async () => {
    const clock = new HeldClock(77_777);
    const host = await Host.start({ clock, defaultMs: () => 77_777 });
    const started = host.start('echo up; exec sleep 1000');
    await started.says('up');
    clock.held[0]?.run();
    assert.equal((await started.run.done).output['timed_out'], true);
    await host.stop();
  });
});

describe('A command that may not start', () => {
  let host: Host;
  beforeEach(async () => (host = await Host.start({ places: 1 })));
  afterEach(() => host.stop());

  it('P2: does nothing when the launch is refused, not even start the watchdog', async () => {
    const started = host.start('touch started', { launch: pulled });
    const { output, failed, end } = await started.run.done;
    assert.deepEqual(output, { error: 'host_paused', detail: 'Paused before it started: nothing was run.' });
    assert.deepEqual({ failed, end }, { failed: true, end: { end: 'host_paused' } });
    assert.equal(existsSync(join(host.folder, 'started')), false);
    assert.deepEqual(childrenOfThis('belay-watchdog'), []);
  });

  it('P2: is started within the launch, not after it', async () => {
    let inside: boolean | undefined;
    const started = host.start('echo hi', {
      launch: (effect) => {
        inside = true;
        const value = effect();
        inside = false;
        return value;
      },
    });
    assert.equal(inside, false, 'the launch was over before the call returned');
    await started.run.done;
  });

  it('P3: one that waits for a place leaves the line when it is stopped, and never starts', async () => {
    const first = host.start('echo up; exec sleep 1000');
    await first.says('up');
    const second = host.start('touch second');
    const third = host.start('echo third');
    assert.deepEqual(await second.run.stop('host_paused'), { stopped: true, survivors: [] });
    assert.equal((await second.run.done).output['error'], 'host_paused');
    await first.run.stop('stopped');
    assert.equal((await third.run.done).output['stdout'], 'third\n');
    assert.equal(existsSync(join(host.folder, 'second')), false);
  });

  it('P3: one that waits for a place asks the cord after the wait', async () => {
    const first = host.start('echo up; exec sleep 1000');
    await first.says('up');
    const rope = cord();
    const second = host.start('touch second', { launch: rope.launch });
    rope.pull();
    await first.run.stop('host_paused');
    assert.equal((await second.run.done).output['error'], 'host_paused');
    assert.equal(existsSync(join(host.folder, 'second')), false);
    assert.equal((await host.run('echo the place is free again')).failed, false);
  });

  it('R9: a refused start gives its place back', async () => {
    for (let round = 0; round < 3; round += 1) await host.run('true', { launch: pulled });
    assert.equal((await host.run('true')).failed, false);
  });
});

function childrenOfThis(name: string): string[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(name));
}
