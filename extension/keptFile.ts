import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * A small value in a file of its own, on disk as soon as it is set. What VS Code keeps for an extension may be lost
 * when the window is reloaded within some seconds.
 */
export class KeptFile {
  private writing: Promise<void> = Promise.resolve();
  private waiting: { readonly value: unknown } | undefined;

  constructor(private readonly path: string) {}

  /** What was set last; undefined when there is nothing, or nothing that can be read. */
  async get(): Promise<unknown> {
    await this.writing;
    try {
      const value: unknown = JSON.parse(await readFile(this.path, 'utf8'));
      return value;
    } catch {
      return undefined;
    }
  }

  /** Writes follow each other, and only the newest value waits; one that fails loses nothing that matters. */
  set(value: unknown): Promise<void> {
    const waits = this.waiting;
    this.waiting = { value };
    if (waits === undefined) this.writing = this.writing.then(() => this.write()).catch(() => undefined);
    return this.writing;
  }

  /** Whoever reads meanwhile, or after a crash in the middle, finds the value from before. */
  private async write(): Promise<void> {
    const value = this.waiting?.value ?? null;
    this.waiting = undefined;
    const next = `${this.path}.${process.pid}`;
    await mkdir(dirname(this.path), { recursive: true });
    await writeFile(next, JSON.stringify(value));
    await rename(next, this.path);
  }
}
