/**
 * The effects of the channels to an agent's tools: listeners that only this machine reaches, and files in a folder
 * that both sides see. Each starts inside a `Launch`, in the tick in which the cord was checked (P2).
 */
import { constants, mkdirSync, watch } from 'node:fs';
import { mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Launch } from './launch';

export type { IncomingMessage, ServerResponse, Socket };

export interface Listener {
  /** Closes it with every connection, so that nothing is written any more. */
  close(): Promise<void>;
}

/** An HTTP server on a port of its own on 127.0.0.1. */
export async function listenHttp(
  launch: Launch,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Listener & { readonly port: number }> {
  const server = createHttpServer(handle);
  // A call is held as long as a person needs.
  server.requestTimeout = 0;
  await started(server, () => launch(() => server.listen(0, '127.0.0.1')));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A listener on a local socket; on Windows `path` is a named pipe. */
export async function listenSocket(
  launch: Launch,
  path: string,
  handle: (socket: Socket) => void,
): Promise<Listener> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // A connection that breaks is closed; whoever waits on it is told by that.
    socket.on('error', () => socket.destroy());
    handle(socket);
  });
  await started(server, () => launch(() => server.listen(path)));
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

function started(server: Server | ReturnType<typeof createHttpServer>, start: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    start();
  });
}

/** A new folder for temporary files that only this user can enter; its name begins with `prefix`. */
export const makePrivateFolder = (launch: Launch, prefix: string): Promise<string> =>
  launch(() => mkdtemp(join(tmpdir(), prefix)));

export const makeFolder = (launch: Launch, path: string): void =>
  launch(() => void mkdirSync(path, { recursive: true, mode: 0o700 }));

/** Not gated: what is removed is this host's own, and a pause must not leave it behind. */
export const removeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

/** Removes such folders whose names begin with `prefix`, but for those with `kept`. Not gated, as above. */
export async function sweepPrivateFolders(prefix: string, kept: string): Promise<void> {
  const names = await readdir(tmpdir());
  const left = names.filter((name) => name.startsWith(prefix) && !name.startsWith(kept));
  await Promise.all(left.map((name) => removeFolder(join(tmpdir(), name))));
}

/** Writes a file whole under another name and renames it, so that no reader sees half of it. */
export async function publishFile(
  launch: Launch,
  folder: string,
  name: string,
  temporary: string,
  content: string | Buffer,
): Promise<void> {
  await launch(() => writeFile(join(folder, temporary), content, { mode: 0o600 }));
  await launch(() => rename(join(folder, temporary), join(folder, name)));
}

/** Removes a file that may be gone already. */
export const removeFile = (launch: Launch, folder: string, name: string): Promise<void> =>
  launch(() => rm(join(folder, name), { force: true }));

/** Calls back at changes in a folder; undefined where the system cannot tell of them. */
export function watchFolder(path: string, changed: () => void): { dispose(): void } | undefined {
  try {
    const watcher = watch(path, { persistent: false }, changed);
    watcher.on('error', () => watcher.close());
    return { dispose: () => watcher.close() };
  } catch {
    return undefined;
  }
}

/**
 * The text of a plain file; rejects at anything else, and at one that is larger than `most` bytes. A link is not
 * followed, and a pipe that nobody writes to is not waited for.
 */
export async function readPlainFile(launch: Launch, path: string, most: number): Promise<string> {
  const file = await launch(() => open(path, CAREFUL));
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > most) throw new Error('It is no such file.');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(stats.size), 0, stats.size, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

const CAREFUL = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
