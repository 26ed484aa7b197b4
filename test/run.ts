/**
 * The one command for all tests: `npm test`, or `node --import tsx test/run.ts [host] [vscode] [ui]` for some.
 * Builds, runs each suite to its end, and closes with one line that adds all of them up.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { countsEnvironment, readCounts, type Counts } from './run/counts';
import { ensureChromium, ensureVsCode, SetUpError } from './vscode/install';
import { outFolder, repository } from './vscode/paths';
import { runSuiteInVsCode } from './vscode/runSuite';

interface Suite {
  readonly name: string;
  readonly says: string;
  readonly needsVsCode: boolean;
  run(): Promise<Counts>;
}

const suiteMinutes = 6;

const suites: readonly Suite[] = [
  {
    name: 'host',
    says: 'Host, protocol, page and architecture',
    needsVsCode: false,
    run: () => mocha('.mocharc.cjs'),
  },
  {
    name: 'vscode',
    says: 'Inside the extension host of VS Code',
    needsVsCode: true,
    run: () => runSuiteInVsCode(),
  },
  {
    name: 'ui',
    says: 'VS Code in a browser',
    needsVsCode: true,
    run: () => mocha('test/vscode/ui/.mocharc.cjs'),
  },
];

async function main(names: readonly string[]): Promise<number> {
  const chosen = suites.filter((suite) => names.length === 0 || names.includes(suite.name));
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) throw new SetUpError(`No such suite: ${unknown.join(', ')}.`);
  build();
  if (chosen.some((suite) => suite.needsVsCode)) {
    ensureVsCode();
    ensureChromium();
  }
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of chosen) {
    console.log(`\n== ${suite.says}`);
    const counts = await suite.run();
    console.log(`== ${suite.says}: ${sentence(counts)}`);
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
  }
  console.log(`\n${sentence(total)}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

function sentence(counts: Counts): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  return `${counts.passed} passed, ${counts.failed} failed${skipped}`;
}

function build(): void {
  const built = spawnSync(process.execPath, ['esbuild.config.mjs'], { cwd: repository, stdio: 'inherit' });
  if (built.status !== 0) throw new SetUpError('The build failed; its messages are above.');
}

async function mocha(config: string): Promise<Counts> {
  const counts = join(outFolder, 'counts.json');
  rmSync(counts, { force: true });
  const bin = join(repository, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const child = spawn(process.execPath, [bin, '--config', config], {
    cwd: repository,
    env: { ...process.env, ...countsEnvironment(counts) },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: suiteMinutes * 60_000,
  });
  const [code] = await once(child, 'exit');
  const read = readCounts(counts) ?? { passed: 0, failed: 0, skipped: 0 };
  if (code === 0 || read.failed > 0) return read;
  console.error(`mocha ended with ${String(code ?? 'a signal')} before or after its tests.`);
  return { ...read, failed: read.failed + 1 };
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error instanceof SetUpError ? error.message : error);
    console.log('\n0 passed, 1 failed');
    process.exitCode = 1;
  },
);
