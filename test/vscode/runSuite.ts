/**
 * Runs `test/vscode/suite` inside the extension host of a real VS Code and tells what became of each test.
 * The extension host writes its results, line by line, to a file that this side follows.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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
  cpSync(demoWorkspace, workspace, { recursive: true });
  const report = new Report(join(scratch, 'report.jsonl'));
  const code = await startVsCode({
    workspace,
    extensionPath: repository,
    extensionAs: 'developed',
    env: { BELAY_TEST_REPORT: report.path },
  });
  try {
    const workbench = await openWorkbench(code.url(suiteBundle));
    const late = new AbortController();
    await Promise.race([
      report.complete(),
      code.said('Extension Host Process exited'),
      delay(suiteMs, undefined, { signal: late.signal }),
    ]);
    late.abort();
    const counts = report.close();
    if (counts.failed > 0) await workbench.screenshot('suite-failed');
    await workbench.close();
    return counts;
  } finally {
    await code.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The file of results, printed as it grows. */
class Report {
  readonly #counts = { passed: 0, failed: 0, skipped: 0, again: 0 };
  readonly #retried = new Set<string>();
  #told = 0;
  #ended = false;
  #whenEnded: () => void = () => undefined;

  constructor(readonly path: string) {
    writeFileSync(path, '');
  }

  complete(): Promise<void> {
    return new Promise((resolve) => {
      const watcher = watch(this.path, () => this.#read());
      this.#whenEnded = () => {
        watcher.close();
        resolve();
      };
      this.#read();
    });
  }

  /** An end that has not come by now never comes, and is a failure. */
  close(): Counts {
    this.#read();
    if (!this.#ended)
      this.#add({ kind: 'failed', title: 'the suite', error: 'The extension host ended, or hangs.' });
    this.#whenEnded();
    return this.#counts;
  }

  #read(): void {
    const lines = readFileSync(this.path, 'utf8').split('\n').slice(0, -1);
    for (const text of lines.slice(this.#told)) {
      const line: ReportLine = JSON.parse(text);
      this.#told += 1;
      if (line.kind !== 'end') {
        this.#add(line);
        continue;
      }
      this.#ended = true;
      if (line.error && this.#counts.failed === 0)
        this.#add({ kind: 'failed', title: 'the suite', error: line.error });
      this.#whenEnded();
    }
  }

  #add(line: Exclude<ReportLine, { kind: 'end' }>): void {
    this.#counts[line.kind] += 1;
    if (line.kind === 'again') this.#retried.add(line.title);
    if (line.kind === 'failed' && this.#retried.has(line.title)) this.#counts.again -= 1;
    console.log(describeLine(line));
  }
}

function describeLine(line: Exclude<ReportLine, { kind: 'end' }>): string {
  switch (line.kind) {
    case 'passed':
      return `  ✔ ${line.title} (${line.ms} ms)`;
    case 'skipped':
      return `  - ${line.title}`;
    case 'again':
      return `  Failed once, and is run again: ${line.title}\n${line.error.replace(/^/gm, '      ')}`;
    case 'failed':
      return `  ✖ ${line.title}\n${line.error.replace(/^/gm, '      ')}`;
  }
}
