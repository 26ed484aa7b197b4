import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The checkout. */
export const repository = resolve(__dirname, '../..');
/** Everything that a run leaves for a person to look at: logs, screenshots, reports. */
export const outFolder = folder('out');
export const screenshotFolder = folder('out', 'screenshots');
/** What runs inside the extension host, as esbuild bundles it. */
export const suiteBundle = join(repository, 'out', 'test', 'index.js');
export const demoWorkspace = join(repository, 'extension', 'demo');

function folder(...names: string[]): string {
  const path = join(repository, ...names);
  mkdirSync(path, { recursive: true });
  return path;
}
