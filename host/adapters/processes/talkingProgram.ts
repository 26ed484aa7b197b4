/**
 * A program that is spoken with, from its start to the end of everything that it has started (X6, H4, H5).
 *
 * Owns its child and its family. 1. `ended` settles once, after its output has been read to its end. 2. Its
 * output is read no faster than its reader takes it. 3. Signals go to its own process group; what it started in
 * sessions of their own is ended by `sweep`.
 */
import { HARNESS_STDERR_BYTES, STOP_STEP_MS } from '../../../protocol';
import type { Clock } from '../../base/clock';
import type { OutputChild, TalkingChild } from '../../base/effects';
import type { Launch } from '../../base/launch';
import type { StopReport } from '../../engine/ports';
import type { Family } from './family';
import { LADDER } from './stop';

export interface TalkingRequest {
  /** Absolute path, or a name that is looked up. */
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute path. */
  readonly folder: string;
  /** Set over the environment of every child. */
  readonly env: Readonly<Record<string, string>>;
  /** False for a program that must find its input closed. */
  readonly input: boolean;
}

export interface TalkingEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It could not be started at all. */
  readonly error: Error | undefined;
}

/** Gets the output as it comes; a promise holds the rest back until it settles. */
export type Reader = (bytes: Buffer) => Promise<void> | undefined;

export interface Parts {
  readonly child: OutputChild | TalkingChild;
  /** Undefined when it could not be started. */
  readonly family: Family | undefined;
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
  release(): void;
}

/**
 * How long the output may stay open after the program has ended, ms: what it left behind holds the pipe, and
 * what it printed itself is read long before.
 */
const PIPE_GRACE_MS = 2_000;

export class TalkingProgram {
  readonly ended: Promise<TalkingEnd>;
  /** Settles when the program itself has gone; what it left behind may still hold its output. */
  readonly exited: Promise<void>;
  private over = false;
  private stderr = Buffer.alloc(0);

  constructor(
    private readonly parts: Parts,
    reader: Reader,
  ) {
    const { child } = parts;
    child.stdin?.on('error', () => {
      // It has closed its input or has gone: its end says so.
    });
    child.stdout.on('data', (bytes: Buffer) => {
      const room = reader(bytes);
      if (room === undefined) return;
      child.stdout.pause();
      const resume = (): void => void child.stdout.resume();
      room.then(resume, resume);
    });
    child.stderr.on('data', (bytes: Buffer) => {
      this.stderr = Buffer.concat([this.stderr, bytes]).subarray(-HARNESS_STDERR_BYTES);
    });
    this.exited = new Promise((done) => {
      child.on('exit', () => done());
      child.on('error', () => {
        if (child.pid === undefined) done();
      });
    });
    this.ended = this.watch();
  }

  get pid(): number | undefined {
    return this.parts.child.pid;
  }

  isRunning(): boolean {
    return !this.over;
  }

  /** The last of its error output. */
  errorText(): string {
    return this.stderr.toString('utf8');
  }

  /** From here on the bytes are the program's. */
  write(launch: Launch, text: string): void {
    const { stdin } = this.parts.child;
    launch(() => {
      if (stdin?.writable === true) stdin.write(text);
    });
  }

  /** The same for what only asks it to end its work, and is said while everything is paused as well. */
  askToEnd(text: string): void {
    const { stdin } = this.parts.child;
    if (stdin?.writable === true) stdin.write(text);
  }

  endInput(): void {
    this.parts.child.stdin?.end();
  }

  /** To its own process group. Windows has no signals: each of them ends all of its tree by force there. */
  signal(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.parts.child;
    if (pid === undefined || this.over) return;
    if (this.parts.platform === 'win32') {
      void this.parts.family?.end('tree', ['SIGKILL'], STOP_STEP_MS);
      return;
    }
    try {
      process.kill(-pid, signal);
    } catch {
      // It has just gone; its end says so.
    }
  }

  /** Looks at its tree, before a step that may take parents from their children. */
  async see(): Promise<void> {
    await this.parts.family?.see();
  }

  /** Ends by force what is left: all of its tree, or only what it started in sessions of their own. */
  async sweep(scope: 'tree' | 'work'): Promise<StopReport> {
    const { family } = this.parts;
    if (family === undefined) return { stopped: true, survivors: [] };
    const report = await family.end(scope, ['SIGKILL'], STOP_STEP_MS);
    if (scope === 'tree' && report.stopped) this.parts.release();
    return report;
  }

  /** Ends it with its tree, without asking it in its own way first: the host goes. */
  async stop(): Promise<StopReport> {
    const report = await this.parts.family?.end('tree', LADDER, STOP_STEP_MS);
    if (report?.stopped === true) this.parts.release();
    await this.ended;
    return report ?? { stopped: true, survivors: [] };
  }

  private watch(): Promise<TalkingEnd> {
    const { child, family, clock } = this.parts;
    return new Promise((settle) => {
      let error: Error | undefined;
      child.on('error', (failure) => {
        error = failure;
        if (child.pid === undefined) {
          this.over = true;
          settle({ code: null, signal: null, error });
        }
      });
      child.on('exit', (code, signal) => {
        this.over = true;
        family?.nudge();
        const timer = clock.after(PIPE_GRACE_MS, () => {
          child.stdout.destroy();
          child.stderr.destroy();
        });
        child.on('close', () => {
          timer.clear();
          settle({ code, signal, error });
        });
      });
    });
  }
}
