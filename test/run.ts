/**
 * The one command for all tests: `npm test`, or `node --import tsx test/run.ts [host] [page] [vscode] [ui]` for some.
 * Builds, runs each suite to its end, and closes with what failed and one line that adds all suites up. Several suites
 * run in pieces side by side; one alone runs whole, and shows each test as it ends. When all have ended, the files in
 * which something failed are run once more, alone on the machine; the closing line counts what passed only then.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { closingLines, countsOf, sentence } from './run/closing';
import { filesOfPiece, WHOLE, type Piece } from './run/files';
import { makeMemoryFolder } from './run/memoryFolder';
import { runMocha, type Job } from './run/mocha';
import {
  filesOfFailed,
  filesToTryAgain,
  outcomeOf,
  outcomeOfBoth,
  type Outcome,
  type Try,
} from './run/tries';
import { ensureChromium, ensurePrograms, ensureVsCode, SetUpError } from './vscode/install';
import { outFolder, repository } from './vscode/paths';
import { runSuiteInVsCode } from './vscode/runSuite';

/** Pieces at a time: tests that wait for a window, a page or a process leave a third of each processor idle. */
const LANES = Math.min(availableParallelism() + 1, 4);

/** More files than these fail by a fault, not by a bad moment: then none is run again. */
const MOST_AGAIN = 12;

const STDOUT = 1;

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
  /** For any of its processes, minutes. */
  readonly limit: number;
  files(piece: Piece): readonly string[];
  run(job: Job): Promise<Try>;
}

/** What other suites run, and what runs on demand alone. */
const othersThanHost = ['test/vscode', 'test/webview', 'test/agents', 'test/fixtures'];

const suites: readonly Suite[] = [
  {
    name: 'host',
    says: 'Host, protocol, extension and architecture',
    pieces: 4,
    needsPrograms: true,
    limit: 14,
    files: (piece) => filesOfPiece({ in: 'test', except: othersThanHost }, piece),
    run: (job) => runMocha(job, []),
  },
  {
    name: 'ui',
    says: 'VS Code in a browser',
    pieces: 3,
    needsVsCode: true,
    needsBrowser: true,
    limit: 12,
    files: (piece) => filesOfPiece({ in: 'test/vscode/ui', except: [] }, piece),
    run: (job) => runMocha(job, ['--config', 'test/vscode/ui/.mocharc.cjs']),
  },
  {
    name: 'page',
    says: 'The chat page in a browser',
    pieces: 3,
    isShort: true,
    needsBrowser: true,
    limit: 10,
    files: (piece) => filesOfPiece({ in: 'test/webview', except: [] }, piece),
    run: (job) => runMocha(job, ['--timeout', '60000']),
  },
  {
    name: 'vscode',
    says: 'Inside the extension host of VS Code',
    pieces: 1,
    isShort: true,
    needsVsCode: true,
    needsBrowser: true,
    limit: 5,
    // All of them, in one extension host.
    files: () => ['test/vscode/suite'],
    run: runSuiteInVsCode,
  },
];

async function main(names: readonly string[]): Promise<number> {
  const chosen = suites.filter((suite) => names.length === 0 || names.includes(suite.name));
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) throw new SetUpError(`No such suite: ${unknown.join(', ')}.`);
  const memory = makeMemoryFolder();
  if (memory !== undefined) process.env['TMPDIR'] = memory;
  build();
  if (chosen.some((suite) => suite.needsPrograms)) ensurePrograms();
  if (chosen.some((suite) => suite.needsBrowser)) ensureChromium();
  if (chosen.some((suite) => suite.needsVsCode)) ensureVsCode();
  mkdirSync(outFolder, { recursive: true });
  const [alone, ...others] = chosen;
  const tried =
    alone !== undefined && others.length === 0 ? [await runWhole(alone)] : await sideBySide(chosen);
  const outcomes = await withSecondTries(tried);
  if (memory !== undefined) rmSync(memory, { recursive: true, force: true });
  console.log(`\n${closingLines(outcomes).join('\n')}`);
  const { failed, passed } = countsOf(outcomes);
  return failed === 0 && passed > 0 ? 0 : 1;
}

interface Part {
  readonly suite: Suite;
  readonly piece: Piece;
  readonly isAgain?: boolean;
}

interface Tried extends Part {
  readonly files: readonly string[];
  readonly first: Try;
}

async function runWhole(suite: Suite): Promise<Tried> {
  const part = { suite, piece: WHOLE };
  const files = suite.files(WHOLE);
  return { ...part, files, first: await runFiles(part, files, STDOUT) };
}

async function sideBySide(chosen: readonly Suite[]): Promise<readonly Tried[]> {
  const left = [
    ...inTurn(chosen.filter((suite) => suite.isShort !== true)),
    ...inTurn(chosen.filter((suite) => suite.isShort === true)),
  ];
  const lane = async (): Promise<readonly Tried[]> => {
    const tried: Tried[] = [];
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const files = next.suite.files(next.piece);
      tried.push({ ...next, files, first: await runApart(next, files) });
    }
    return tried;
  };
  return (await Promise.all(Array.from({ length: LANES }, lane))).flat();
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

/** One after the other: what has failed beside others has the machine for itself now. */
async function withSecondTries(tried: readonly Tried[]): Promise<readonly Outcome[]> {
  const isFault = tried.flatMap(({ first }) => filesOfFailed(first)).length > MOST_AGAIN;
  const outcomes: Outcome[] = [];
  for (const one of tried) {
    const { name } = one.suite;
    const files = isFault ? [] : filesToTryAgain(one.files, one.first);
    if (files.length === 0) {
      outcomes.push(outcomeOf(name, one.first));
    } else {
      const second = await runApart({ ...one, isAgain: true }, files);
      outcomes.push(outcomeOfBoth(name, one, { files, second }));
    }
  }
  return outcomes;
}

const sayOf = ({ suite, piece, isAgain }: Part): string =>
  [
    suite.says,
    ...(piece.of === 1 ? [] : [`${String(piece.number)} of ${String(piece.of)}`]),
    ...(isAgain === true ? ['run again'] : []),
  ].join(', ');

/** What the process prints is shown when it has ended. */
async function runApart(part: Part, files: readonly string[]): Promise<Try> {
  const began = Date.now();
  const says = sayOf(part);
  console.log(`== ${says}: begins`);
  const printed = `${keptOf(part)}.log`;
  const output = openSync(printed, 'w');
  const found = await runFiles(part, files, output);
  closeSync(output);
  process.stdout.write(`\n== ${says}\n${readFileSync(printed, 'utf8')}`);
  const counts = sentence(countsOf([outcomeOf(part.suite.name, found)]));
  console.log(`== ${says}: ${counts}, in ${String(Math.round((Date.now() - began) / 1000))} s\n`);
  return found;
}

/** What cannot even begin is a failure of this piece, and the others go on. */
async function runFiles(part: Part, files: readonly string[], output: number): Promise<Try> {
  const report = `${keptOf(part)}.jsonl`;
  rmSync(report, { force: true });
  try {
    return await part.suite.run({ files, minutes: part.suite.limit, report, output });
  } catch (error) {
    return {
      results: [],
      unfinished: files,
      trouble: error instanceof Error ? error.message : String(error),
    };
  }
}

const keptOf = ({ suite, piece, isAgain }: Part): string =>
  join(outFolder, `suite-${suite.name}-${String(piece.number)}${isAgain === true ? '-again' : ''}`);

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
