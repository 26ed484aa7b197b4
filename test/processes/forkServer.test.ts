/** Commands are started by a small process of their own: what that gives, and what becomes of them when it fails. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cord, FORK_SERVER, Host } from './support';

/** What was asked for has left when the next turn of the loop begins. */
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('The fork server', () => {
  let host: Host;
  let epoch = 0;
  const start = async (bundle = FORK_SERVER, own: Record<string, string> = {}): Promise<void> => {
    epoch = 0;
    host = await Host.start({ forkServer: { bundle, epoch: () => epoch } }, own);
  };
  const exists = (name: string): boolean => existsSync(join(host.folder, name));
  /** Its pid, once it has started a command. */
  const up = async (): Promise<number> => {
    assert.equal((await host.run('true')).output['success'], true);
    const pid = host.forkServer();
    assert.ok(pid !== undefined);
    return pid;
  };
  afterEach(() => host.stop());

  it('X1: a command can open /dev/stdout and /dev/stderr', async () => {
    await start();
    const { output } = await host.run(
      'echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr',
    );
    assert.deepEqual([output['stdout'], output['stderr']], ['one\nthree\n', 'two\nthree\n']);
  });

  it('R9: options that a person sets for every Node reach a command and not the fork server', async () => {
    await start(FORK_SERVER, { NODE_OPTIONS: '--require /no/such/file.js' });
    const { output } = await host.run('echo "$NODE_OPTIONS"');
    assert.equal(output['stdout'], '--require /no/such/file.js\n');
    assert.ok(host.forkServer() !== undefined);
  });

  it('R10: many commands, one after the other and at once, leave no descriptor and no file behind', async () => {
    const files = mkdtempSync(join(tmpdir(), 'belay-fork-'));
    await start(FORK_SERVER, { TMPDIR: files });
    const round = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 60 }, (_, n) => host.run(`echo ${n}; exit ${n % 3}`)));
    await round();
    const pid = host.forkServer();
    const open = (of: string): number => readdirSync(`/proc/${of}/fd`).length;
    const before = [open('self'), open(String(pid))];
    for (let n = 0; n < 3; n++) await round();
    const grown = [open('self'), open(String(pid))].map((now, at) => now - (before[at] ?? 0));
    assert.ok(
      grown.every((more) => more < 40),
      `descriptors more than before: ${grown.join(', ')}`,
    );
    assert.deepEqual(readdirSync(files), []);
    rmSync(files, { recursive: true });
  });

  it('P3: what has been called off before it was heard of is never started', async () => {
    await start();
    const pid = await up();
    process.kill(pid, 'SIGSTOP');
    const one = host.start('touch early');
    await turn();
    const stop = one.run.stop('cancelled');
    process.kill(pid, 'SIGCONT');
    assert.deepEqual(await stop, { stopped: true, survivors: [] });
    assert.equal((await one.run.done).ran, false);
    assert.equal(host.forkServer(), pid, 'it goes on');
    assert.ok(!exists('early'));
  });

  it('P2: a pull before its preparation is over starts nothing, and asks for nothing', async () => {
    await start();
    const rope = cord();
    const one = host.start('touch early', { launch: rope.launch });
    rope.pull();
    const { output, ran } = await one.run.done;
    assert.deepEqual([output['error'], ran], ['host_paused', false]);
    assert.ok(!exists('early'));
  });

  it('P2: what was decided under an older epoch is refused by the fork server itself', async () => {
    await start();
    epoch = 5;
    await up();
    epoch = 4;
    const { output, ran } = await host.run('touch old');
    assert.deepEqual([output['error'], ran], ['host_paused', false]);
    assert.ok(!exists('old'));
  });

  it('P2: one that does not answer a pull is ended after 250 ms, and nothing of the command is left', async () => {
    await start();
    const pid = await up();
    process.kill(pid, 'SIGSTOP');
    const one = host.start('touch deaf');
    await turn();
    assert.deepEqual(await one.run.stop('host_paused'), { stopped: true, survivors: [] });
    assert.equal((await one.run.done).output['error'], 'host_paused');
    assert.notEqual(await up(), pid, 'the next command has a new one');
    assert.ok(!exists('deaf'));
  });

  it('R5 X6: when it dies, its commands are ended and said to be of unknown end, and the next starts another', async () => {
    await start();
    const one = host.start('nohup setsid sleep 1000 & trap "" TERM; echo up; sleep 1000');
    await one.says('up');
    const pid = host.forkServer();
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGKILL');
    const { output, end, ran } = await one.run.done;
    assert.deepEqual(
      [output['error'], output['stdout'], end?.end, ran],
      ['tool_failed', 'up\n', 'failed', undefined],
    );
    assert.match(
      String(output['detail']),
      /could not be found out: The process that starts commands has ended/,
    );
    assert.deepEqual(host.alive(), []);
    assert.notEqual(await up(), pid);
  });

  it('R9: where it cannot be had, the host starts commands by itself, and logs why', async () => {
    await start(join(tmpdir(), 'no-such-bundle.js'));
    assert.equal((await host.run('echo here')).output['stdout'], 'here\n');
    assert.equal(host.forkServer(), undefined);
    assert.match(
      host.log.join('\n'),
      /A command is started by the host itself: The process that starts commands/,
    );
  });

  it('R9: the same where no pipe can be made', async () => {
    await start(FORK_SERVER, { TMPDIR: '/no/such/folder' });
    assert.equal((await host.run('echo here')).output['stdout'], 'here\n');
    assert.match(host.log.join('\n'), /A command is started by the host itself: ENOENT/);
  });
});
