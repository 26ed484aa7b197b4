/**
 * The other windows of this user on this machine: each has a host with a socket of its own, named by its store.
 *
 * Owns: this host's socket while it is open, and connections to others while a question is on its way. Does not own:
 * the cord of anyone. 1. Who does not answer in time is told so, and hears the question all the same once it can.
 * 2. No answer is waited for longer than `ANSWER_MS`, however many windows there are.
 */
import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { createMessageConnection } from 'vscode-jsonrpc/node';
import type { OtherWindow } from '../../../protocol';
import type { Clock } from '../../base/clock';
import { localSockets, type LocalSockets, type Socket } from '../../base/localSocket';
import type { Log } from '../../base/log';
import { asGuest, asHost } from './handshake';
import { WindowState, type WindowMethod, type WindowParams } from './messages';
import { sealed, type Channel } from './sealed';

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
  /** This user's secret; `again` when it did not fit, for another window may have made a new one. */
  readonly key: { now(): Promise<string | undefined>; again(): void };
}

export interface Windows {
  /**
   * Serves others that have proved themselves from now on; the listener ends the channels that it gets. Never rejects:
   * a window that others cannot reach works for itself.
   */
  open(onConnection: (channel: Channel) => void): Promise<void>;
  close(): void;
  /**
   * Asks all other windows at once; in the order of their names. Never rejects: who could not be asked is told as not
   * answered. With `owner`, the host that has this store is asked as well, and told so when it cannot be reached.
   */
  ask<M extends WindowMethod>(
    method: M,
    params: WindowParams<M>,
    owner?: 'owner',
  ): Promise<readonly OtherWindow[]>;
  /** A way to the host that has this store; undefined when it cannot be reached, or has another secret. */
  toOwner(): Promise<Channel | undefined>;
}

export function createWindows(options: WindowsOptions): Windows {
  const { log } = options;
  const sockets = reachable(options);
  /** The folder is there only once the store has been opened. */
  let name: string | undefined;
  const own = (): string => (name ??= nameOf(options.storeDir));
  let listening: { readonly again: () => Promise<void>; readonly close: () => void } | undefined;
  const close = (): void => {
    listening?.close();
    listening = undefined;
  };

  /** The folder may have been cleaned away, with our socket: it is made again. */
  const otherNames = async (): Promise<readonly string[]> => {
    const names = sockets?.names() ?? [];
    if (listening !== undefined && options.platform !== 'win32' && !names.includes(own()))
      await listening.again();
    return names.filter((one) => one !== own());
  };

  return {
    open: async (onConnection) => {
      close();
      try {
        if (sockets !== undefined) listening = await listen(options, sockets, own(), onConnection);
      } catch (error) {
        log(
          'warn',
          `Other windows cannot reach this one, so their pause does not hold here: ${String(error)}`,
        );
      }
    },
    close,
    ask: async (method, params, owner) => {
      if (sockets === undefined) return [];
      try {
        const others = await otherNames();
        const asked = await Promise.all([
          ...others.map((one) => askOne(options, sockets, one, method, params)),
          ...(owner === undefined
            ? []
            : [askOne(options, sockets, own(), method, params).then((told) => told ?? unreached(own()))]),
        ]);
        return asked.filter((one) => one !== undefined).sort((a, b) => a.name.localeCompare(b.name));
      } catch (error) {
        log('warn', `The other windows could not be looked for: ${String(error)}`);
        return [unreached('?')];
      }
    },
    toOwner: async () => {
      try {
        return sockets && (await meet(options, sockets, own()));
      } catch (error) {
        log('warn', `The other window could not be reached: ${String(error)}`);
        return undefined;
      }
    },
  };
}

/** As many may be about to prove themselves, or have done so. */
const MOST_CONNECTIONS = 64;

async function listen(
  options: WindowsOptions,
  sockets: LocalSockets,
  name: string,
  onConnection: (channel: Channel) => void,
): Promise<{ readonly again: () => Promise<void>; readonly close: () => void }> {
  const { clock, log, key } = options;
  const open = new Set<Socket>();
  let over = false;
  const welcome = async (socket: Socket): Promise<void> => {
    const keys = await asHost(socket, () => key.now(), clock);
    if (keys !== undefined) {
      onConnection(sealed(socket, keys, 'host'));
      return;
    }
    log('warn', 'Something that is no window of this user has been turned away.');
    key.again();
  };
  const listenNow = async (): Promise<() => void> => {
    const server = await sockets.listen(name, MOST_CONNECTIONS, (socket) => {
      open.add(socket);
      socket.unref();
      socket.on('error', () => socket.destroy());
      socket.on('close', () => open.delete(socket));
      welcome(socket).catch((error: unknown) => {
        log('warn', `A window could not be let in: ${String(error)}`);
        socket.destroy();
      });
    });
    return () => server.close();
  };
  let end = await listenNow();
  return {
    again: async () => {
      end();
      const next = await listenNow();
      if (over) next();
      else end = next;
    },
    close: () => {
      over = true;
      end();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Undefined when nobody is there; rejects when it cannot be met. */
async function meet(
  { key, clock }: WindowsOptions,
  sockets: LocalSockets,
  name: string,
): Promise<Channel | undefined> {
  for (let first = true; ; first = false) {
    const secret = await key.now();
    if (secret === undefined) throw new Error('This window has no secret to prove itself with.');
    const socket = await sockets.connect(name);
    if (socket === undefined) return undefined;
    const keys = await asGuest(socket, secret, clock);
    if (keys !== 'stranger') return sealed(socket, keys, 'guest');
    key.again();
    if (!first) throw new Error('It does not have the secret of this user’s windows.');
  }
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

const unreached = (name: string): OtherWindow => ({
  name,
  paused: false,
  answered: false,
  ended: [],
  stopping: [],
  starting: [],
});

/** Undefined for a window that is gone. */
function askOne<M extends WindowMethod>(
  options: WindowsOptions,
  sockets: LocalSockets,
  name: string,
  method: M,
  params: WindowParams<M>,
): Promise<OtherWindow | undefined> {
  const { clock, log } = options;
  const answer = talkTo(options, sockets, name, method, params).catch(async (error: unknown) => {
    log('warn', `Another window did not take part (${method}): ${String(error)}`);
    return (await isThere(sockets, name)) ? unreached(name) : undefined;
  });
  return Promise.race([
    answer,
    inTime(clock, answer, method === 'window/status' ? STATUS_MS : ANSWER_MS).then(() => unreached(name)),
  ]);
}

async function talkTo<M extends WindowMethod>(
  options: WindowsOptions,
  sockets: LocalSockets,
  name: string,
  method: M,
  params: WindowParams<M>,
): Promise<OtherWindow | undefined> {
  const channel = await meet(options, sockets, name);
  if (channel === undefined) return undefined;
  const connection = createMessageConnection(channel.reader, channel.writer);
  connection.onError(([error]) => options.log('debug', `Another window: ${error.message}`));
  channel.socket.on('close', () => connection.dispose());
  connection.listen();
  try {
    return { ...WindowState.parse(await connection.sendRequest(method, params)), answered: true };
  } finally {
    connection.dispose();
    channel.socket.destroy();
  }
}

/** Whether somebody still listens: one that has gone while it was asked has nothing that runs. */
async function isThere(sockets: LocalSockets, name: string): Promise<boolean> {
  try {
    const socket = await sockets.connect(name);
    socket?.destroy();
    return socket !== undefined;
  } catch {
    return true;
  }
}

/** Resolves when the time is over; never keeps a timer longer than what it watches. */
function inTime(clock: Clock, work: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve);
    void work.then(() => timer.clear());
  });
}
