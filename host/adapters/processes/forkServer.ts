/**
 * The fork server: a small process that starts commands for a host, and tells how they end.
 *
 * To start a program the system copies the page tables of whoever starts it, with everything of that process at a
 * halt meanwhile: about a millisecond for this one, and 10 to 40 for an extension host of some hundred MB.
 *
 * Owns the writing ends of pipes that wait for a program. Does not own what becomes of the programs: the host sees
 * their trees and ends them. 1. A program is started only under an epoch that no later one has replaced, checked in
 * the same tick (P2); what has come in by then is heard first. 2. When the host is gone, in whatever way, it ends.
 *
 * Outputs are pipes, not the sockets that Node makes: a program can open `/dev/stdout` and `/dev/stderr`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { soon } from '../../base/clock';
import type { FromForkServer } from './fromForkServer';
import { ToForkServer } from './toForkServer';

type Start = Extract<ToForkServer, { kind: 'start' }>;

interface Pair {
  readonly stdout: number;
  readonly stderr: number;
}

/** A reading end that is on its way to the host. */
interface Reading {
  readonly pair: number;
  readonly stream: 'stdout' | 'stderr';
  readonly descriptor: number;
}

/** Pairs made at a time, by one program: enough for a burst of commands, few enough descriptors for any limit. */
const PAIRS_AN_ORDER = 16;

class ForkServer {
  private newestEpoch = 0;
  /** Starts that have been asked for and not begun, and whether they are still wanted. */
  private readonly asked = new Map<number, 'wanted' | 'cancelled'>();
  /** Writing ends that wait for a program, by the number of their pair. */
  private readonly ends = new Map<number, Pair>();
  /** Reading ends that have not been sent, by the number of the order. */
  private readonly unsent = new Map<number, Reading[]>();
  private pairs = 0;

  constructor(private readonly say: (message: FromForkServer, end?: Socket) => void) {}

  hear(message: ToForkServer): void {
    switch (message.kind) {
      case 'start':
        this.asked.set(message.id, 'wanted');
        // A pull or a cancel that has come in behind it is heard first.
        soon(() => this.start(message));
        return;
      case 'cord':
        this.newestEpoch = Math.max(this.newestEpoch, message.epoch);
        return;
      case 'cancel':
        if (this.asked.has(message.id)) this.asked.set(message.id, 'cancelled');
        return;
      case 'order':
        this.make(message.id);
        return;
      case 'taken':
        this.send(message.id);
    }
  }

  private start(request: Start): void {
    const { id, epoch, pair } = request;
    const isWanted = this.asked.get(id) === 'wanted';
    this.asked.delete(id);
    const ends = this.ends.get(pair);
    if (!isWanted) this.refuse(id, 'cancelled');
    else if (epoch < this.newestEpoch) this.refuse(id, 'paused');
    else if (ends === undefined) this.refuse(id, 'failed', new Error(`There is no pair of pipes ${pair}.`));
    else {
      this.newestEpoch = epoch;
      const child = this.spawn(request, ends);
      if (child?.pid === undefined) return;
      this.ends.delete(pair);
      closeSync(ends.stdout);
      closeSync(ends.stderr);
      this.say({ kind: 'started', id, pid: child.pid });
      child.on('exit', (code, signal) => this.say({ kind: 'exited', id, code, signal }));
    }
  }

  /** Undefined, or a child without a pid, when it could not be started; that is told. */
  private spawn({ id, file, args, cwd, env }: Start, { stdout, stderr }: Pair): ChildProcess | undefined {
    try {
      const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', stdout, stderr] });
      child.on('error', (error) => {
        if (child.pid === undefined) this.refuse(id, 'failed', error);
      });
      return child;
    } catch (error) {
      this.refuse(id, 'failed', error);
      return undefined;
    }
  }

  private refuse(id: number, why: 'paused' | 'cancelled' | 'failed', error?: unknown): void {
    this.say({ kind: 'refused', id, why, code: codeOf(error), detail: textOf(error) });
  }

  /** Pipes have names for as long as it takes to open both their ends. */
  private make(id: number): void {
    let folder: string | undefined;
    const over = (failure: unknown): void => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      folder = undefined;
      if (failure !== undefined) this.say({ kind: 'unable', id, detail: textOf(failure) });
    };
    try {
      const made = mkdtempSync(join(tmpdir(), 'belay-pipes-'));
      folder = made;
      const names = Array.from({ length: 2 * PAIRS_AN_ORDER }, (_, at) => join(made, String(at)));
      const child = spawn('mkfifo', ['-m', '600', ...names], { stdio: 'ignore' });
      child.on('error', over);
      child.on('exit', (code) => {
        try {
          if (code !== 0) throw new Error(`mkfifo has ended with ${String(code)}.`);
          this.unsent.set(id, this.open(names));
          over(undefined);
          this.send(id);
        } catch (error) {
          over(error);
        }
      });
    } catch (error) {
      over(error);
    }
  }

  /** Opens both ends of each, or leaves none open. */
  private open(names: readonly string[]): Reading[] {
    const opened: number[] = [];
    const end = (name: string, flags: number): number => {
      const descriptor = openSync(name, flags);
      opened.push(descriptor);
      return descriptor;
    };
    // A reader that does not wait comes first, since a writer waits for one.
    const both = (name: string): { readonly read: number; readonly write: number } => ({
      read: end(name, constants.O_RDONLY | constants.O_NONBLOCK),
      write: end(name, constants.O_WRONLY),
    });
    try {
      const pipes = names.map(both);
      return pipes.flatMap(({ read, write }, at) => {
        const next = pipes[at + 1];
        if (at % 2 === 1 || next === undefined) return [];
        const pair = (this.pairs += 1);
        this.ends.set(pair, { stdout: write, stderr: next.write });
        return [
          { pair, stream: 'stdout' as const, descriptor: read },
          { pair, stream: 'stderr' as const, descriptor: next.read },
        ];
      });
    } catch (error) {
      for (const descriptor of opened) closeSync(descriptor);
      throw error;
    }
  }

  /** One at a time: the system's confirmation of each would hold up what is said meanwhile. */
  private send(id: number): void {
    const next = this.unsent.get(id)?.shift();
    if (next === undefined) {
      this.unsent.delete(id);
      this.say({ kind: 'stocked', id });
      return;
    }
    const { pair, stream, descriptor } = next;
    const end = new Socket({ fd: descriptor, readable: false, writable: false });
    this.say({ kind: 'pipe', id, pair, stream }, end);
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : '');
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

function main(): void {
  // The channel may break while a message is under way: the disconnect that follows says all.
  const say = (message: FromForkServer, end?: Socket): void => {
    if (process.connected) process.send?.(message, end, undefined, () => {});
  };
  const server = new ForkServer(say);
  process.on('message', (message) => server.hear(ToForkServer.parse(message)));
  process.on('disconnect', () => process.exit(0));
  // A signal that is meant for the window's whole group ends the host as well, and with it this one.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  say({ kind: 'ready' });
}

main();
