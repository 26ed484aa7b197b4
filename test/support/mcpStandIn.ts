/** The stand-in MCP server in a test's hands: its configuration, and what has come to it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(__dirname, 'mcpServer.mjs');

export class StandIn {
  readonly dir = mkdtempSync(join(tmpdir(), 'belay-mcp-'));
  readonly log = join(this.dir, 'log');
  private http: ChildProcess | undefined;

  /** As it stands in `mcp.servers`. */
  config(mode = '', env: Record<string, string> = {}) {
    return {
      command: process.execPath,
      args: [SCRIPT],
      env: { MCP_LOG: this.log, MCP_MODE: mode, ...env },
    };
  }

  /** Starts it over HTTP; its address. `json` answers without streams. */
  async serve(options: { json?: boolean; env?: Record<string, string> } = {}): Promise<string> {
    const child = spawn(process.execPath, [SCRIPT, '--http', ...(options.json === true ? ['--json'] : [])], {
      env: { ...process.env, MCP_LOG: this.log, ...options.env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.http = child;
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    return first.toString().trim();
  }

  /** What has come to it, in order. */
  get lines(): string[] {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8').split('\n').slice(0, -1) : [];
  }

  /** The calls that have come to it. */
  get calls(): string[] {
    return this.lines.filter((line) => line.startsWith('call ')).map((line) => line.slice(5));
  }

  /** Pids of all its processes that ever began. */
  get pids(): number[] {
    return this.lines.filter((line) => line.startsWith('start ')).map((line) => Number(line.slice(6)));
  }

  /** Resolves once this line has come `times` times. */
  has(line: string, times = 1): Promise<void> {
    const isThere = () => this.lines.filter((one) => one.startsWith(line)).length >= times;
    return new Promise((resolve) => {
      const watcher = watch(this.dir, () => {
        if (!isThere()) return;
        watcher.close();
        resolve();
      });
      if (!isThere()) return;
      watcher.close();
      resolve();
    });
  }

  /** A path for the file that a call waits for; `open` makes it. */
  file(name: string): string {
    return join(this.dir, name);
  }

  open(name: string): void {
    writeFileSync(this.file(name), '');
  }

  async stop(): Promise<void> {
    await this.stopHttp();
    rmSync(this.dir, { recursive: true, force: true });
  }

  async stopHttp(): Promise<void> {
    const child = this.http;
    this.http = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
