/** An agent's tools in a test's hands, and an MCP client on the shim as a real process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChannels } from '../../host/adapters/clientTools/channels';
import { systemClock } from '../../host/base/clock';
import { CordPulled, type Launch } from '../../host/base/launch';
import type { StdioChannel } from '../../host/engine/channelPort';
import type { AgentCaller, AgentReply, AgentTools } from '../../host/engine/ports';
import { HandleId, TurnId } from '../../protocol';

export const SHIM = join(__dirname, '../../dist/shim.js');

export interface Made {
  readonly name: string;
  readonly args: unknown;
  readonly from: AgentCaller;
  reply(reply: AgentReply): void;
}

/** Every call waits until the test replies. */
export class HandTools implements AgentTools {
  readonly turn = TurnId.parse('t7');
  readonly specs = ['ask', 'pick_files'].map((name) => ({
    name,
    description: `Tool ${name}`,
    schema: { type: 'object', properties: { question: { type: 'string' } } },
  }));
  readonly made: Made[] = [];
  private readonly watchers = new Set<() => void>();

  call(name: string, args: unknown, from: AgentCaller): Promise<AgentReply> {
    return new Promise((resolve) => {
      this.made.push({ name, args, from, reply: resolve });
      from.signal.addEventListener('abort', () => resolve({ kind: 'dropped' }));
      for (const look of this.watchers) look();
    });
  }

  /** The nth call, from 0, as soon as it has come. */
  nth(place: number): Promise<Made> {
    return new Promise((resolve) => {
      const look = () => {
        const made = this.made[place];
        if (made === undefined) return;
        this.watchers.delete(look);
        resolve(made);
      };
      this.watchers.add(look);
      look();
    });
  }
}

export const answer = (text: string): AgentReply => ({
  kind: 'answered',
  result: { output: { answer: text }, failed: false },
});
export const acknowledged: AgentReply = {
  kind: 'acknowledged',
  text: 'neutral',
  handle: HandleId.parse('proc:1'),
};

/** A cord that a test pulls. */
export class HandCord {
  pulled = false;
  readonly launch: Launch = (effect) => {
    if (this.pulled) throw new CordPulled();
    return effect();
  };
}

export const log: string[] = [];
export const channels = () =>
  createChannels({
    clock: systemClock,
    log: (level, text) => log.push(`${level}: ${text}`),
    shim: SHIM,
    node: process.execPath,
    platform: process.platform,
    storeDir: '/none',
  });

interface Reply {
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string };
}

/** The shim as an agent starts it. */
export class ShimProcess {
  readonly received: Record<string, unknown>[] = [];
  readonly exited: Promise<number | null>;
  stderr = '';
  private readonly child: ChildProcess;
  private ids = 0;
  private rest = '';
  private readonly watchers = new Set<() => void>();

  constructor(channel: Pick<StdioChannel, 'command' | 'args' | 'env'>) {
    this.child = spawn(channel.command, [...channel.args], {
      env: { PATH: process.env['PATH'] ?? '', ...channel.env },
    });
    this.exited = once(this.child, 'exit').then(([code]) => code as number | null);
    this.child.stderr?.on('data', (bytes: Buffer) => (this.stderr += bytes.toString()));
    this.child.stdin?.on('error', () => undefined);
    this.child.stdout?.on('data', (bytes: Buffer) => {
      const lines = (this.rest + bytes.toString()).split('\n');
      this.rest = lines.pop() ?? '';
      for (const line of lines) this.received.push(JSON.parse(line) as Record<string, unknown>);
      for (const look of this.watchers) look();
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  send(message: object): void {
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  raw(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  /** Sends a request and resolves with its reply. */
  async request(method: string, params: object = {}): Promise<Reply> {
    const id = ++this.ids;
    this.send({ id, method, params });
    return this.replyTo(id);
  }

  replyTo(id: number): Promise<Reply> {
    return this.until(() => this.received.find((one) => one['id'] === id) as Reply | undefined);
  }

  /** Calls a tool; its text, and whether it is an error. */
  async call(name: string, args: object, meta?: object): Promise<{ text: string; isError: boolean }> {
    const { result } = await this.request('tools/call', {
      name,
      arguments: args,
      ...(meta === undefined ? {} : { _meta: meta }),
    });
    const content = result?.['content'] as { text: string }[] | undefined;
    return { text: content?.[0]?.text ?? '', isError: result?.['isError'] === true };
  }

  until<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const check = () => {
        const found = look();
        if (found === undefined) return;
        this.watchers.delete(check);
        resolve(found);
      };
      this.watchers.add(check);
      check();
    });
  }

  /** The agent goes: its shim ends by itself. */
  async end(): Promise<void> {
    this.child.stdin?.end();
    await this.exited;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }
}

/** Folders and things of one test, ended after it. */
export class Bin {
  private readonly ends: (() => unknown)[] = [];

  folder(): string {
    const dir = mkdtempSync(join(tmpdir(), 'belay-relay-'));
    this.ends.push(() => rmSync(dir, { recursive: true, force: true }));
    return dir;
  }

  add<T>(thing: T, end: (thing: T) => unknown): T {
    this.ends.push(() => end(thing));
    return thing;
  }

  async empty(): Promise<void> {
    for (const end of this.ends.splice(0).reverse()) await end();
  }
}
