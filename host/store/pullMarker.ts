/**
 * The client's word that a person has pressed Pause and no host has said that it is done: a file beside the database
 * (`PULL_MARKER`). A host that finds it starts paused, and removes it once its cord is written down (P6).
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PULL_MARKER } from '../../protocol';

export interface PullMarker {
  isThere(): boolean;
  /** Without it nothing is to do; one that cannot be removed makes the next start paused, which loses nothing. */
  remove(): void;
}

export function pullMarker(storeDir: string): PullMarker {
  const path = join(storeDir, PULL_MARKER);
  return {
    isThere: () => existsSync(path),
    remove: () => {
      try {
        rmSync(path, { force: true });
      } catch {
        // A folder that cannot be written is told by the store.
      }
    },
  };
}
