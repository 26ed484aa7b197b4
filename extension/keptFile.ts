import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * A small value in a file of its own, on disk as soon as it is set. What VS Code keeps for an extension may be lost
 * when the window is reloaded within some seconds.
 */
export class KeptFile {
  private writing: Promise<void> = Promise.resolve();

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

  /** Writes follow each other; one that fails loses nothing that matters. */
  set(value: unknown): Promise<void> {
    this.writing = this.writing
      .then(async () => {
        await mkdir(dirname(this.path), { recursive: true });
        await writeFile(this.path, JSON.stringify(value ?? null));
      })
      .catch(() => undefined);
    return this.writing;
  }
}
