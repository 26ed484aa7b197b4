/**
 * The stage on which a test plays outside agents: executables under the names of real CLIs, each run of which is
 * a puppet in the test's hands. It owns its folder, its socket and the runs; `close` ends all of them.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Told {
  readonly kind: 'start' | 'input' | 'eof' | 'signal' | 'child_gone' | 'done';
  readonly argv?: string[];
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly pid?: number;
  readonly text?: string;
  readonly name?: string;
  readonly n?: number;
  readonly value?: number;
}

/** One run of an agent's program. */
export class Puppet {
  argv: string[] = [];
  env: Record<string, string> = {};
  cwd = '';
  pid = 0;
  /** Names of the signals that reached it, in order. */
  readonly signals: string[] = [];
  /** Whole lines that it read. */
  readonly lines: string[] = [];
  eof = false;
  gone = false;
  private rest = '';
  private acts = 0;
  private readonly done = new Map<number, (value: number | undefined) => void>();
  private readonly watchers = new Set<() => void>();
  private read = 0;

  constructor(private readonly socket: Socket) {
    let rest = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.hear(JSON.parse(line) as Told);
      this.look();
    });
    socket.on('close', () => {
      this.gone = true;
      for (const settle of this.done.values()) settle(undefined);
      this.look();
    });
    socket.on('error', () => undefined);
  }

  /** Resolves with the first value that `find` gives, looking after everything that it tells. */
  until<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const check = () => {
        const found = find();
        if (found === undefined) return;
        this.watchers.delete(check);
        resolve(found);
      };
      this.watchers.add(check);
      check();
    });
  }

  started(): Promise<this> {
    return this.until(() => (this.pid === 0 ? undefined : this));
  }

  /** The next message that it reads, as JSON; each is given once. */
  async message(): Promise<Record<string, unknown>> {
    const line = await this.until(() => this.lines[this.read]);
    this.read += 1;
    return JSON.parse(line) as Record<string, unknown>;
  }

  /** The next message that fits; those before it are passed over. */
  async messageLike(fits: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    for (;;) {
      const message = await this.message();
      if (fits(message)) return message;
    }
  }

  /** Everything that it has read, once its input has ended. */
  async input(): Promise<string> {
    await this.until(() => (this.eof ? true : undefined));
    return this.rest === '' ? this.lines.join('\n') : [...this.lines, this.rest].join('\n');
  }

  signal(name: string): Promise<true> {
    return this.until(() => (this.signals.includes(name) ? true : undefined));
  }

  ended(): Promise<true> {
    return this.until(() => (this.gone ? true : undefined));
  }

  async say(...messages: readonly object[]): Promise<void> {
    await this.act('write', { text: messages.map((message) => `${JSON.stringify(message)}\n`).join('') });
  }

  async write(text: string): Promise<void> {
    await this.act('write', { text });
  }

  /** One line with so many characters between two texts. */
  async long(before: string, characters: number, after: string): Promise<void> {
    await this.act('long', { before, characters, after });
  }

  /** The same line many times, as fast as it is read. */
  async flood(line: string, times: number): Promise<void> {
    await this.act('flood', { line, times });
  }

  async error(text: string): Promise<void> {
    await this.act('error', { text });
  }

  /** Starts a process of its own; `detached` in a session of its own, as real agents start commands. */
  async spawn(name: string, command: string, detached = true): Promise<number> {
    return (await this.act('spawn', { name, command, detached })) ?? 0;
  }

  async exit(code: number): Promise<void> {
    void this.act('exit', { code });
    await this.ended();
    await this.collected();
  }

  /** Until its parent has collected it, and so knows of its end; what nobody collects is left. */
  private async collected(): Promise<void> {
    const until = Date.now() + COLLECTED_MS;
    while (isThere(this.pid) && Date.now() < until) await new Promise((resolve) => setImmediate(resolve));
  }

  async die(signal: string): Promise<void> {
    void this.act('die', { signal });
    await this.ended();
  }

  private act(what: string, rest: object): Promise<number | undefined> {
    const n = ++this.acts;
    return new Promise((resolve) => {
      if (this.gone) return resolve(undefined);
      this.done.set(n, (value) => {
        this.done.delete(n);
        resolve(value);
      });
      this.socket.write(`${JSON.stringify({ do: what, n, ...rest })}\n`);
    });
  }

  private hear(told: Told): void {
    switch (told.kind) {
      case 'start':
        this.argv = told.argv ?? [];
        this.env = told.env ?? {};
        this.cwd = told.cwd ?? '';
        this.pid = told.pid ?? 0;
        return;
      case 'input': {
        const lines = (this.rest + (told.text ?? '')).split('\n');
        this.rest = lines.pop() ?? '';
        this.lines.push(...lines);
        return;
      }
      case 'eof':
        this.eof = true;
        return;
      case 'signal':
        this.signals.push(told.name ?? '');
        return;
      case 'child_gone':
        return;
      case 'done':
        this.done.get(told.n ?? 0)?.(told.value);
    }
  }

  private look(): void {
    for (const check of this.watchers) check();
  }
}

export class Stage {
  readonly runs: Puppet[] = [];
  private taken = 0;
  private readonly watchers = new Set<() => void>();

  private constructor(
    readonly folder: string,
    private readonly server: Server,
    readonly socket: string,
  ) {}

  static async open(): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'belay-agents-'));
    const server = createServer();
    const stage = new Stage(folder, server, join(folder, 'stage'));
    server.on('connection', (socket) => {
      const puppet = new Puppet(socket);
      stage.runs.push(puppet);
      for (const check of stage.watchers) check();
    });
    await new Promise<void>((resolve) => server.listen(stage.socket, resolve));
    return stage;
  }

  /** An executable whose runs are puppets; its absolute path. */
  program(name: string): string {
    const path = join(this.folder, name);
    const puppet = join(__dirname, 'puppet.mjs');
    writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${puppet}" "$@"\n`);
    chmodSync(path, 0o755);
    return path;
  }

  /** What a program must find in its environment to be a puppet of this stage. */
  get env(): Record<string, string> {
    return { PUPPET_SOCKET: this.socket };
  }

  /** The next run that was started, in the order of their starts. */
  async next(): Promise<Puppet> {
    const place = this.taken++;
    const puppet = await new Promise<Puppet>((resolve) => {
      const check = () => {
        const found = this.runs[place];
        if (found === undefined) return;
        this.watchers.delete(check);
        resolve(found);
      };
      this.watchers.add(check);
      check();
    });
    return puppet.started();
  }

  /** Ends what still plays: nobody has to climb a ladder for it. */
  letGo(): void {
    for (const run of this.runs) if (!run.gone) void run.die('SIGKILL');
  }

  async close(): Promise<void> {
    this.letGo();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const COLLECTED_MS = 2_000;

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
