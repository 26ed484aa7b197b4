import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** How one suite ended. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const variable = 'BELAY_TEST_COUNTS';

export function countsEnvironment(path: string): Record<string, string> {
  return { [variable]: path };
}

/** Written by the reporter inside the test process, when a runner asked for it. */
export function writeCounts(counts: Counts): void {
  const path = process.env[variable];
  if (path) writeFileSync(path, JSON.stringify(counts));
}

/** Undefined when the process ended before its tests did. */
export function readCounts(path: string): Counts | undefined {
  if (!existsSync(path)) return undefined;
  const value: Counts = JSON.parse(readFileSync(path, 'utf8'));
  return value;
}
