/**
 * One thread for scripts, from the host's side.
 *
 * Owns the thread. It runs one script at a time, given to it by `start`. 1. After the thread is gone its listener
 * is told once, and nothing more. 2. What comes for a script that is over is dropped.
 */
import { Worker } from 'node:worker_threads';
import type { Launch } from '../../base/launch';
import type { FromThread, Reply, Start, ThreadData, ToThread } from './messages';

export interface ThreadListener {
  message(message: Exclude<FromThread, { readonly kind: 'ready' }>): void;
  gone(problem: string): void;
}

/** A thread's own stack, MiB: what QuickJS needs for data nested 100,000 deep, so that nothing overflows in WASM. */
const STACK_MIB = 16;
/** The thread's own heap, MiB: texts on their way in and out. Scripts have their memory in WASM. */
const HEAP_MIB = 256;

export class ScriptThread {
  /** Settles when it can take a script; false when it is gone before. */
  readonly ready: Promise<boolean>;
  private readonly worker: Worker;
  private listener: ThreadListener | undefined;
  private problem = 'The thread of the script has ended.';
  private isGone = false;

  /** `over` is told when the thread is no more. Throws `CordPulled`. */
  constructor(
    launch: Launch,
    file: string,
    module: WebAssembly.Module,
    over: (thread: ScriptThread) => void,
  ) {
    const workerData: ThreadData = { module };
    const resourceLimits = { stackSizeMb: STACK_MIB, maxOldGenerationSizeMb: HEAP_MIB };
    const options = { workerData, env: {}, execArgv: [], stdout: true, stderr: true, resourceLimits };
    this.worker = launch(() => new Worker(file, options));
    // The engine writes a line there when it aborts; nobody reads it.
    this.worker.stdout.resume();
    this.worker.stderr.resume();
    this.ready = new Promise((resolve) => {
      this.worker.on('message', (message: FromThread) => {
        if (message.kind === 'ready') resolve(!this.isGone);
        else this.listener?.message(message);
      });
      this.worker.on('error', (error) => (this.problem = error.message));
      this.worker.on('exit', () => {
        this.isGone = true;
        resolve(false);
        over(this);
        this.release()?.gone(this.problem);
      });
    });
  }

  /** It takes no script any more: it is no more, or is being ended. */
  get gone(): boolean {
    return this.isGone;
  }

  /** Throws `CordPulled`, and the thread is free for another. */
  start(launch: Launch, message: Start, listener: ThreadListener): void {
    launch(() => this.worker.postMessage(message));
    this.listener = listener;
  }

  /** A script goes on with these; throws `CordPulled`. */
  reply(launch: Launch, replies: readonly Reply[]): void {
    const message: ToThread = { kind: 'replies', replies };
    launch(() => this.worker.postMessage(message));
  }

  /** Wakes a script that waits, so that it sees the flag. */
  halt(): void {
    wake(this.worker);
  }

  /** The script is over: nobody listens any more. */
  release(): ThreadListener | undefined {
    const { listener } = this;
    this.listener = undefined;
    return listener;
  }

  async end(): Promise<void> {
    this.isGone = true;
    await this.worker.terminate();
  }
}

function wake(worker: Worker): void {
  const message: ToThread = { kind: 'halt' };
  worker.postMessage(message);
}
