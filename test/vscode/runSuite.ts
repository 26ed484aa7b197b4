/**
 * Runs `test/vscode/suite` inside the extension host of a real VS Code and tells what became of each test.
 * The extension host writes its results, line by line, to a file that this side follows.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Counts } from '../run/counts';
import { openWorkbench } from './page';
import { demoWorkspace, repository, suiteBundle } from './paths';
import type { ReportLine } from './report';
import { startVsCode } from './server';

/** The whole suite, from the page's load to the last result. */
const suiteMs = 5 * 60_000;

export async function runSuiteInVsCode(): Promise<Counts> {
  const scratch = mkdtempSync(join(tmpdir(), 'belay-suite-'));
  const workspace = join(scratch, 'workspace');
  const report = join(scratch, 'report.jsonl');
  mkdirSync(workspace);
  cpSync(demoWorkspace, workspace, { recursive: true, force: true });
  writeFileSync(report, '');
  const code = await startVsCode({
    workspace,
    extensionPath: repository,
    env: { BELAY_TEST_REPORT: report },
  });
  try {
    const opened = openWorkbench(code.url(suiteBundle));
    const counts = await follow(report, opened);
    const workbench = await opened;
    if (counts.failed > 0) await workbench.screenshot('suite-failed');
    await workbench.close();
    return counts;
  } finally {
    await code.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Prints each line as it comes and resolves with the last one; an end that never comes is a failure. */
function follow(report: string, opened: Promise<unknown>): Promise<Counts> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let told = 0;
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      watcher.close();
      resolve(counts);
    };
    const fail = (why: string): void => {
      counts.failed += 1;
      console.log(`  failed: ${why}`);
      end();
    };
    const look = (): void => {
      const lines = readFileSync(report, 'utf8').split('\n').slice(0, -1);
      for (; told < lines.length; told += 1) {
        const line: ReportLine = JSON.parse(lines[told] ?? '');
        if (line.kind === 'end') return line.error && counts.failed === 0 ? fail(line.error) : end();
        counts[line.kind] += 1;
        console.log(describeLine(line));
      }
    };
    const timer = setTimeout(() => fail(`no end after ${suiteMs / 60_000} minutes`), suiteMs);
    const watcher = watch(report, look);
    opened.catch((error: unknown) => fail(String(error)));
    look();
  });
}

function describeLine(line: Exclude<ReportLine, { kind: 'end' }>): string {
  switch (line.kind) {
    case 'passed':
      return `  ✔ ${line.title} (${line.ms} ms)`;
    case 'skipped':
      return `  - ${line.title}`;
    case 'failed':
      return `  ✖ ${line.title}\n${line.error.replace(/^/gm, '      ')}`;
  }
}
