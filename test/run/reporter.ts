import Mocha from 'mocha';
import { repository } from '../vscode/paths';
import { listen } from './listen';
import { takeReportPath } from './report';

/** Mocha's own `spec` output, plus the report for the runner that adds the suites up. */
class TellingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const path = takeReportPath();
    if (path !== undefined) listen(runner, path, repository);
  }
}

module.exports = TellingReporter;
