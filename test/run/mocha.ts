import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { repository } from '../vscode/paths';
import { readReport, reportEnvironment } from './report';
import { tryOf, type Try } from './tries';

/** Test files for one process. */
export interface Job {
  /** As seen from the repository. */
  readonly files: readonly string[];
  readonly minutes: number;
  /** The file to which the process tells what becomes of its tests. Empty when the job begins. */
  readonly report: string;
  /** A file descriptor for what it prints. */
  readonly output: number;
}

/** Runs mocha in a process group of its own and ends that group when it takes longer than the job's minutes. */
export async function runMocha(job: Job, options: readonly string[]): Promise<Try> {
  const mocha = join(repository, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const child = spawn(process.execPath, [mocha, ...options, ...job.files], {
    cwd: repository,
    env: { ...process.env, ...reportEnvironment(job.report) },
    stdio: ['ignore', job.output, job.output],
    detached: true,
  });
  let isLate = false;
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const interrupted = (): void => {
    end();
    process.exit(1);
  };
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, job.minutes * 60_000);
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  await once(child, 'exit');
  process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  clearTimeout(timer);
  const trouble = isLate
    ? `These tests take longer than ${String(job.minutes)} minutes: their process was ended.`
    : troubleOf(child.exitCode, child.signalCode);
  return tryOf(job.files, readReport(job.report), trouble);
}

/** A process that ends badly although no test failed is itself a failure: a leak, a crash. */
function troubleOf(code: number | null, signal: NodeJS.Signals | null): string | undefined {
  if (code === 0) return undefined;
  const how = code === null ? `by ${String(signal)}` : `with code ${String(code)}`;
  return `The test process ended ${how}, not with its tests.`;
}
