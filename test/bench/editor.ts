/** Belay in a real VS Code: how long its activation holds the extension host, and when its host has answered. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchResult } from './commit';

const root = join(__dirname, '../..');

export function benchEditor(): Promise<BenchResult[]> {
  execFileSync(process.execPath, ['--import', 'tsx', 'test/run.ts', 'vscode'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const metrics = JSON.parse(readFileSync(join(root, 'out/activation.json'), 'utf8')) as Record<
    string,
    number
  >;
  return Promise.resolve([{ name: 'activation in VS Code', metrics }]);
}
