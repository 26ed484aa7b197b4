/**
 * The threads for scripts. None before the first script; then one that waits for the next, so that it starts at once.
 *
 * Owns all threads. 1. A thread has one script at a time. 2. One that had to be ended is never used again.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposable } from '../../base/lifecycle';
import { ScriptThread } from './thread';

/** Threads that wait for a script, MOST: each costs about 10 MB. */
const WARM = 1;
const WARM_MOST = 2;

export const WORKER_FILE = 'scriptWorker.js';
export const ENGINE_FILE = 'quickjs.wasm';

export class ThreadPool implements Disposable {
  private readonly threads = new Set<ScriptThread>();
  private readonly idle: ScriptThread[] = [];
  private module: Promise<WebAssembly.Module> | undefined;
  private disposed = false;

  /** `assets` is the folder of both files. */
  constructor(private readonly assets: string) {}

  /** A thread that is ready. Rejects when the engine cannot be loaded, or the host stops. */
  async take(): Promise<ScriptThread> {
    const module = await this.compiled();
    for (let thread = this.idle.pop(); thread !== undefined; thread = this.idle.pop())
      if (await thread.ready) return thread;
    const made = this.spawn(module);
    if (await made.ready) return made;
    throw new Error('The engine of scripts could not be started.');
  }

  /** Sees to it that the next script finds a thread. */
  warm(): void {
    this.module?.then(
      (module) => {
        while (!this.disposed && this.idle.length < WARM) this.idle.push(this.spawn(module));
      },
      () => {},
    );
  }

  /** A thread whose script is over and that has said so. */
  giveBack(thread: ScriptThread): void {
    if (thread.gone) return;
    if (this.disposed || this.idle.length >= WARM_MOST) void thread.end();
    else this.idle.push(thread);
  }

  /** Ends a thread whatever it does; resolves when it is gone. */
  async drop(thread: ScriptThread): Promise<void> {
    await thread.end();
    this.threads.delete(thread);
    this.warm();
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    await Promise.all([...this.threads].map((thread) => thread.end()));
  }

  private spawn(module: WebAssembly.Module): ScriptThread {
    if (this.disposed) throw new Error('The host stops.');
    const thread = new ScriptThread(join(this.assets, WORKER_FILE), module);
    this.threads.add(thread);
    return thread;
  }

  private compiled(): Promise<WebAssembly.Module> {
    this.module ??= readFile(join(this.assets, ENGINE_FILE)).then((bytes) => WebAssembly.compile(bytes));
    return this.module;
  }
}
