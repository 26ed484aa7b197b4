/**
 * Runs `test/vscode/suite` inside the extension host of a real VS Code and says what became of each test.
 * The extension host writes its results, line by line, to the report that this side follows.
 */
import { cpSync, mkdtempSync, rmSync, watch, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '../run/mocha';
import { readReport, reportEnvironment, type ReportLine } from '../run/report';
import { tryOf, type Try } from '../run/tries';
import { openWorkbench } from './page';
import { demoWorkspace, repository, suiteBundle } from './paths';
import { startVsCode } from './server';

export async function runSuiteInVsCode(job: Job): Promise<Try> {
  const scratch = mkdtempSync(join(tmpdir(), 'belay-suite-'));
  const workspace = join(scratch, 'workspace');
  cpSync(demoWorkspace, workspace, { recursive: true });
  writeFileSync(job.report, '');
  const code = await startVsCode({
    workspace,
    extensionPath: repository,
    extensionAs: 'developed',
    env: reportEnvironment(job.report),
  });
  try {
    const workbench = await openWorkbench(code.url(suiteBundle));
    const late = new AbortController();
    const ended = reportEnded(job.report);
    await Promise.race([
      ended.promise,
      code.said('Extension Host Process exited'),
      delay(job.minutes * 60_000, undefined, { signal: late.signal }),
    ]);
    late.abort();
    ended.dispose();
    const lines = readReport(job.report);
    for (const line of lines) writeSync(job.output, describeLine(line));
    const hasEnded = lines.some(({ kind }) => kind === 'end');
    const found = tryOf(job.files, lines, hasEnded ? undefined : 'The extension host ended, or hangs.');
    if (!hasEnded || found.results.some(({ kind }) => kind === 'failed'))
      await workbench.screenshot('suite-failed');
    await workbench.close();
    return found;
  } finally {
    await code.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface Ending {
  readonly promise: Promise<void>;
  dispose(): void;
}

function reportEnded(path: string): Ending {
  let dispose = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    const look = (): void => {
      if (readReport(path).some(({ kind }) => kind === 'end')) resolve();
    };
    const watcher = watch(path, look);
    dispose = () => watcher.close();
    look();
  });
  return { promise, dispose };
}

function describeLine(line: ReportLine): string {
  switch (line.kind) {
    case 'passed':
      return `  ✔ ${line.title} (${line.ms} ms)\n`;
    case 'skipped':
      return `  - ${line.title}\n`;
    case 'failed':
      return `  ✖ ${line.title}\n${line.error.replace(/^/gm, '      ')}\n`;
    case 'file':
    case 'end':
      return '';
  }
}
