/**
 * Threads in which hosts run, one host at a time in each. A host that has ended in order leaves its thread to the next
 * one, if nothing of it is left there; one that is killed ends its thread. So most hosts find their code loaded.
 */
import { join } from 'node:path';
import { MessageChannel, Worker, type WorkerOptions } from 'node:worker_threads';
import { rgPath } from '@vscode/ripgrep';

/** The thread of one host. */
export interface HostThread {
  /** To the host. */
  post(frame: unknown): void;
  /** From the host. */
  onFrame(listener: (frame: unknown) => void): void;
  /** Resolves when the host has ended, in order or not. */
  readonly exited: Promise<void>;
  /** Hears what the thread dies of. */
  onError(listener: (error: unknown) => void): void;
  /** Ends the thread, as a crash would. */
  kill(): Promise<void>;
  /** For a host that was told to stop and has said that it did: resolves when nothing of it runs any more. */
  end(): Promise<void>;
}

/** Another bundle than the product's, and what its worker is given. */
export interface Bundle {
  readonly path: string;
  readonly worker: WorkerOptions;
}

/** What the folder of `dist/host.js` and `@vscode/ripgrep` would tell it. */
const GIVEN = { assets: join(__dirname, '../../dist'), ripgrep: rgPath };

/** The compiler of the tests, which a worker would load as well, is half of the time that a host needs. */
const BARE: WorkerOptions = { execArgv: [] };

/** Threads that wait for a host. */
const idle: Worker[] = [];

export const startHostThread = (env: NodeJS.ProcessEnv, bundle?: Bundle): HostThread =>
  bundle === undefined ? inSharedThread(env) : inOwnThread(env, bundle);

function inOwnThread(env: NodeJS.ProcessEnv, { path, worker: options }: Bundle): HostThread {
  const worker = new Worker(path, { ...options, ...BARE, env });
  const kill = () => endOf(worker);
  return {
    post: (frame) => worker.postMessage(frame),
    onFrame: (listener) => worker.on('message', listener),
    exited: exitOf(worker),
    onError: (listener) => worker.on('error', listener),
    kill,
    end: kill,
  };
}

function inSharedThread(env: NodeJS.ProcessEnv): HostThread {
  const worker = idle.pop() ?? new Worker(join(__dirname, 'cachedHost.cjs'), { ...BARE, env });
  worker.removeAllListeners();
  worker.ref();
  const { port1: port, port2 } = new MessageChannel();
  worker.postMessage({ port: port2, given: GIVEN, env: { ...env } }, [port2]);
  /** What keeps the thread alive once its host has closed its port. */
  const left = new Promise<readonly string[]>((resolve) => worker.once('message', resolve));
  const gone = left.then((resources) => {
    worker.removeAllListeners();
    if (resources.length > 0) return endOf(worker);
    worker.unref();
    worker.once('exit', () => idle.splice(idle.indexOf(worker), 1));
    idle.push(worker);
    return undefined;
  });
  const exited = Promise.race([gone, exitOf(worker)]);
  return {
    post: (frame) => port.postMessage(frame),
    onFrame: (listener) => port.on('message', listener),
    exited,
    onError: (listener) => worker.on('error', listener),
    kill: () => endOf(worker),
    end: () => exited,
  };
}

async function endOf(worker: Worker): Promise<void> {
  await worker.terminate();
}

const exitOf = (worker: Worker): Promise<void> =>
  new Promise((resolve) => worker.once('exit', () => resolve()));
