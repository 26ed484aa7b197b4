/**
 * The one command for all tests: `npm test`, or `node --import tsx test/run.ts [host] [page] [vscode] [ui]` for some.
 * Builds, runs each suite to its end, and closes with one line that adds all of them up. Two run side by side,
 * because VS Code and a browser leave a processor idle half of the time. A test that fails is run once more; the
 * closing line counts those that passed only then.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { countsEnvironment, readCounts, takeCountsPath, writeCounts, type Counts } from './run/counts';
import { makeMemoryFolder } from './run/memoryFolder';
import { runMocha } from './run/mocha';
import { ensureChromium, ensurePrograms, ensureVsCode, SetUpError } from './vscode/install';
import { outFolder, repository } from './vscode/paths';
import { runSuiteInVsCode } from './vscode/runSuite';

/** Suites at a time. */
const LANES = 2;

interface Suite {
  readonly name: string;
  readonly says: string;
  readonly needsPrograms?: boolean;
  readonly needsVsCode?: boolean;
  readonly needsBrowser?: boolean;
  run(): Promise<Counts>;
}

/** The longest first. */
const suites: readonly Suite[] = [
  {
    name: 'ui',
    says: 'VS Code in a browser',
    needsVsCode: true,
    needsBrowser: true,
    run: () => runMocha(['--config', 'test/vscode/ui/.mocharc.cjs', 'test/vscode/ui/**/*.test.ts'], 12),
  },
  {
    name: 'host',
    says: 'Host, protocol, extension and architecture',
    needsPrograms: true,
    run: () => runMocha(['test/**/*.test.{ts,tsx}', '--ignore', 'test/{vscode,webview,agents}/**'], 14),
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
];

async function main(names: readonly string[]): Promise<number> {
  const chosen = suites.filter((suite) => names.length === 0 || names.includes(suite.name));
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) throw new SetUpError(`No such suite: ${unknown.join(', ')}.`);
  const counts = takeCountsPath();
  if (counts !== undefined && chosen[0] !== undefined) {
    writeCounts(counts, await chosen[0].run());
    return 0;
  }
  const memory = makeMemoryFolder();
  if (memory !== undefined) process.env['TMPDIR'] = memory;
  build();
  if (chosen.some((suite) => suite.needsPrograms)) ensurePrograms();
  if (chosen.some((suite) => suite.needsBrowser)) ensureChromium();
  if (chosen.some((suite) => suite.needsVsCode)) ensureVsCode();
  const total = chosen.length > 1 ? await sideBySide(chosen) : await oneAlone(chosen);
  if (memory !== undefined) rmSync(memory, { recursive: true, force: true });
  console.log(`\n${sentence(total)}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

async function oneAlone(chosen: readonly Suite[]): Promise<Counts> {
  let total = none;
  for (const suite of chosen) total = sum(total, await suite.run());
  return total;
}

/** Each suite in a process of its own, whose output is shown when it has ended. */
async function sideBySide(chosen: readonly Suite[]): Promise<Counts> {
  const left = [...chosen];
  const lane = async (): Promise<Counts> => {
    let total = none;
    for (let suite = left.shift(); suite !== undefined; suite = left.shift())
      total = sum(total, await apart(suite));
    return total;
  };
  const lanes = await Promise.all(Array.from({ length: LANES }, lane));
  return lanes.reduce(sum, none);
}

async function apart(suite: Suite): Promise<Counts> {
  const began = Date.now();
  const counts = join(outFolder, `suite-${suite.name}.json`);
  const printed = join(outFolder, `suite-${suite.name}.log`);
  mkdirSync(outFolder, { recursive: true });
  rmSync(counts, { force: true });
  const file = openSync(printed, 'w');
  console.log(`== ${suite.says}: begins`);
  const child = spawn(process.execPath, [...process.execArgv, __filename, suite.name], {
    cwd: repository,
    env: { ...process.env, ...countsEnvironment(counts) },
    stdio: ['ignore', file, file],
  });
  await once(child, 'exit');
  closeSync(file);
  const found = readCounts(counts) ?? { ...none, failed: 1 };
  process.stdout.write(`\n== ${suite.says}\n${readFileSync(printed, 'utf8')}`);
  console.log(`== ${suite.says}: ${sentence(found)}, in ${Math.round((Date.now() - began) / 1000)} s\n`);
  return found;
}

const none: Counts = { passed: 0, failed: 0, skipped: 0, again: 0 };

const sum = (a: Counts, b: Counts): Counts => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  again: a.again + b.again,
});

function sentence({ passed, failed, skipped, again }: Counts): string {
  return [
    `${passed} passed`,
    `${failed} failed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(again > 0 ? [`${again} of them passed only when run again`] : []),
  ].join(', ');
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
