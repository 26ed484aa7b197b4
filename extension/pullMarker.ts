/**
 * A file in the workspace's storage that says: the person has pressed Pause, and the host has not said that it is done.
 * The next start of a host begins paused then (P6); the host removes it once the cord is written down.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PULL_MARKER } from '../protocol/limits';

export class PullMarker {
  private readonly path: string;
  private changing: Promise<void> = Promise.resolve();

  constructor(
    private readonly dir: string,
    private readonly warn: (text: string) => void,
  ) {
    this.path = join(dir, PULL_MARKER);
  }

  /** Settles when it is there. */
  put(): Promise<void> {
    return this.change(async () => {
      await mkdir(this.dir, { recursive: true });
      await writeFile(this.path, '');
    });
  }

  /** The host has paused after all, as it was about to be written. */
  remove(): Promise<void> {
    return this.change(() => rm(this.path, { force: true }));
  }

  /** One after the other: the last one holds. */
  private change(run: () => Promise<void>): Promise<void> {
    this.changing = this.changing
      .then(run)
      .catch((error: unknown) => this.warn(`That Pause was pressed could not be kept: ${String(error)}`));
    return this.changing;
  }
}
