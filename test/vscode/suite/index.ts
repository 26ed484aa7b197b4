/**
 * Runs inside the extension host of a real VS Code: it loads every `*.test.js` beside it into mocha, and tells what
 * becomes of each test to the file that BELAY_TEST_REPORT names.
 *
 * To add a test, write `test/vscode/suite/NAME.test.ts` with mocha's `describe` and `it`; `vscode` is the real API.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Mocha from 'mocha';
import { listen } from '../../run/listen';
import { takeReportPath, tell } from '../../run/report';

export async function run(): Promise<void> {
  const report = takeReportPath();
  if (report === undefined) throw new Error('BELAY_TEST_REPORT does not name a file.');
  const failures = await runMocha(report).catch((error: unknown) => {
    tell(report, { kind: 'failed', file: '', title: 'the suite', error: String(error) });
    tell(report, { kind: 'end' });
    throw error;
  });
  if (failures > 0) throw new Error(`${failures} failed`);
}

async function runMocha(report: string): Promise<number> {
  const mocha = new Mocha({ timeout: 30_000, forbidOnly: true, reporter: 'base' });
  for (const file of readdirSync(__dirname)
    .filter((name) => name.endsWith('.test.js'))
    .sort()) {
    mocha.addFile(join(__dirname, file));
  }
  return await new Promise((resolve) => listen(mocha.run(resolve), report, __dirname));
}
