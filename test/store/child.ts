import { buildSync } from 'esbuild';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { wasm } from './support';

/** Another host on the same store: a real process that runs `childMain.ts`, bundled once so that it starts fast. */
export class Child {
  readonly lines: string[] = [];
  private readonly process: ChildProcess;
  private readonly waiting: { text: string; resolve: () => void }[] = [];
  private readonly ended: Promise<unknown>;

  constructor(mode: 'storm' | 'hold', dir: string, seed: number) {
    this.process = spawn(process.execPath, [bundle(), mode, dir, wasm, String(seed)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.ended = once(this.process, 'close');
    const output = this.process.stdout;
    if (output === null) throw new Error('The child has no output.');
    createInterface({ input: output }).on('line', (line) => this.take(line));
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /** Resolves when the child has printed this line. */
  said(text: string): Promise<void> {
    if (this.lines.includes(text)) return Promise.resolve();
    const said = new Promise<void>((resolve) => this.waiting.push({ text, resolve }));
    const gone = this.ended.then(() => {
      if (!this.lines.includes(text)) throw new Error(`The child ended before it said ${text}.`);
    });
    return Promise.race([said, gone]);
  }

  /** kill -9, and everything that it had printed. */
  async kill(): Promise<readonly string[]> {
    this.process.kill('SIGKILL');
    await this.ended;
    return this.lines;
  }

  /** Asks it to close its store and end. */
  async close(): Promise<void> {
    this.process.stdin?.end();
    await this.ended;
  }

  private take(line: string): void {
    this.lines.push(line);
    for (const waiter of this.waiting.filter(({ text }) => text === line)) waiter.resolve();
  }
}

let bundled: string | undefined;

function bundle(): string {
  if (bundled !== undefined) return bundled;
  const dir = mkdtempSync(join(tmpdir(), 'belay-child-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  bundled = join(dir, 'child.cjs');
  buildSync({
    entryPoints: [join(__dirname, 'childMain.ts')],
    outfile: bundled,
    bundle: true,
    platform: 'node',
    logLevel: 'error',
  });
  return bundled;
}
