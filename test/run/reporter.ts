import Mocha from 'mocha';
import { takeCountsPath, writeCounts } from './counts';

/** Mocha's own `spec` output, plus the counts for the runner that adds the suites up. */
class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const path = takeCountsPath();
    runner.once('end', () => {
      if (path === undefined) return;
      writeCounts(path, {
        passed: runner.stats?.passes ?? 0,
        failed: runner.stats?.failures ?? 0,
        skipped: runner.stats?.pending ?? 0,
      });
    });
  }
}

module.exports = CountingReporter;
