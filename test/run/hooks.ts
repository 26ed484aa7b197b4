/**
 * Holds for every mocha process: a child process that outlives the tests fails the run, and so does anything
 * else that keeps the process alive. Mocha itself fails a run on an unhandled rejection.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { endAll } from './ends';

const childGraceMs = 2_000;
const exitGraceMs = 15_000;

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await endAll();
    const deadline = Date.now() + childGraceMs;
    while (childProcesses().length > 0 && Date.now() < deadline) await delay(20);
    failIfStillAlive();
    const left = childProcesses();
    if (left.length > 0) throw new Error(`Child processes outlive their tests: ${left.join('; ')}`);
  },
};

/** The timer does not keep the process alive: it fires only if something else does. */
function failIfStillAlive(): void {
  setTimeout(() => {
    console.error(
      `Still alive ${exitGraceMs / 1000} s after the last test: ${process.getActiveResourcesInfo().join(', ')}`,
    );
    process.exit(1);
  }, exitGraceMs).unref();
}

function childProcesses(): string[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc/self/task').flatMap((task) =>
    read(`/proc/self/task/${task}/children`).split(' '),
  );
  return pids
    .filter((pid) => pid !== '' && !hasEnded(pid))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).split('\0').join(' ').trim()}`)
    .filter((text) => !/@esbuild.*--service/.test(text));
}

/** Nobody collects the children of a host that was killed as a thread: they have ended all the same. */
const hasEnded = (pid: string): boolean => /^\d+ \(.*\) [ZX]/s.test(read(`/proc/${pid}/stat`));

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
