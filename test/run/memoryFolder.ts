/**
 * Temporary files of the tests in memory where there is room: a hundred hosts, browsers and editors sync their files
 * all the time, and a disk that is shared makes a run several times longer.
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const MEMORY = '/dev/shm';

/** What a run needs at most, with room to spare, bytes. */
const NEEDED_BYTES = 6 * 1024 ** 3;

/** A fresh folder in memory; undefined where there is no room, or no program may be run from there. */
export function makeMemoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < NEEDED_BYTES) return undefined;
    const folder = mkdtempSync(join(MEMORY, 'belay-'));
    // Tests that act as another user reach what they may see in it.
    chmodSync(folder, 0o711);
    const program = join(folder, 'try');
    writeFileSync(program, '#!/bin/sh\nexit 0\n');
    chmodSync(program, 0o700);
    const runs = spawnSync(program).status === 0;
    rmSync(program);
    if (runs) return folder;
    rmSync(folder, { recursive: true });
    return undefined;
  } catch {
    return undefined;
  }
}
