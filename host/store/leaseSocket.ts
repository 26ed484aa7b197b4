import { createHash } from 'node:crypto';
import { realpathSync, statSync, unlinkSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { codeOf } from './errors';

/**
 * The socket by which a store is owned: the system frees it with its process, however that ends.
 *
 * Linux: an abstract socket, which has no file. Windows: a named pipe. Elsewhere: a socket file, which may
 * outlive its owner, so a refused connection shows that it is stale.
 */
export function socketName(dir: string, platform: NodeJS.Platform): string {
  const real = realpathSync.native(dir);
  const { dev, ino } = statSync(real, { bigint: true });
  const key = createHash('sha256').update(`${real}\0${dev}:${ino}`).digest('hex').slice(0, 32);
  if (platform === 'linux') return `\0belay-${key}`;
  if (platform === 'win32') return `\\\\.\\pipe\\belay-${key}`;
  // Short, for a socket's path holds 103 bytes on macOS; the user's id keeps users apart in a shared folder.
  return join(tmpdir(), `belay-${userInfo().uid}-${key.slice(0, 16)}.sock`);
}

/** Listens on the name; undefined when another process does. Rejects on any other failure. */
export function listen(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      if (codeOf(error) === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(name, () => {
      // The lease alone keeps no process alive.
      server.unref();
      resolve(server);
    });
  });
}

/** Connects to whoever listens on the name; undefined when nobody does any more. */
export function connect(name: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(name);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
    socket.once('error', (error) => {
      socket.destroy();
      const code = codeOf(error);
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve(undefined);
      else reject(error);
    });
  });
}

/** Removes a socket file that nobody listens on; a no-op where sockets have no files. */
export function sweep(name: string, platform: NodeJS.Platform): void {
  if (platform === 'linux' || platform === 'win32') return;
  try {
    unlinkSync(name);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
