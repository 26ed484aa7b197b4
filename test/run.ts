/**
 * The one command for all tests: `npm test`, or `node --import tsx test/run.ts [host] [page] [vscode] [ui]` for some.
 * Builds, runs each suite to its end, and closes with one line that adds all of them up. Several suites run in pieces
 * side by side; one alone runs whole, and shows each test as it ends. A test that fails is run once more; the closing
 * line counts those that passed only then.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { countsEnvironment, readCounts, takeCountsPath, writeCounts, type Counts } from './run/counts';
import { filesOfPiece, pieceName, pieceNamed, WHOLE, type Piece } from './run/files';
import { makeMemoryFolder } from './run/memoryFolder';
import { runMocha } from './run/mocha';
import { ensureChromium, ensurePrograms, ensureVsCode, SetUpError } from './vscode/install';
import { outFolder, repository } from './vscode/paths';
import { runSuiteInVsCode } from './vscode/runSuite';

/** Pieces at a time: tests that wait for a window, a page or a process leave a third of each processor idle. */
const LANES = Math.min(availableParallelism() + 1, 4);

interface Suite {
  readonly name: string;
  readonly says: string;
  /** Into how many processes its files are dealt. */
  readonly pieces: number;
  /** A minute a piece, not two: they fill what is left at the end of each lane. */
  readonly isShort?: boolean;
  readonly needsPrograms?: boolean;
  readonly needsVsCode?: boolean;
  readonly needsBrowser?: boolean;
  run(piece: Piece): Promise<Counts>;
}

/** What other suites run, and what runs on demand alone. */
const othersThanHost = ['test/vscode', 'test/webview', 'test/agents', 'test/fixtures'];

const suites: readonly Suite[] = [
  {
    name: 'ui',
    says: 'VS Code in a browser',
    pieces: 4,
    needsVsCode: true,
    needsBrowser: true,
    run: (piece) =>
      runMocha(
        [
          '--config',
          'test/vscode/ui/.mocharc.cjs',
          ...filesOfPiece({ in: 'test/vscode/ui', except: [] }, piece),
        ],
        12,
      ),
  },
  {
    name: 'host',
    says: 'Host, protocol, extension and architecture',
    pieces: 4,
    needsPrograms: true,
    run: (piece) => runMocha(filesOfPiece({ in: 'test', except: othersThanHost }, piece), 14),
  },
  {
    name: 'page',
    says: 'The chat page in a browser',
    pieces: 5,
    isShort: true,
    needsBrowser: true,
    run: (piece) =>
      runMocha([...filesOfPiece({ in: 'test/webview', except: [] }, piece), '--timeout', '60000'], 10),
  },
  {
    name: 'vscode',
    says: 'Inside the extension host of VS Code',
    pieces: 1,
    isShort: true,
    needsVsCode: true,
    needsBrowser: true,
    run: runSuiteInVsCode,
  },
];

async function main(names: readonly string[]): Promise<number> {
  const counts = takeCountsPath();
  if (counts !== undefined) return oneApart(names, counts);
  const chosen = suites.filter((suite) => names.length === 0 || names.includes(suite.name));
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) throw new SetUpError(`No such suite: ${unknown.join(', ')}.`);
  const memory = makeMemoryFolder();
  if (memory !== undefined) process.env['TMPDIR'] = memory;
  build();
  if (chosen.some((suite) => suite.needsPrograms)) ensurePrograms();
  if (chosen.some((suite) => suite.needsBrowser)) ensureChromium();
  if (chosen.some((suite) => suite.needsVsCode)) ensureVsCode();
  const [alone, ...others] = chosen;
  const total =
    alone !== undefined && others.length === 0 ? await alone.run(WHOLE) : await sideBySide(chosen);
  if (memory !== undefined) rmSync(memory, { recursive: true, force: true });
  console.log(`\n${sentence(total)}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

/** What the process of one piece does. */
async function oneApart([name, piece]: readonly string[], counts: string): Promise<number> {
  const suite = suites.find((one) => one.name === name);
  if (suite === undefined) throw new SetUpError(`No such suite: ${name ?? ''}.`);
  writeCounts(counts, await suite.run(pieceNamed(piece)));
  return 0;
}

/** Each piece in a process of its own, whose output is shown when it has ended. */
async function sideBySide(chosen: readonly Suite[]): Promise<Counts> {
  const left = [
    ...inTurn(chosen.filter((suite) => suite.isShort !== true)),
    ...inTurn(chosen.filter((suite) => suite.isShort === true)),
  ];
  const lane = async (): Promise<Counts> => {
    let total = none;
    for (let next = left.shift(); next !== undefined; next = left.shift())
      total = sum(total, await apart(next.suite, next.piece));
    return total;
  };
  const lanes = await Promise.all(Array.from({ length: LANES }, lane));
  return lanes.reduce(sum, none);
}

interface Part {
  readonly suite: Suite;
  readonly piece: Piece;
}

/** The first piece of each suite, then the second of each: what waits runs beside what computes. */
function inTurn(some: readonly Suite[]): Part[] {
  const rounds = Math.max(0, ...some.map((suite) => suite.pieces));
  return Array.from({ length: rounds }, (_, n) =>
    some
      .filter((suite) => n < suite.pieces)
      .map((suite) => ({ suite, piece: { number: n + 1, of: suite.pieces } })),
  ).flat();
}

async function apart(suite: Suite, piece: Piece): Promise<Counts> {
  const began = Date.now();
  const says = `${suite.says}${piece.of === 1 ? '' : `, ${String(piece.number)} of ${String(piece.of)}`}`;
  const kept = join(outFolder, `suite-${suite.name}-${String(piece.number)}`);
  const [counts, printed] = [`${kept}.json`, `${kept}.log`];
  mkdirSync(outFolder, { recursive: true });
  rmSync(counts, { force: true });
  const file = openSync(printed, 'w');
  console.log(`== ${says}: begins`);
  const child = spawn(process.execPath, [...process.execArgv, __filename, suite.name, pieceName(piece)], {
    cwd: repository,
    env: { ...process.env, ...countsEnvironment(counts) },
    stdio: ['ignore', file, file],
  });
  await once(child, 'exit');
  closeSync(file);
  const found = readCounts(counts) ?? { ...none, failed: 1 };
  process.stdout.write(`\n== ${says}\n${readFileSync(printed, 'utf8')}`);
  console.log(`== ${says}: ${sentence(found)}, in ${Math.round((Date.now() - began) / 1000)} s\n`);
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
