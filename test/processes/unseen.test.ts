/** Processes that the system does not show: every run ends all the same, and no more is said than was seen (R5, X5). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PosixFamily } from '../../host/adapters/processes/family';
import { ProgramRun, type Room } from '../../host/adapters/processes/program';
import { LADDER } from '../../host/adapters/processes/stop';
import type { ProcessTable } from '../../host/adapters/processes/table';
import { systemClock } from '../../host/base/clock';
import { Places } from '../../host/base/places';
import { free } from './support';

const unreadable = (): Promise<never> => Promise.reject(new Error('spawn ps EMFILE'));

const TABLE: ProcessTable = {
  own: unreadable,
  list: unreadable,
  marked: unreadable,
  alive: unreadable,
  deaf: () => new Set(),
  signal: unreadable,
};

/** `command` in a group of its own. */
const groupOf = (command: string) =>
  spawn('/bin/sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });

const running = (child: ReturnType<typeof groupOf>) => ({
  stdout: child.stdout,
  stderr: child.stderr,
  exited: once(child, 'exit').then(() => ({ code: 0, signal: null })),
});

describe('processes that cannot be seen', () => {
  it('X5 a group is killed by its number, and nothing is said to have stopped', async () => {
    const child = groupOf('trap "" TERM; exec sleep 60');
    assert.ok(child.pid !== undefined);
    const exit = once(child, 'exit');
    let isRunning = true;
    child.on('exit', () => (isRunning = false));
    const family = new PosixFamily({
      table: TABLE,
      clock: systemClock,
      leader: child.pid,
      mark: 'm',
      isRunning: () => isRunning,
    });
    await family.see();
    assert.deepEqual(await family.end('tree', LADDER, 1_000), { stopped: false, survivors: [] });
    assert.deepEqual(await exit, [null, 'SIGKILL']);
  });

  it('R5 R11 a command whose end cannot be found out has a result, and gives its place back', async () => {
    const places = new Places(1);
    const room: Room = {
      clock: systemClock,
      places,
      defaultMs: () => 60_000,
      secrets: () => ({ names: [], values: [] }),
      start: () => ({
        ...running(groupOf('echo said')),
        release: () => {},
        letGo: () => {},
        family: { hasGroup: () => true, end: unreadable, see: unreadable, nudge: () => {} },
      }),
    };
    const request = { file: '/bin/sh', args: [], folder: '/', timeoutMs: undefined };
    const run = new ProgramRun(request, room, free, () => {});
    const { output, failed, end } = await run.done;
    assert.deepEqual([output['error'], failed, end?.end], ['tool_failed', true, 'failed']);
    assert.match(String(output['detail']), /could not be found out: spawn ps EMFILE/);
    assert.deepEqual(await run.stop('stopped'), { stopped: false, survivors: [] });
    assert.ok(places.tryTake() !== undefined);
  });
});
