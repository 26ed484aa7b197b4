/**
 * The one command for all tests: `npm test`, or `node --import tsx test/run.ts [host] [page] [vscode] [ui]` for some.
 * Builds, runs each suite to its end, and closes with one line that adds all of them up. All together run in two
 * lanes side by side, because VS Code and a browser leave a processor idle half of the time.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { countsEnvironment, readCounts, takeCountsPath, writeCounts, type Counts } from './run/counts';
import { makeMemoryFolder } from './run/memoryFolder';
import { runMocha } from './run/mocha';
import { ensureChromium, ensurePrograms, ensureVsCode, SetUpError } from './vscode/install';
import { outFolder, repository } from './vscode/paths';
import { runSuiteInVsCode } from './vscode/runSuite';

interface Suite {
  readonly name: string;
  readonly says: string;
  readonly needsPrograms?: boolean;
  readonly needsVsCode?: boolean;
  readonly needsBrowser?: boolean;
  run(): Promise<Counts>;
}

const suites: readonly Suite[] = [
  {
    name: 'host',
    says: 'Host, protocol, extension and architecture',
    needsPrograms: true,
    run: () => runMocha(['test/**/*.test.{ts,tsx}', '--ignore', 'test/{vscode,webview,agents}/**'], 13),
  },
  {
    name: 'page',
    says: 'The chat page in a browser',
    needsBrowser: true,
    run: () => runMocha(['test/webview/**/*.test.{ts,tsx}', '--timeout', '60000'], 10),
  },
  {
    name: 'vscode',
    says: 'Inside the extension host of VS Code',
    needsVsCode: true,
    needsBrowser: true,
    run: runSuiteInVsCode,
  },
  {
    name: 'ui',
    says: 'VS Code in a browser',
    needsVsCode: true,
    needsBrowser: true,
    run: () => runMocha(['--config', 'test/vscode/ui/.mocharc.cjs', 'test/vscode/ui/**/*.test.ts'], 12),
  },
];

async function main(names: readonly string[]): Promise<number> {
  const chosen = suites.filter((suite) => names.length === 0 || names.includes(suite.name));
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) throw new SetUpError(`No such suite: ${unknown.join(', ')}.`);
  const lane = takeCountsPath();
  const memory = lane === undefined ? makeMemoryFolder() : undefined;
  if (memory !== undefined) process.env['TMPDIR'] = memory;
  if (lane === undefined) {
    build();
    if (chosen.some((suite) => suite.needsPrograms)) ensurePrograms();
    if (chosen.some((suite) => suite.needsBrowser)) ensureChromium();
  }
  if (chosen.some((suite) => suite.needsVsCode) && names.length > 0) ensureVsCode();
  const total = names.length === 0 ? await inTwoLanes() : await oneByOne(chosen);
  if (lane !== undefined) {
    writeCounts(lane, total);
    return 0;
  }
  if (memory !== undefined) rmSync(memory, { recursive: true, force: true });
  console.log(`\n${sentence(total)}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

async function oneByOne(chosen: readonly Suite[]): Promise<Counts> {
  let total: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of chosen) {
    console.log(`\n== ${suite.says}`);
    const counts = await suite.run();
    console.log(`== ${suite.says}: ${sentence(counts)}`);
    total = sum(total, counts);
  }
  return total;
}

/** What needs no screen here, what does in a process of its own, whose output is shown when it has ended. */
async function inTwoLanes(): Promise<Counts> {
  const beside = suites.filter((suite) => suite.needsBrowser);
  const counts = join(outFolder, 'lane.json');
  const printed = join(outFolder, 'lane.log');
  const file = openSync(printed, 'w');
  const names = beside.map((suite) => suite.name);
  const lane = spawn(process.execPath, [...process.execArgv, __filename, ...names], {
    cwd: repository,
    env: { ...process.env, ...countsEnvironment(counts) },
    stdio: ['ignore', file, file],
  });
  const ended = once(lane, 'exit');
  console.log(`Beside these: ${beside.map((suite) => suite.says).join('; ')}.`);
  const here = await oneByOne(suites.filter((suite) => !beside.includes(suite)));
  await ended;
  closeSync(file);
  process.stdout.write(readFileSync(printed, 'utf8'));
  const there = readCounts(counts) ?? { passed: 0, failed: 1, skipped: 0 };
  return sum(here, there);
}

const sum = (a: Counts, b: Counts): Counts => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});

function sentence(counts: Counts): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  return `${counts.passed} passed, ${counts.failed} failed${skipped}`;
}

function build(): void {
  const built = spawnSync(process.execPath, ['esbuild.config.mjs'], { cwd: repository, stdio: 'inherit' });
  if (built.status !== 0) throw new SetUpError('The build failed; its messages are above.');
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error instanceof SetUpError ? error.message : error);
    console.log('\n0 passed, 1 failed');
    process.exitCode = 1;
  },
);
