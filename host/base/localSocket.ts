/**
 * Sockets by which the hosts of one user on one machine reach each other, in a folder that only this user can
 * enter: whoever can open one may drive the host behind it. Windows: named pipes, to which the system lets
 * other users not write.
 *
 * Not gated by the cord: a pull has to reach the others while everything is paused.
 */
import { lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

export type { Socket };

export interface LocalSockets {
  /** Names on which somebody listens or has listened. */
  names(): readonly string[];
  /** Takes the name, also from one who is gone. The server keeps no process alive. */
  listen(name: string, onConnection: (socket: Socket) => void): Promise<Server>;
  /** Undefined when nobody listens; what a dead one has left is removed. */
  connect(name: string): Promise<Socket | undefined>;
}

/** Throws a sentence when there is no folder that is this user's alone. */
export function localSockets(runtimeDir: string | undefined, platform: NodeJS.Platform): LocalSockets {
  return platform === 'win32' ? pipes() : files(privateFolder(runtimeDir));
}

const SUFFIX = '.sock';

function files(folder: string): LocalSockets {
  const pathOf = (name: string): string => join(folder, `${name}${SUFFIX}`);
  const remove = (name: string): void => {
    try {
      unlinkSync(pathOf(name));
    } catch {
      // Somebody else has removed it.
    }
  };
  return {
    names: () =>
      readdirSync(folder)
        .filter((file) => file.endsWith(SUFFIX))
        .map((file) => file.slice(0, -SUFFIX.length)),
    listen: (name, onConnection) => {
      remove(name);
      return listen(pathOf(name), onConnection);
    },
    connect: async (name) => {
      const socket = await connect(pathOf(name));
      if (socket === undefined) remove(name);
      return socket;
    },
  };
}

function pipes(): LocalSockets {
  const root = '\\\\.\\pipe\\';
  const prefix = `belay-${userInfo().username}-`;
  return {
    names: () =>
      readdirSync(root)
        .filter((file) => file.startsWith(prefix))
        .map((file) => file.slice(prefix.length)),
    listen: (name, onConnection) => listen(`${root}${prefix}${name}`, onConnection),
    connect: (name) => connect(`${root}${prefix}${name}`),
  };
}

/** `$XDG_RUNTIME_DIR/belay`, which the system makes for one user alone, else a folder of our own beside others'. */
function privateFolder(runtimeDir: string | undefined): string {
  const { uid } = userInfo();
  const folder =
    runtimeDir !== undefined && isAbsolute(runtimeDir)
      ? join(runtimeDir, 'belay')
      : join(tmpdir(), `belay-${String(uid)}`);
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
  const found = lstatSync(folder);
  // Somebody else may have made it first, to listen where we would look.
  if (!found.isDirectory() || found.uid !== uid || (found.mode & OTHERS) !== 0)
    throw new Error(`${folder} is not this user's alone`);
  return folder;
}

const OWNER_ONLY = 0o700;
const OTHERS = 0o077;

function listen(path: string, onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(onConnection);
    server.once('error', reject);
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

function connect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      socket.on('error', () => socket.destroy());
      socket.unref();
      resolve(socket);
    });
    socket.once('error', () => {
      socket.destroy();
      resolve(undefined);
    });
  });
}
