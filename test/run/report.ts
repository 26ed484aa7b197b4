/** What a process of tests tells its runner: one line of JSON for each event, written as it happens. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export type ReportLine =
  | Result
  /** Its first suite begins; the file before it is done. */
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'end' };

export type Result =
  | {
      readonly kind: 'passed' | 'skipped';
      readonly file: string;
      readonly title: string;
      readonly ms: number;
    }
  | { readonly kind: 'failed'; readonly file: string; readonly title: string; readonly error: string };

const variable = 'BELAY_TEST_REPORT';

export function reportEnvironment(path: string): Record<string, string> {
  return { [variable]: path };
}

/** Where the runner wants the report, if there is one. Taken out of the environment, which tests hand on. */
export function takeReportPath(): string | undefined {
  const path = process.env[variable];
  Reflect.deleteProperty(process.env, variable);
  return path;
}

export function tell(path: string, line: ReportLine): void {
  appendFileSync(path, `${JSON.stringify(line)}\n`);
}

/** All that was told; the half of a line with which a process died is left out. */
export function readReport(path: string): readonly ReportLine[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((text) => {
      const line: ReportLine = JSON.parse(text);
      return line;
    });
}
