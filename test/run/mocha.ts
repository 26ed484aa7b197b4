import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { outFolder, repository } from '../vscode/paths';
import { countsEnvironment, readCounts, type Counts } from './counts';

/** Runs mocha in a process group of its own and ends that group when it takes longer than `minutes`. */
export async function runMocha(args: readonly string[], minutes: number): Promise<Counts> {
  const counts = join(outFolder, `counts-${String(process.pid)}.json`);
  rmSync(counts, { force: true });
  const mocha = join(repository, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const child = spawn(process.execPath, [mocha, ...args, '--retries', '1'], {
    cwd: repository,
    env: { ...process.env, ...countsEnvironment(counts) },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const interrupted = (): void => {
    end();
    process.exit(1);
  };
  const timer = setTimeout(() => {
    console.error(`Ended: these tests take longer than ${minutes} minutes.`);
    end();
  }, minutes * 60_000);
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  await once(child, 'exit');
  process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  clearTimeout(timer);
  const found = readCounts(counts);
  rmSync(counts, { force: true });
  return judge(found, child.exitCode);
}

/** A process that ends badly although no test failed is itself a failure: a leak, a crash, a time-out. */
function judge(found: Counts | undefined, code: number | null): Counts {
  const counts = found ?? { passed: 0, failed: 0, skipped: 0, again: 0 };
  if (code === 0 || (code !== null && counts.failed > 0)) return counts;
  console.error(
    `The test process ended with ${code === null ? 'a signal' : `code ${code}`}, not with its tests.`,
  );
  return { ...counts, failed: counts.failed + 1 };
}
