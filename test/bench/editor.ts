/**
 * Belay in a real VS Code: how long its activation holds the extension host, when its host has answered, and how
 * much memory the extension host has more than one without Belay.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openWorkbench } from '../vscode/page';
import { startVsCode } from '../vscode/server';
import type { BenchResult } from './commit';

const root = join(__dirname, '../..');

export async function benchEditor(): Promise<BenchResult[]> {
  execFileSync(process.execPath, ['--import', 'tsx', 'test/run.ts', 'vscode'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const metrics = JSON.parse(readFileSync(join(root, 'out/activation.json'), 'utf8')) as Record<
    string,
    number
  >;
  execFileSync(process.execPath, ['--import', 'tsx', 'test/vscode/package.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const emptyMb = await extensionHostMb(undefined);
  const belayMb = await extensionHostMb(join(root, 'out/stage'));
  return [
    { name: 'activation in VS Code', metrics },
    { name: 'memory of the extension host', metrics: { emptyMb, belayMb, moreMb: belayMb - emptyMb } },
  ];
}

/** Resident memory of the extension host, MB, once it stands still: the packaged extension, or none. */
async function extensionHostMb(extensionPath: string | undefined): Promise<number> {
  const workspace = mkdtempSync(join(tmpdir(), 'belay-bench-'));
  const code = await startVsCode({
    workspace,
    ...(extensionPath === undefined ? {} : { extensionPath }),
  });
  try {
    const workbench = await openWorkbench(code.url());
    if (extensionPath !== undefined) await workbench.statusItem('Belay').first().waitFor();
    let last = 0;
    let now = residentMb(code.extensionHostPids());
    while (now === 0 || Math.abs(now - last) > 1) {
      await delay(3_000);
      [last, now] = [now, residentMb(code.extensionHostPids())];
    }
    await workbench.close();
    return now;
  } finally {
    await code.stop();
    rmSync(workspace, { recursive: true, force: true });
  }
}

function residentMb(pids: readonly number[]): number {
  const kb = pids.map((pid) =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
  );
  return Math.round(kb.reduce((all, one) => all + one, 0) / 1024);
}
