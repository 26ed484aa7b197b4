/**
 * The packaged Belay in a real VS Code: how long its activation holds the extension host, how long its host needs from
 * the moment that somebody needs it to its answer (while its window loads, and in one that stands still), and how much
 * memory the extension host has more than one without Belay.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openWorkbench } from '../vscode/page';
import { startVsCode } from '../vscode/server';
import type { BenchResult } from './commit';
import { median, round } from './rounds';

const root = join(__dirname, '../..');
/** Starts after the first one, each in a window that is loaded anew, and restarts in a window that stands still. */
const STARTS = 7;
/** A window that loads takes all processors; after this long without a sign of it a restart has them for itself, ms. */
const STILL_MS = 5_000;

export async function benchEditor(): Promise<BenchResult[]> {
  execFileSync(process.execPath, ['--import', 'tsx', 'test/vscode/package.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stage = join(root, 'out/stage');
  const metrics = await starts(stage);
  const emptyMb = await extensionHostMb(undefined);
  const belayMb = await extensionHostMb(stage);
  return [
    { name: 'activation in VS Code', metrics },
    { name: 'memory of the extension host', metrics: { emptyMb, belayMb, moreMb: belayMb - emptyMb } },
  ];
}

/** By what Belay writes into its log: the first start makes a store and compiles, the later ones find both. */
async function starts(extensionPath: string): Promise<BenchResult['metrics']> {
  const workspace = mkdtempSync(join(tmpdir(), 'belay-bench-'));
  const code = await startVsCode({ workspace, extensionPath });
  const told = (pattern: RegExp): number[] =>
    logsBelow(join(code.userDataDir, 'logs'))
      .flatMap((text) => [...text.matchAll(pattern)])
      .map((match) => Number(match[1]));
  const ready = (): number[] => told(/host was ready after (\d+) ms/g);
  try {
    const workbench = await openWorkbench(code.url());
    await workbench.container('Belay');
    for (let n = 0; n <= STARTS; n++) {
      // A window opens with the views that it was left with.
      if (n > 0) await workbench.reload();
      while (ready().length <= n) await delay(200);
    }
    for (let n = 0; n < STARTS; n++) {
      const before = ready().length;
      await delay(STILL_MS);
      await workbench.runCommand('Belay: Restart host');
      while (ready().length === before) await delay(50);
    }
    const activate = told(/Activated in ([\d.]+) ms/g);
    await workbench.close();
    const [first = 0, ...later] = ready();
    return {
      activateMs: round(median(activate)),
      firstReadyMs: first,
      readyMs: median(later.slice(0, STARTS)),
      readyWhenStillMs: median(later.slice(STARTS)),
    };
  } finally {
    await code.stop();
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** Belay's logs, the oldest window's first. */
const logsBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('Belay.log'))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'));

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
