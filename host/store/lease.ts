import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import type { Clock, Timer } from '../base/clock';
import type { Disposable } from '../base/lifecycle';
import type { Log } from '../base/log';
import type { Fence } from './contract';
import { fromFileError, storeLocked } from './errors';
import { type FileOps, type FileState, nodeFileOps } from './files';
import {
  LEASE_NAME,
  newToken,
  type Owner,
  type OwnerOnDisk,
  readOwner,
  thisPlace,
  writeOwner,
} from './leaseFile';
import { connect, listen, socketName, sweep } from './leaseSocket';

/** How often the owner touches the lock file. */
export const HEARTBEAT_MS = 5_000;
/** An owner in another place, whose socket cannot be seen from here, counts as gone after this long without a beat. */
export const LEASE_STALE_MS = 20_000;
/** Other windows that may be connected at once. */
export const MAX_CONNECTIONS = 64;
/** Any byte means it. */
const INVITATION = '+';
/** Between seeing the socket taken and reaching its owner, the owner may go; this many times is enough. */
const MAX_TRIES = 20;

export interface LeaseOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly files?: FileOps;
  /** For tests: the place of this host, see leaseFile.ts. */
  readonly place?: string;
  readonly platform?: NodeJS.Platform;
}

/** The right to write a store. Ends with `dispose`, with this process, or when another owner has taken it. */
export interface Lease extends Fence, Disposable {
  /** Told of every connection of another window, those that came before included. The listener ends them. */
  onConnection(listener: (socket: Socket) => void): Disposable;
  /** Tells every other window, now or as it comes, that this host can be joined. */
  invite(): void;
  dispose(): Promise<void>;
}

export interface Taken extends Disposable {
  readonly kind: 'taken';
  /** `pid` is 0 when it is not known. */
  readonly owner: { readonly pid: number };
  /** Resolves when the owner is gone and acquiring is worth another try; never after `dispose`. */
  readonly released: Promise<void>;
  /** Resolves when the owner says that it can be joined; never for one that cannot be reached from here. */
  readonly invited: Promise<void>;
  /** A connection to the owner; undefined when it cannot be reached from here. The caller ends it. */
  connect(): Promise<Socket | undefined>;
  dispose(): void;
}

export type Acquired = { readonly kind: 'held'; readonly lease: Lease } | Taken;

/**
 * Tries to become the one writer of the store in `dir`, which must exist (D4). Returns at once either way.
 * Rejects with StoreError when the folder cannot be written.
 */
export async function acquireLease(dir: string, options: LeaseOptions): Promise<Acquired> {
  const platform = options.platform ?? process.platform;
  const name = socketName(dir, platform);
  const files = options.files ?? nodeFileOps(options.clock);
  const path = join(dir, LEASE_NAME);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const server = await listen(name);
    if (server !== undefined) return own(server, path, files, options);
    const socket = await connect(name);
    if (socket !== undefined) return taken(socket, readOwner(path, files)?.pid ?? 0, name);
    sweep(name, platform);
  }
  throw storeLocked();
}

/** The socket is ours. Where the lock file names an owner that lives where our sockets do not reach, it is not. */
function own(server: Server, path: string, files: FileOps, options: LeaseOptions): Acquired {
  const place = options.place ?? thisPlace();
  try {
    const before = readOwner(path, files);
    if (before !== undefined && before.place !== place && !isStale(before, options.clock)) {
      server.close();
      return elsewhere(before, path, files, options.clock);
    }
    const owner = { pid: process.pid, place, token: newToken(), fence: (before?.fence ?? 0) + 1 };
    return { kind: 'held', lease: new HeldLease(server, path, owner, files, options) };
  } catch (error) {
    server.close();
    throw fromFileError(error);
  }
}

function isStale(owner: OwnerOnDisk, clock: Clock): boolean {
  return clock.now() - owner.beat >= LEASE_STALE_MS;
}

function taken(socket: Socket, pid: number, name: string): Taken {
  let ended = false;
  const released = new Promise<void>((resolve) => {
    socket.once('close', () => {
      if (!ended) resolve();
    });
  });
  // All that an owner says on this connection is that it can be joined.
  const invited = new Promise<void>((resolve) => socket.once('data', () => resolve()));
  return {
    kind: 'taken',
    owner: { pid },
    released,
    invited,
    connect: () => connect(name),
    dispose() {
      ended = true;
      socket.destroy();
    },
  };
}

/** The one case without a socket to watch: another machine or container on the same folder. */
function elsewhere(owner: OwnerOnDisk, path: string, files: FileOps, clock: Clock): Taken {
  let timer: Timer | undefined;
  const released = new Promise<void>((resolve) => {
    const look = (): void => {
      const now = readOwner(path, files);
      if (now?.token !== owner.token || isStale(now, clock)) resolve();
      else timer = clock.after(LEASE_STALE_MS, look);
    };
    timer = clock.after(LEASE_STALE_MS, look);
  });
  return {
    kind: 'taken',
    owner: { pid: owner.pid },
    released,
    invited: new Promise(() => {}),
    connect: () => Promise.resolve(undefined),
    dispose: () => timer?.clear(),
  };
}

/**
 * Owns: the socket, its connections, the lock file and its heartbeat.
 *
 * Invariant: `holds` is true only while the lock file's name leads to the inode that this lease made and
 * keeps open. A later owner always makes a new one, so it is seen by the next check of whoever lost.
 */
class HeldLease implements Lease {
  private fd: number;
  private mine: FileState;
  private timer: Timer | undefined;
  private ended = false;
  /** Time of the last heartbeat. */
  private beatAt: number;
  /** The heart has stood still for so long that somebody elsewhere may have owned the store, and have gone. */
  private lapsed = false;
  private inviting = false;
  private readonly content: Uint8Array;
  private readonly sockets = new Set<Socket>();
  private readonly unclaimed: Socket[] = [];
  private listener: ((socket: Socket) => void) | undefined;

  constructor(
    private readonly server: Server,
    private readonly path: string,
    private readonly owner: Owner,
    private readonly files: FileOps,
    private readonly options: LeaseOptions,
  ) {
    this.content = new TextEncoder().encode(JSON.stringify(owner));
    this.fd = writeOwner(path, owner, files);
    this.mine = files.stateOf(this.fd);
    this.beatAt = options.clock.now();
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (socket) => this.welcome(socket));
    this.arm();
  }

  get number(): number {
    return this.owner.fence;
  }

  holds(): boolean {
    if (this.ended) return false;
    const named = this.files.state(this.path);
    if (named === undefined) return !this.hasLapsed() && this.putBack();
    const ours = named.inode === this.mine.inode && named.device === this.mine.device;
    if (ours) this.lapsed = false;
    return ours;
  }

  private hasLapsed(): boolean {
    this.lapsed ||= this.options.clock.now() - this.beatAt >= LEASE_STALE_MS;
    return this.lapsed;
  }

  onConnection(listener: (socket: Socket) => void): Disposable {
    this.listener = listener;
    for (const socket of this.unclaimed.splice(0)) listener(socket);
    return {
      dispose: () => {
        if (this.listener === listener) this.listener = undefined;
      },
    };
  }

  invite(): void {
    this.inviting = true;
    for (const socket of this.sockets) socket.write(INVITATION);
  }

  async dispose(): Promise<void> {
    if (this.ended) return;
    const held = this.holds();
    this.ended = true;
    this.timer?.clear();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    try {
      if (held) this.files.unlink(this.path);
    } catch (error) {
      this.options.log('warn', `The lock file could not be removed: ${String(error)}`);
    }
    this.files.close(this.fd);
    await closed;
  }

  /** Somebody removed the lock file while our heart beat, which makes nobody an owner: the socket still is ours. */
  private putBack(): boolean {
    try {
      const fd = writeOwner(this.path, this.owner, this.files);
      this.files.close(this.fd);
      this.fd = fd;
      this.mine = this.files.stateOf(fd);
      return true;
    } catch (error) {
      this.options.log('error', `The lock file could not be put back: ${String(error)}`);
      return false;
    }
  }

  private welcome(socket: Socket): void {
    this.sockets.add(socket);
    if (this.inviting) socket.write(INVITATION);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.sockets.delete(socket);
      const index = this.unclaimed.indexOf(socket);
      if (index >= 0) this.unclaimed.splice(index, 1);
    });
    if (this.listener === undefined) this.unclaimed.push(socket);
    else this.listener(socket);
  }

  private arm(): void {
    this.timer = this.options.clock.after(HEARTBEAT_MS, () => this.beat());
  }

  /** Writing the same bytes again renews the file's time, which is the heartbeat. */
  private beat(): void {
    this.hasLapsed();
    this.beatAt = this.options.clock.now();
    try {
      this.files.write(this.fd, this.content, 0);
    } catch (error) {
      this.options.log('warn', `The lock file could not be renewed: ${String(error)}`);
    }
    this.arm();
  }
}
