/**
 * The only file that knows node-pty. It runs in the PTY host and nowhere else: the library aborts its process
 * when a thread ends while children die.
 *
 * Owns one PTY each: the master's descriptor, and the slave's, which is held open so that the system never
 * throws away what a program printed last. 1. It is always read. 2. `onExit` comes once, after the last byte.
 * 3. Nothing is written to a descriptor that has been given back.
 */
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { constants as system } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { UnixModule } from 'node-pty/lib/utils.js';
import { ReadStream } from 'node:tty';
import { soon, systemClock, type Timer } from '../../base/clock';

export interface PtyRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cols: number;
  readonly rows: number;
}

export interface PtyExit {
  readonly code: number | undefined;
  /** `SIGTERM` and so on. */
  readonly signal: string | undefined;
}

export interface PtyListener {
  onData(bytes: Buffer): void;
  onExit(exit: PtyExit): void;
}

export interface Pty {
  readonly pid: number;
  /** Bytes that the program's side takes now, from the first on; 0 when it reads nothing, -1 when it is gone. */
  write(bytes: Uint8Array): number;
  resize(cols: number, rows: number): void;
  /** Hangs up: programs on the terminal get SIGHUP from the system, and nothing is read or told any more. */
  close(): void;
}

/** Throws what the system says when the program cannot be started. */
export async function loadPty(): Promise<(request: PtyRequest, listener: PtyListener) => Pty> {
  return process.platform === 'win32' ? loadWindows() : loadUnix();
}

async function loadUnix(): Promise<(request: PtyRequest, listener: PtyListener) => Pty> {
  const { loadNativeModule } = await import('node-pty/lib/utils.js');
  const { dir, module: native } = loadNativeModule('pty');
  const helper = resolve(dirname(require.resolve('node-pty/lib/utils.js')), dir, 'spawn-helper');
  return (request, listener) => new UnixPty(native, helper, request, listener);
}

/**
 * Written to the slave after the program's end: when it comes out of the master, all that was printed before it
 * has come. Nothing prints it by chance, and no setting of a terminal changes one of its characters.
 */
const LAST_WORD = Buffer.from('\x1b]BELAY;7D1F0C55A94B;END\x07', 'latin1');
/** How long the last word may take behind the last byte, ms: longer than the system ever needs for its queue. */
const LAST_WORD_MS = 250;
/** And behind the program's end in all, ms: what it left running may print without end. */
const LAST_WORD_MOST_MS = 2_000;
/** The slave's queue is full while much is still to be read: tried again after this, ms. */
const AGAIN_MS = 2;

export class UnixPty implements Pty {
  readonly pid: number;
  private readonly fd: number;
  private readonly name: string;
  private readonly stream: ReadStream;
  private readonly slave: number;
  private exit: PtyExit | undefined;
  private held = Buffer.alloc(0);
  private timer: Timer | undefined;
  private giveUpAt = 0;
  private isOpen = true;

  constructor(
    private readonly native: UnixModule,
    helper: string,
    request: PtyRequest,
    private readonly listener: PtyListener,
  ) {
    const { file, args, cwd, env, cols, rows } = request;
    const pairs = Object.entries({ ...env, PWD: cwd }).map(([name, value]) => `${name}=${value}`);
    const onExit = (code: number, signal: number): void => this.ended(code, signal);
    const forked = native.fork(file, args, pairs, cwd, cols, rows, -1, -1, true, helper, onExit);
    this.fd = forked.fd;
    this.pid = forked.pid;
    this.name = forked.pty;
    this.slave = this.hold();
    this.stream = new ReadStream(this.fd);
    this.stream.on('data', (bytes: Buffer) => this.take(bytes));
    this.stream.on('error', () => {
      // Hung up: the end of the program says the rest.
    });
  }

  /** What was started and cannot be held is ended at once: its start is told as refused. */
  private hold(): number {
    try {
      return openSync(this.name, constants.O_RDWR | constants.O_NOCTTY);
    } catch (error) {
      this.isOpen = false;
      try {
        process.kill(this.pid, 'SIGKILL');
      } catch {
        // It has gone by itself.
      }
      closeSync(this.fd);
      throw error;
    }
  }

  write(bytes: Uint8Array): number {
    if (!this.isOpen || this.exit !== undefined) return -1;
    try {
      return writeSync(this.fd, bytes);
    } catch (error) {
      return codeOf(error) === 'EAGAIN' ? 0 : -1;
    }
  }

  resize(cols: number, rows: number): void {
    if (this.isOpen && this.exit === undefined) this.native.resize(this.fd, cols, rows, 0, 0);
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.timer?.clear();
    closeSync(this.slave);
    this.stream.destroy();
  }

  private ended(code: number, signal: number): void {
    if (!this.isOpen) return;
    this.exit = { code: signal === 0 ? code : undefined, signal: signalName(signal) };
    this.giveUpAt = systemClock.now() + LAST_WORD_MOST_MS;
    this.sayLastWord(LAST_WORD);
    this.wait();
  }

  /** Through a descriptor of its own: the end of a session takes the older ones their use. */
  private sayLastWord(rest: Buffer): void {
    if (!this.isOpen) return;
    let written = 0;
    try {
      const descriptor = openSync(this.name, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
      try {
        written = writeSync(descriptor, rest);
      } finally {
        closeSync(descriptor);
      }
    } catch {
      // Its queue is full, or it is gone; in that case the wait for the last byte ends it.
    }
    if (written < rest.length) systemClock.after(AGAIN_MS, () => this.sayLastWord(rest.subarray(written)));
  }

  private take(bytes: Buffer): void {
    if (!this.isOpen) return;
    if (this.exit === undefined) {
      this.listener.onData(bytes);
      return;
    }
    const all = Buffer.concat([this.held, bytes]);
    const at = all.indexOf(LAST_WORD);
    const until = at === -1 ? Math.max(0, all.length - LAST_WORD.length) : at;
    this.held = all.subarray(until);
    if (until > 0) this.listener.onData(all.subarray(0, until));
    if (at === -1) this.wait();
    else this.finish();
  }

  private wait(): void {
    this.timer?.clear();
    const ms = Math.max(0, Math.min(LAST_WORD_MS, this.giveUpAt - systemClock.now()));
    this.timer = systemClock.after(ms, () => {
      this.listener.onData(this.held);
      this.finish();
    });
  }

  private finish(): void {
    const { exit } = this;
    this.close();
    // Behind what the last read has still to tell.
    if (exit !== undefined) soon(() => this.listener.onExit(exit));
  }
}

/** Written behind the same port, and not run by any test. */
async function loadWindows(): Promise<(request: PtyRequest, listener: PtyListener) => Pty> {
  const { spawn } = await import('node-pty');
  return ({ file, args, cwd, env, cols, rows }, listener) => {
    const pty = spawn(file, [...args], { cwd, env: { ...env }, cols, rows });
    let isOpen = true;
    pty.onData((text) => listener.onData(Buffer.from(text)));
    pty.onExit(({ exitCode }) => {
      isOpen = false;
      listener.onExit({ code: exitCode, signal: undefined });
    });
    return {
      pid: pty.pid,
      write: (bytes) => {
        if (!isOpen) return -1;
        pty.write(Buffer.from(bytes));
        return bytes.length;
      },
      resize: (newCols, newRows) => {
        if (isOpen) pty.resize(newCols, newRows);
      },
      close: () => {
        if (isOpen) pty.kill();
        isOpen = false;
      },
    };
  };
}

function signalName(number: number): string | undefined {
  if (number === 0) return undefined;
  return Object.entries(system.signals).find(([, value]) => value === number)?.[0] ?? String(number);
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
