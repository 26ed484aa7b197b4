/**
 * Sockets by which the hosts of one user on one machine reach each other, in a folder that only this user can
 * enter: whoever can open one may drive the host behind it. Windows: named pipes, to which the system lets
 * other users not write.
 *
 * Not gated by the cord: a pull has to reach the others while everything is paused.
 */
import { createHash, randomUUID } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, readdirSync, renameSync, unlinkSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

export type { Socket };

export interface Listening {
  /** Takes nobody any more; those who are connected stay. */
  close(): void;
}

export interface LocalSockets {
  /** Names on which somebody listens or has listened. */
  names(): readonly string[];
  /** Takes the name, also from one who is gone, for at most `most` connections at once. Keeps no process alive. */
  listen(name: string, most: number, onConnection: (socket: Socket) => void): Promise<Listening>;
  /** Undefined when nobody listens; what a dead one has left is removed. Rejects when that cannot be told. */
  connect(name: string): Promise<Socket | undefined>;
}

/** Throws a sentence when there is no folder that is this user's alone. Names are of at most `NAME_BYTES`. */
export function localSockets(runtimeDir: string | undefined, platform: NodeJS.Platform): LocalSockets {
  return platform === 'win32' ? pipes() : files(privateFolder(folderOf(runtimeDir)));
}

const SUFFIX = '.sock';

function files(folder: string): LocalSockets {
  const pathOf = (name: string): string => join(folder, `${name}${SUFFIX}`);
  return {
    names: () => {
      privateFolder(folder);
      return readdirSync(folder)
        .filter((file) => file.endsWith(SUFFIX))
        .map((file) => file.slice(0, -SUFFIX.length));
    },
    listen: async (name, most, onConnection) => {
      privateFolder(folder);
      // A server that closes removes the name that it was opened with, whoever has that name by then.
      const opened = join(folder, `${name}.${randomUUID().slice(0, MARK_BYTES)}`);
      const server = await listen(opened, most, onConnection);
      const own = markOf(opened);
      try {
        renameSync(opened, pathOf(name));
      } catch (error) {
        server.close();
        throw error;
      }
      return {
        close: () => {
          server.close();
          if (own !== undefined) removeDead(pathOf(name), own);
        },
      };
    },
    connect: async (name) => {
      const before = markOf(pathOf(name));
      const socket = await connect(pathOf(name));
      if (socket === undefined && before !== undefined) removeDead(pathOf(name), before);
      return socket;
    },
  };
}

/**
 * Removes a dead one's socket. Its owner may have come back meanwhile: what stands there is moved aside first, which
 * nobody can come between, and put back when it is another one.
 */
function removeDead(path: string, dead: string): void {
  quietly(() => {
    if (markOf(path) !== dead) return;
    const aside = `${path}.${randomUUID()}`;
    renameSync(path, aside);
    if (markOf(aside) !== dead) quietly(() => linkSync(aside, path));
    unlinkSync(aside);
  });
}

/** One file, whatever it is called: numbers of files are used again, times are not. */
function markOf(path: string): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${String(found.dev)}:${String(found.ino)}:${String(found.mtimeNs)}`;
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // Somebody else has been faster.
  }
}

function pipes(): LocalSockets {
  const root = '\\\\.\\pipe\\';
  const prefix = `belay-${userInfo().username}-`;
  return {
    names: () =>
      readdirSync(root)
        .filter((file) => file.startsWith(prefix))
        .map((file) => file.slice(prefix.length)),
    listen: (name, most, onConnection) => listen(`${root}${prefix}${name}`, most, onConnection),
    connect: (name) => connect(`${root}${prefix}${name}`),
  };
}

/**
 * `$XDG_RUNTIME_DIR/belay`, which the system makes for one user alone, else a folder of our own beside others'. One
 * that is too long for a socket has a short one that stands for it, the same for all windows that have it.
 */
function folderOf(runtimeDir: string | undefined): string {
  const own = `belay-${String(userInfo().uid)}`;
  const folder =
    runtimeDir !== undefined && isAbsolute(runtimeDir) ? join(runtimeDir, 'belay') : join(tmpdir(), own);
  if (Buffer.byteLength(folder) <= FOLDER_BYTES) return folder;
  return join('/tmp', `${own}-${createHash('sha256').update(folder).digest('hex').slice(0, NAME_BYTES)}`);
}

/** The path of a socket, without its closing zero: macOS takes 103 bytes, Linux 107. Node cuts a longer one silently. */
const PATH_BYTES = 103;
const NAME_BYTES = 16;
/** What keeps apart those who take a name at the same time. */
const MARK_BYTES = 8;
const FOLDER_BYTES = PATH_BYTES - NAME_BYTES - MARK_BYTES - '/.'.length;

/** Made again when somebody has cleaned it away, as a logout does. */
function privateFolder(folder: string): string {
  const { uid } = userInfo();
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
  const found = lstatSync(folder);
  // Somebody else may have made it first, to listen where we would look.
  if (!found.isDirectory() || found.uid !== uid || (found.mode & OTHERS) !== 0)
    throw new Error(`${folder} is not this user's alone`);
  return folder;
}

const OWNER_ONLY = 0o700;
const OTHERS = 0o077;

function listen(path: string, most: number, onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(onConnection);
    server.maxConnections = most;
    // Once it listens, an error is one of taking a connection, of which the other side hears.
    server.on('error', reject);
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

/** Nobody listens there; any other failure says nothing of the other side. */
const NOBODY = new Set(['ECONNREFUSED', 'ENOENT']);

function connect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      socket.on('error', () => socket.destroy());
      socket.unref();
      resolve(socket);
    });
    socket.once('error', (error) => {
      socket.destroy();
      if ('code' in error && typeof error.code === 'string' && NOBODY.has(error.code)) resolve(undefined);
      else reject(error);
    });
  });
}
