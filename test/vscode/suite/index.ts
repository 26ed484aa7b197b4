/**
 * Runs inside the extension host of a real VS Code: it loads every `*.test.js` beside it into mocha and
 * reports each result as one line of JSON in the file that BELAY_TEST_REPORT names.
 *
 * To add a test, write `test/vscode/suite/NAME.test.ts` with mocha's `describe` and `it`; `vscode` is the real API.
 */
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Mocha from 'mocha';
import type { ReportLine } from '../report';

export async function run(): Promise<void> {
  const report = process.env['BELAY_TEST_REPORT'];
  if (!report) throw new Error('BELAY_TEST_REPORT does not name a file.');
  const say = (line: ReportLine): void => appendFileSync(report, `${JSON.stringify(line)}\n`);
  try {
    const failures = await runMocha(say);
    say({ kind: 'end' });
    if (failures > 0) throw new Error(`${failures} failed`);
  } catch (error) {
    say({ kind: 'end', error: textOf(error) });
    throw error;
  }
}

function runMocha(say: (line: ReportLine) => void): Promise<number> {
  const mocha = new Mocha({ timeout: 30_000, forbidOnly: true, retries: 1, reporter: 'base' });
  for (const file of readdirSync(__dirname)
    .filter((name) => name.endsWith('.test.js'))
    .sort()) {
    mocha.addFile(join(__dirname, file));
  }
  return new Promise((resolve) => {
    const runner = mocha.run(resolve);
    runner.on('pass', (test) => say({ kind: 'passed', title: test.fullTitle(), ms: test.duration ?? 0 }));
    runner.on('pending', (test) => say({ kind: 'skipped', title: test.fullTitle() }));
    runner.on('fail', (test, error: unknown) =>
      say({ kind: 'failed', title: test.fullTitle(), error: textOf(error) }),
    );
    runner.on('retry', (test: Mocha.Test, error: unknown) =>
      say({ kind: 'again', title: test.fullTitle(), error: textOf(error) }),
    );
  });
}

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
