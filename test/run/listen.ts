import { isAbsolute, relative } from 'node:path';
import type { Runnable, Runner, Suite } from 'mocha';
import { tell, type ReportLine } from './report';

/** Has mocha's events told to the report at `path`, in mocha's own process. Files are named as seen from `root`. */
export function listen(runner: Runner, path: string, root: string): void {
  const say = (line: ReportLine): void => tell(path, line);
  const fileOf = (one: Runnable | Suite): string => {
    const file = one.file ?? one.parent?.file ?? '';
    return isAbsolute(file) ? relative(root, file) : file;
  };
  runner.on('suite', (suite) => {
    if (suite.parent?.root === true) say({ kind: 'file', file: fileOf(suite) });
  });
  runner.on('pass', (test) =>
    say({ kind: 'passed', file: fileOf(test), title: test.fullTitle(), ms: test.duration ?? 0 }),
  );
  runner.on('pending', (test) =>
    say({ kind: 'skipped', file: fileOf(test), title: test.fullTitle(), ms: 0 }),
  );
  // Hooks fail here as well, under a title of their own; one of the whole process is in no file.
  runner.on('fail', (test: Runnable, error: unknown) =>
    say({ kind: 'failed', file: fileOf(test), title: test.fullTitle(), error: textOf(error) }),
  );
  runner.on('end', () => say({ kind: 'end' }));
}

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
