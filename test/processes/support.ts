import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock, type Timer } from '../../host/base/clock';
import { CordPulled, type Launch } from '../../host/base/launch';
import type { Secrets } from '../../host/base/redact';
import type { CallResult, Run } from '../../host/engine/ports';
import { hostMark, type HostMark } from '../../host/adapters/processes/hostMark';
import {
  createProcesses,
  type Processes,
  type ProcessesOptions,
} from '../../host/adapters/processes/processes';

export const free: Launch = (effect) => effect();
export const pulled: Launch = () => {
  throw new CordPulled();
};

/** A cord that a test pulls. */
export function cord(): { readonly launch: Launch; pull(): void } {
  let open = true;
  return {
    launch: (effect) => {
      if (!open) throw new CordPulled();
      return effect();
    },
    pull: () => (open = false),
  };
}

/** Built from the product's sources by `npm run build`. */
export const FORK_SERVER = join(__dirname, '../../dist/forkServer.js');

let hosts = 0;

/** Processes of a host of their own, in a folder of their own; ended and swept away after the test. */
export class Host {
  readonly folder = mkdtempSync(join(tmpdir(), 'belay-processes-'));
  readonly log: string[] = [];

  private constructor(
    readonly processes: Processes,
    readonly mark: HostMark,
  ) {}

  /** `own` are variables of the environment that it is started in. */
  static async start(
    options: Partial<ProcessesOptions> = {},
    own: Readonly<Record<string, string>> = {},
  ): Promise<Host> {
    hosts += 1;
    const mark = await hostMark(`test-${process.pid}-${hosts}`);
    const log: string[] = [];
    const before = { ...process.env };
    Object.assign(process.env, own);
    const processes = createProcesses({
      clock: systemClock,
      log: (level, text) => log.push(`${level}: ${text}`),
      mark,
      secrets: () => NO_SECRETS,
      forkServer: { bundle: FORK_SERVER, epoch: () => 0 },
      ...options,
    });
    for (const name of Object.keys(own)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before);
    const host = new Host(processes, mark);
    host.log.push = log.push.bind(log);
    return Object.assign(host, { log });
  }

  /** Starts a command and gathers what it tells. */
  start(command: string, options: { timeoutMs?: number; launch?: Launch } = {}): Started {
    return new Started(this, command, options);
  }

  async run(command: string, options: { timeoutMs?: number; launch?: Launch } = {}): Promise<CallResult> {
    return this.start(command, options).run.done;
  }

  /** Pids of everything alive that its commands have started. */
  alive(): number[] {
    return this.marked().filter((pid) => !isForkServer(pid));
  }

  /** Pid of the process that starts its commands; undefined when none does. */
  forkServer(): number | undefined {
    return this.marked().find(isForkServer);
  }

  private marked(): number[] {
    return marked(`BELAY_HOST=${this.mark.text}`);
  }

  async stop(): Promise<void> {
    await this.processes.dispose();
    const left = this.marked();
    rmSync(this.folder, { recursive: true, force: true });
    for (const pid of left) process.kill(pid, 'SIGKILL');
    if (left.length > 0) throw new Error(`Left behind by a test: ${left.join(', ')}`);
  }
}

export const NO_SECRETS: Secrets = { names: [], values: [] };

export class Started {
  readonly run: Run;
  readonly told: { stream: 'stdout' | 'stderr'; text: string }[] = [];
  private readonly waiting: { text: string; done: () => void }[] = [];

  constructor(host: Host, command: string, options: { timeoutMs?: number; launch?: Launch }) {
    this.run = host.processes.command(
      { command, folder: host.folder, timeoutMs: options.timeoutMs },
      options.launch ?? free,
      (stream, text) => {
        this.told.push({ stream, text });
        for (const wait of this.waiting) if (this.text().includes(wait.text)) wait.done();
      },
    );
  }

  text(): string {
    return this.told.map((one) => one.text).join('');
  }

  /** Resolves once the command has printed this. */
  async says(text: string): Promise<void> {
    if (this.text().includes(text)) return;
    await new Promise<void>((done) => this.waiting.push({ text, done }));
  }
}

export function marked(variable: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environment(pid).includes(variable))
    .map(Number);
}

const isForkServer = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'latin1').includes('forkServer.js');
  } catch {
    return false;
  }
};

function environment(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

/** A pipe with a name: whoever has opened it to write keeps `ended` waiting. */
export class Fifo {
  readonly path: string;
  /** Resolves with all that was written once the last writer is gone. */
  readonly ended: Promise<string>;

  constructor(folder: string, name = 'fifo') {
    this.path = join(folder, name);
    execFileSync('mkfifo', [this.path]);
    const reader = spawn('cat', [this.path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    reader.stdout.on('data', (bytes: Buffer) => (text += bytes.toString()));
    this.ended = once(reader, 'close').then(() => text);
  }
}

/** The system's clock, but for timers of one length, which the test fires by hand. */
export class HeldClock implements Clock {
  readonly held: { run: () => void; cleared: boolean }[] = [];

  constructor(private readonly ms: number) {}

  now(): number {
    return systemClock.now();
  }

  after(ms: number, run: () => void): Timer {
    if (ms !== this.ms) return systemClock.after(ms, run);
    const timer = { run, cleared: false };
    this.held.push(timer);
    return { clear: () => (timer.cleared = true) };
  }
}
