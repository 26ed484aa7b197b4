import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { z } from 'zod';
import { codeOf } from './errors';
import { type FileOps, writeAll } from './files';

/** The lock file's name in the store's folder. */
export const LEASE_NAME = 'lease';

/** Who owns the store: what the lock file holds. */
const Owner = z.object({
  pid: z.number().int(),
  /** Where the owner's socket can be reached from: one boot of one machine, one network namespace. */
  place: z.string(),
  /** Random; no two owners have the same. */
  token: z.string(),
  /** Grows with each owner. */
  fence: z.number().int().nonnegative(),
});
export type Owner = z.infer<typeof Owner>;

export interface OwnerOnDisk extends Owner {
  /** Time of the last heartbeat, milliseconds since 1970. */
  readonly beat: number;
}

/** The owner that the lock file names; undefined when there is none, or none that is whole. */
export function readOwner(path: string, files: FileOps): OwnerOnDisk | undefined {
  const state = files.state(path);
  if (state === undefined) return undefined;
  try {
    const parsed = Owner.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success ? { ...parsed.data, beat: Number(state.changed / 1_000_000n) } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Makes `owner` the owner: a new file takes the name, so that whoever had it before finds another inode
 * there. Returns the open descriptor, which keeps that inode from being used again.
 */
export function writeOwner(path: string, owner: Owner, files: FileOps): number {
  const fresh = `${path}.${owner.token}`;
  const fd = files.open(fresh, 'create');
  try {
    writeAll(files, fd, new TextEncoder().encode(JSON.stringify(owner)), 0);
    files.sync(fd);
    files.rename(fresh, path);
    files.syncFolder(dirname(path));
    return fd;
  } catch (error) {
    files.close(fd);
    throw error;
  }
}

export function newToken(): string {
  return randomBytes(16).toString('hex');
}

/**
 * One boot of one machine, and on Linux the namespaces of network and processes as well: containers on one
 * machine share a folder but not each other's sockets.
 */
export function thisPlace(): string {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const network = attempt(() => readlinkSync('/proc/self/ns/net'));
  const processes = attempt(() => readlinkSync('/proc/self/ns/pid'));
  return [hostname(), boot, network, processes].join(' ');
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
