/** Nothing outlives the host (X6): each process of a window is killed in turn, and the survivors are counted. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Fifo } from '../processes/support';
import { HostClient } from '../support/hostClient';
import { marked } from './support';

type Window = ChildProcessByStdio<Writable, Readable, null>;

/** All that a tree can do to escape: a session, no hang-up, a double fork, and no signal heard. */
const ESCAPING = (fifo: string): string =>
  [
    `exec 9>${fifo}`,
    'setsid sleep 1000 &',
    'nohup sleep 1001 >/dev/null 2>&1 &',
    '(setsid sh -c "sleep 1002 & exec sleep 1003" &)',
    `sh -c 'trap "" INT TERM HUP; while :; do sleep 0.2; done' &`,
    'trap "" INT TERM HUP',
    'echo up',
    'while :; do sleep 0.2; done',
  ].join('\n');

describe('a window that dies', function () {
  this.timeout(40_000);
  let folder: string;
  let window: Window;
  let fifo: Fifo;
  let paths: { storeDir: string; workspace: string };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'belay-orphans-'));
    paths = { storeDir: join(folder, 'store'), workspace: join(folder, 'workspace') };
    mkdirSync(paths.workspace);
    fifo = new Fifo(folder);
    const task = JSON.stringify({ ...paths, command: ESCAPING(fifo.path) });
    const script = join(__dirname, 'fixtures/window.ts');
    window = spawn(process.execPath, ['--import', 'tsx', script, task], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await says('up');
  });
  afterEach(async () => {
    if (window.exitCode === null && window.signalCode === null) {
      window.kill('SIGKILL');
      await once(window, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const says = async (word: string): Promise<void> => {
    for (let text = ''; !text.includes(word);) text += String(await once(window.stdout, 'data'));
  };
  /** Everything alive that this window has started. */
  const started = (): number[] =>
    marked(`BELAY_HOST=`).filter((pid) => read(pid, 'environ').includes(`.${String(window.pid)}.`));
  const one = (name: string): number => {
    const pid = started().find((each) => read(each, 'cmdline').includes(name));
    assert.ok(pid !== undefined, name);
    return pid;
  };
  /** Once no one holds the pipe, all that the terminal has started is gone; then the others are looked for. */
  const noneIsLeft = async (): Promise<void> => {
    await fifo.ended;
    const left = started().filter((pid) => !/watchdog|ptyHost/.test(read(pid, 'cmdline')));
    assert.deepEqual(left, []);
  };

  it('X6 kill -9 of the extension host leaves nothing', async () => {
    window.kill('SIGKILL');
    await noneIsLeft();
  });

  it('X6 the end of the host’s thread alone leaves nothing', async () => {
    window.stdin.write('\n');
    await noneIsLeft();
    assert.equal(window.exitCode, null, 'the process has outlived its thread');
  });

  it('X6 kill -9 of the PTY host leaves nothing', async () => {
    process.kill(one('ptyHost.js'), 'SIGKILL');
    await noneIsLeft();
  });

  it('X6 the window is closed: SIGHUP to its process leaves nothing', async () => {
    window.kill('SIGHUP');
    await noneIsLeft();
  });

  it('X6 kill -9 of the extension host while the PTY host hangs leaves nothing', async () => {
    process.kill(one('ptyHost.js'), 'SIGSTOP');
    window.kill('SIGKILL');
    await noneIsLeft();
  });

  it('X6 what a crash of everything leaves is swept by the next start, by mark, pid and start', async () => {
    const dog = watchdogOf(window.pid);
    const ptyHost = one('ptyHost.js');
    for (const pid of [ptyHost, dog]) process.kill(pid, 'SIGSTOP');
    window.kill('SIGKILL');
    await once(window, 'exit');
    for (const pid of [ptyHost, dog]) process.kill(pid, 'SIGKILL');
    const stranger = spawn('sleep', ['1000'], {
      env: { ...process.env, BELAY_HOST: `other.${process.pid}.0.0` },
    });
    assert.ok(started().length >= 5, 'it has left something');
    const next = await HostClient.start({ ...paths });
    await noneIsLeft();
    const [handle] = (await next.request('handle/list', {})).items;
    assert.deepEqual([handle?.state, handle?.end], ['ended', 'lost']);
    assert.equal(stranger.exitCode, null, 'a process of another space of pids is not judged');
    stranger.kill();
    await next.stop();
  });
});

/** It carries no mark, but has its host's as an argument. */
function watchdogOf(window: number | undefined): number {
  const pid = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((each) => {
      const line = read(each, 'cmdline');
      return line.includes('belay-watchdog') && line.includes(`.${String(window)}.`);
    });
  assert.ok(pid !== undefined, 'the watchdog');
  return pid;
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}
