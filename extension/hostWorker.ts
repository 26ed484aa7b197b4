import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PortMessageReader, PortMessageWriter } from 'vscode-jsonrpc/node';
import type { WorkerBoot } from '../host/boot';
import type { HostPort } from './hostClient';

export interface HostPlace {
  /** Folder of the bundles. */
  readonly dist: string;
  readonly version: string;
  /** Folder for the compiled code of each version. */
  readonly compiled: string;
}

/** Starts `dist/host.js` in a thread of its own. What it prints to its standard streams goes to `say`. */
export async function startHostWorker(
  { dist, version, compiled }: HostPlace,
  say: (text: string) => void,
): Promise<HostPort> {
  void forgetOthers(compiled, version);
  const boot: WorkerBoot = {
    assets: dist,
    ripgrep: await findRipgrep(say),
    hostVersion: version,
    compiled: join(compiled, version),
  };
  const worker = new Worker(join(dist, 'host.js'), { workerData: boot, stdout: true, stderr: true });
  worker.stdout.on('data', (chunk: Buffer) => say(chunk.toString().trimEnd()));
  worker.stderr.on('data', (chunk: Buffer) => say(chunk.toString().trimEnd()));
  const gone = new Promise<string>((resolve) => {
    worker.once('error', (error) =>
      resolve(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    );
    worker.once('exit', (code) => resolve(`The host thread ended with code ${code}.`));
  });
  return {
    reader: new PortMessageReader(worker),
    writer: new PortMessageWriter(worker),
    gone,
    terminate: async () => {
      await worker.terminate();
    },
  };
}

/** Searching is a tool like others: without its binary the host still runs, and the tool says what is missing. */
async function findRipgrep(say: (text: string) => void): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch (error) {
    say(`ripgrep was not found: ${error instanceof Error ? error.message : String(error)}`);
    return '';
  }
}

/** Compiled code of another version is of no use any more. */
async function forgetOthers(folder: string, version: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names)
    if (name !== version)
      await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
}
