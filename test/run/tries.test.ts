/** What becomes of tests that fail, in processes of their own as the runner starts them. */
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { repository } from '../vscode/paths';
import { countsOf } from './closing';
import { runMocha } from './mocha';
import { filesToTryAgain, outcomeOfBoth, type Outcome, type Try } from './tries';

const GOOD = `describe('good', () => it('passes', () => undefined));`;
/** Fails in its first process only. */
const onceOnly = (path: string, act: string): string =>
  `const { existsSync, writeFileSync } = require('node:fs');
   const mark = ${JSON.stringify(path)};
   const once = (fail) => { if (existsSync(mark)) return; writeFileSync(mark, ''); fail(); };
   const wrong = () => { throw new Error('a bad moment'); };
   ${act}`;

describe('a try of test files', function () {
  // Each starts two processes.
  this.timeout(60_000);
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'belay-tries-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function tryFiles(files: readonly string[], name: string): Promise<Try> {
    const output = openSync(join(folder, `${name}.log`), 'w');
    const found = await runMocha({ files, minutes: 1, report: join(folder, name), output }, []);
    closeSync(output);
    return found;
  }

  /** Writes these files and runs them. */
  async function once(...texts: readonly string[]): Promise<{ files: readonly string[]; first: Try }> {
    const files = texts.map((text, n) => {
      const path = join(folder, `${n}.test.cjs`);
      writeFileSync(path, text);
      return relative(repository, path);
    });
    return { files, first: await tryFiles(files, 'first') };
  }

  /** Runs what failed a second time, as the runner does. */
  async function ran(...texts: readonly string[]): Promise<{ again: readonly string[]; outcome: Outcome }> {
    const one = await once(...texts);
    const files = filesToTryAgain(one.files, one.first);
    const second = await tryFiles(files, 'second');
    return {
      again: files.map((file) => file.slice(-'0.test.cjs'.length)),
      outcome: outcomeOfBoth('host', one, { files, second }),
    };
  }

  const titles = ({ again }: Outcome): readonly string[] => again.map(({ title }) => title);

  it('a test that fails once is run again with its whole file, and counted; one that fails twice has failed', async () => {
    const { again, outcome } = await ran(
      GOOD,
      onceOnly(
        join(folder, 'mark'),
        `describe('d', () => { it('a', () => undefined); it('b', () => once(wrong)); });`,
      ),
      `describe('e', () => it('b', () => { throw new Error('wrong'); }));`,
    );
    assert.deepEqual(again, ['1.test.cjs', '2.test.cjs']);
    assert.deepEqual(countsOf([outcome]), { passed: 3, failed: 1, skipped: 0, again: 1 });
    assert.deepEqual(titles(outcome), ['d b']);
    const failed = outcome.results.find(({ kind }) => kind === 'failed');
    assert.match(failed?.kind === 'failed' ? failed.error : '', /Error: wrong\n.*at /);
  });

  it('a hook that fails once costs no test', async () => {
    const hooks = ['before', 'beforeEach', 'afterEach', 'after'];
    const { again, outcome } = await ran(
      ...hooks.map((hook) =>
        onceOnly(
          join(folder, hook),
          `describe('d', () => { ${hook}(() => once(wrong)); it('a', () => {}); });`,
        ),
      ),
      GOOD,
    );
    assert.deepEqual(again, ['0.test.cjs', '1.test.cjs', '2.test.cjs', '3.test.cjs']);
    assert.deepEqual(countsOf([outcome]), { passed: 5, failed: 0, skipped: 0, again: 4 });
    for (const title of titles(outcome)) assert.match(title, /^d ".*" hook/);
  });

  it('a process that dies is told of, and what it had not run to its end is run', async () => {
    const { again, outcome } = await ran(
      GOOD,
      onceOnly(
        join(folder, 'mark'),
        `describe('d', () => { it('a', () => undefined); it('b', () => once(() => process.kill(process.pid, 'SIGKILL'))); });`,
      ),
      GOOD,
    );
    assert.deepEqual(again, ['1.test.cjs', '2.test.cjs']);
    assert.deepEqual(countsOf([outcome]), { passed: 4, failed: 0, skipped: 0, again: 1 });
    assert.deepEqual(titles(outcome), ['The test process ended by SIGKILL, not with its tests.']);
  });

  it('one that dies twice has failed', async () => {
    const { outcome } = await ran(GOOD, `describe('d', () => it('a', () => process.exit(7)));`);
    assert.deepEqual(countsOf([outcome]), { passed: 1, failed: 1, skipped: 0, again: 0 });
    assert.match(outcome.trouble ?? '', /ended with code 7/);
  });

  it('one that ends well before its tests have run has failed as well', async () => {
    const { files, first } = await once(`describe('d', () => it('a', () => process.exit(0)));`);
    assert.match(first.trouble ?? '', /ended without a word/);
    assert.deepEqual(filesToTryAgain(files, first), files);
  });

  it('a leak may be of any file: all are run again', async () => {
    const leaks = `require('node:child_process')
      .spawn(process.execPath, ['-e', 'setTimeout(() => 0, 8000)'], { stdio: 'ignore' })
      .unref()`;
    const { again, outcome } = await ran(
      GOOD,
      onceOnly(join(folder, 'mark'), `describe('d', () => it('a', () => once(() => ${leaks})));`),
      GOOD,
    );
    assert.deepEqual(again, ['0.test.cjs', '1.test.cjs', '2.test.cjs']);
    assert.deepEqual(countsOf([outcome]), { passed: 3, failed: 0, skipped: 0, again: 1 });
    assert.match(titles(outcome)[0] ?? '', /after all/);
  });
});
