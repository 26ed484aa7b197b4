import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** How one suite ended. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Of the passed, those that failed the first time. */
  readonly again: number;
}

const variable = 'BELAY_TEST_COUNTS';

export function countsEnvironment(path: string): Record<string, string> {
  return { [variable]: path };
}

/** Where the runner wants the counts, if there is one. Taken out of the environment, which tests hand on. */
export function takeCountsPath(): string | undefined {
  const path = process.env[variable];
  Reflect.deleteProperty(process.env, variable);
  return path;
}

export function writeCounts(path: string, counts: Counts): void {
  writeFileSync(path, JSON.stringify(counts));
}

/** Undefined when the process ended before its tests did. */
export function readCounts(path: string): Counts | undefined {
  if (!existsSync(path)) return undefined;
  return JSON.parse(readFileSync(path, 'utf8')) as Counts;
}
