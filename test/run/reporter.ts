import Mocha from 'mocha';
import { takeCountsPath, writeCounts } from './counts';

/** Mocha's own `spec` output, plus the counts for the runner that adds the suites up. */
class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const path = takeCountsPath();
    if (path === undefined) return;
    let again = 0;
    const failedOnce = new Set<string>();
    runner.on('retry', (test: Mocha.Test, error: unknown) => {
      failedOnce.add(test.fullTitle());
      console.log(`Failed once, and is run again: ${test.fullTitle()}\n${stackOf(error)}`);
    });
    runner.on('pass', (test) => {
      if (failedOnce.has(test.fullTitle())) again += 1;
    });
    // After each test, not at the end: a run that has to be ended still tells how far it came.
    for (const event of ['test end', 'fail', 'end']) {
      runner.on(event, () => {
        writeCounts(path, {
          passed: runner.stats?.passes ?? 0,
          failed: runner.stats?.failures ?? 0,
          skipped: runner.stats?.pending ?? 0,
          again,
        });
      });
    }
  }
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? '') : String(error));

module.exports = CountingReporter;
