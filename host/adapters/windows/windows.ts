/**
 * The other windows of this user on this machine: each has a host with a socket of its own, named by its store.
 *
 * Owns: this host's socket while it is open, and connections to others while a question is on its way. Does not own:
 * the cord of anyone. 1. Who does not answer in time is told so, and hears the question all the same once it can.
 * 2. No answer is waited for longer than `ANSWER_MS`, however many windows there are.
 */
import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { createMessageConnection, SocketMessageReader, SocketMessageWriter } from 'vscode-jsonrpc/node';
import type { OtherWindow } from '../../../protocol';
import type { Clock } from '../../base/clock';
import { localSockets, type LocalSockets, type Socket } from '../../base/localSocket';
import type { Log } from '../../base/log';
import { WindowState, type WindowMethod, type WindowParams } from './messages';

/** A window that is not busy answers in a few ms; one that is stopping processes has up to 250 ms for it. */
const ANSWER_MS = 1_000;
/** A start that is told nothing starts unpaused, so it waits longer; it pays this only beside a window that hangs, ms. */
const STATUS_MS = 2_000;

export interface WindowsOptions {
  readonly storeDir: string;
  /** `XDG_RUNTIME_DIR`, where there is one. */
  readonly runtimeDir: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Windows {
  /** Serves others from now on; the listener ends the sockets that it gets. */
  open(onConnection: (socket: Socket) => void): Promise<void>;
  close(): void;
  /** Asks all other windows at once; in the order of their names. */
  ask<M extends WindowMethod>(method: M, params: WindowParams<M>): Promise<readonly OtherWindow[]>;
  /** A connection to the host that has this store; undefined when it cannot be reached. */
  toOwner(): Promise<Socket | undefined>;
}

export function createWindows(options: WindowsOptions): Windows {
  const { log } = options;
  const sockets = reachable(options);
  /** The folder is there only once the store has been opened. */
  let name: string | undefined;
  const own = (): string => (name ??= nameOf(options.storeDir));
  let close = (): void => {};

  return {
    open: async (onConnection) => {
      close();
      const open = new Set<Socket>();
      const server = await sockets?.listen(own(), (socket) => {
        open.add(socket);
        socket.unref();
        socket.on('error', () => socket.destroy());
        socket.on('close', () => open.delete(socket));
        onConnection(socket);
      });
      close = () => {
        server?.close();
        for (const socket of open) socket.destroy();
      };
    },
    close: () => close(),
    ask: async (method, params) => {
      const others = sockets?.names().filter((name) => name !== own()) ?? [];
      const asked = await Promise.all(others.map((name) => askOne(options, sockets, name, method, params)));
      return asked.filter((one) => one !== undefined).sort((a, b) => a.name.localeCompare(b.name));
    },
    toOwner: async () => {
      try {
        return await sockets?.connect(own());
      } catch (error) {
        log('warn', `The other window could not be reached: ${String(error)}`);
        return undefined;
      }
    },
  };
}

/** Without a place that is this user's alone there is no way to others, and none to us. */
function reachable({ runtimeDir, platform, log }: WindowsOptions): LocalSockets | undefined {
  try {
    return localSockets(runtimeDir, platform);
  } catch (error) {
    log('warn', `Other windows cannot be reached, so a pause holds for this one alone: ${String(error)}`);
    return undefined;
  }
}

/** One name for one store, by whatever path it is reached. */
function nameOf(dir: string): string {
  const real = realpathSync.native(dir);
  const { dev, ino } = statSync(real, { bigint: true });
  return createHash('sha256').update(`${real}\0${dev}:${ino}`).digest('hex').slice(0, 16);
}

/** Undefined for a window that is gone. */
async function askOne<M extends WindowMethod>(
  { clock, log }: WindowsOptions,
  sockets: LocalSockets | undefined,
  name: string,
  method: M,
  params: WindowParams<M>,
): Promise<OtherWindow | undefined> {
  const socket = await sockets?.connect(name);
  if (socket === undefined) return undefined;
  const connection = createMessageConnection(
    new SocketMessageReader(socket),
    new SocketMessageWriter(socket),
  );
  connection.onError(([error]) => log('debug', `Another window: ${error.message}`));
  connection.listen();
  const answer = connection
    .sendRequest(method, params)
    .then((told) => ({ ...WindowState.parse(told), answered: true }))
    .catch((error: unknown) => {
      log('warn', `Another window did not take part (${method}): ${String(error)}`);
      return undefined;
    })
    .finally(() => {
      connection.dispose();
      socket.destroy();
    });
  const silent = { name, paused: false, answered: false, ended: [], stopping: [], starting: [] };
  return Promise.race([
    answer,
    inTime(clock, answer, method === 'window/status' ? STATUS_MS : ANSWER_MS).then(() => silent),
  ]);
}

/** Resolves when the time is over; never keeps a timer longer than what it watches. */
function inTime(clock: Clock, work: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve);
    void work.then(() => timer.clear());
  });
}
