/**
 * A file in the workspace's storage that says: there is something to show or to go on with. VS Code starts the
 * extension in every window; only where this file is does it start the host as well, without being asked.
 *
 * It is written when a session begins to work, long before anything of it can wait, so that a crash in between
 * leaves it there; and removed when all is calm.
 */
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Snapshot } from '../protocol';

export class PendingMarker {
  private readonly path: string;
  private wanted: boolean | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly dir: string,
    private readonly warn: (text: string) => void,
  ) {
    this.path = join(dir, 'pending');
  }

  async exists(): Promise<boolean> {
    return stat(this.path).then(
      () => true,
      () => false,
    );
  }

  /** Brings the file in line with what the host says. Writes follow each other; the last one holds. */
  follow(snapshot: Snapshot | undefined): void {
    if (snapshot === undefined) return;
    const wanted = hasBusiness(snapshot);
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    this.writing = this.writing
      .then(() => (wanted ? this.write() : rm(this.path, { force: true })))
      .catch((error: unknown) =>
        this.warn(`The marker of waiting work could not be changed: ${String(error)}`),
      );
  }

  /** Resolves when the last change is on disk. */
  settled(): Promise<void> {
    return this.writing;
  }

  private async write(): Promise<void> {
    await mkdir(this.dir, { recursive: true });
    await writeFile(this.path, '');
  }
}

/** Whether a person who comes back to this window should see something without opening a view. */
export function hasBusiness(snapshot: Snapshot): boolean {
  return (
    snapshot.needs.length > 0 ||
    snapshot.host.paused ||
    snapshot.unread.length > 0 ||
    snapshot.sessions.some((session) => session.state !== 'idle') ||
    snapshot.handles.some((handle) => handle.state !== 'ended')
  );
}
