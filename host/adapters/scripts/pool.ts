/**
 * The threads for scripts. None before the first script; then one that waits for the next, so that it starts at once.
 *
 * Owns all threads. 1. A thread has one script at a time. 2. One that had to be ended, or has died while it waited, is
 * never used again.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '../../base/clock';
import type { Launch } from '../../base/launch';
import type { Disposable } from '../../base/lifecycle';
import { ScriptThread } from './thread';

/** Threads that wait for a script: each costs about 21 MB. */
const WARM = 1;
const WARM_MOST = 2;
/**
 * How long those beyond that may wait, ms. To end a thread takes time from what else ends then: the scripts that a
 * pull of the cord ends all at once, each of which gives its thread back.
 */
const SURPLUS_MS = 1_000;

const WORKER_FILE = 'scriptWorker.js';
const ENGINE_FILE = 'quickjs.wasm';

export class ThreadPool implements Disposable {
  private readonly threads = new Set<ScriptThread>();
  private readonly idle: ScriptThread[] = [];
  private compiling: Promise<WebAssembly.Module> | undefined;
  private module: WebAssembly.Module | undefined;
  private surplus: Timer | undefined;
  private disposed = false;

  /** `assets` is the folder of both files. */
  constructor(
    private readonly assets: string,
    private readonly clock: Clock,
  ) {}

  /** A thread that is ready. Rejects with `CordPulled`, or when the engine cannot be loaded. */
  async take(launch: Launch): Promise<ScriptThread> {
    this.module ??= await this.compiled();
    for (let thread = this.idle.pop(); thread !== undefined; thread = this.idle.pop())
      if ((await thread.ready) && !thread.gone) return thread;
    const made = this.spawn(launch, this.module);
    if (await made.ready) return made;
    throw new Error('The engine of scripts could not be started.');
  }

  /** Sees to it that the next script finds a thread; not while the cord is pulled. */
  warm(launch: Launch): void {
    if (this.module === undefined || this.disposed) return;
    try {
      while (this.idle.length < WARM) this.idle.push(this.spawn(launch, this.module));
    } catch {
      // The next script makes its own.
    }
  }

  /** A thread whose script is over and that has said so. */
  giveBack(thread: ScriptThread): void {
    if (thread.gone) return;
    if (this.disposed) {
      void thread.end();
      return;
    }
    this.idle.push(thread);
    if (this.idle.length > WARM_MOST) this.surplus ??= this.clock.after(SURPLUS_MS, () => this.endSurplus());
  }

  /** Ends a thread whatever it does; resolves when it is gone. */
  drop(thread: ScriptThread): Promise<void> {
    return thread.end();
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    this.surplus?.clear();
    await Promise.all([...this.threads].map((thread) => thread.end()));
  }

  /** Ends those that have waited longest. */
  private endSurplus(): void {
    this.surplus = undefined;
    while (this.idle.length > WARM_MOST) void this.idle.shift()?.end();
  }

  private spawn(launch: Launch, module: WebAssembly.Module): ScriptThread {
    const file = join(this.assets, WORKER_FILE);
    const thread = new ScriptThread(launch, file, module, (gone) => this.forget(gone));
    this.threads.add(thread);
    return thread;
  }

  private forget(thread: ScriptThread): void {
    this.threads.delete(thread);
    const place = this.idle.indexOf(thread);
    if (place >= 0) this.idle.splice(place, 1);
  }

  private compiled(): Promise<WebAssembly.Module> {
    this.compiling ??= readFile(join(this.assets, ENGINE_FILE)).then((bytes) => WebAssembly.compile(bytes));
    return this.compiling;
  }
}
