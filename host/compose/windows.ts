/** How this host meets other windows: those that join it, those that pull its cord, and the one that it has joined. */
import {
  ResponseError,
  SocketMessageReader,
  SocketMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import { ErrorData, type Initialize } from '../../protocol';
import type { Link } from '../adapters/windows/link';
import { WindowMethods, type WindowState } from '../adapters/windows/messages';
import type { Host } from '../api/host';
import { handle, serve, type Client, type Started } from '../api/serve';
import type { Socket } from '../base/localSocket';
import type { Log } from '../base/log';
import { describe } from '../engine/driver/core';
import type { Engine } from '../engine/engine';
import { RequestError } from '../engine/errors';

export interface Welcome {
  readonly engine: Engine;
  readonly log: Log;
  /** What this window is called by others. */
  readonly name: string;
  readonly admit: (params: Initialize, client: Client) => Promise<Started>;
}

/** Another window's host has connected: it pulls or releases the cord, or is a client from now on. */
export function welcome(socket: Socket, { engine, log, name, admit }: Welcome): void {
  let started: Promise<Started> | undefined;
  const tell = (method: string, params: object): void => {
    connection
      .sendNotification(method, params)
      .catch((error: unknown) => log('debug', `A window was not told: ${describe(error)}`));
  };
  const connection: MessageConnection = serve(
    {
      reader: new SocketMessageReader(socket),
      writer: new SocketMessageWriter(socket),
      event: (event) => tell('event', event),
      show: (showing) => tell('handle/output', showing),
    },
    log,
    {
      start: (params, client) => (started = admit(params, client)),
      stopped: () => socket.end(),
      anyone: (method, params) => cordOf(engine, name, method, params),
    },
  );
  socket.on('close', () => {
    connection.dispose();
    void started?.then((one) => one.stop(0));
  });
}

function cordOf(
  engine: Engine,
  name: string,
  method: string,
  params: unknown,
): Promise<WindowState> | undefined {
  switch (method) {
    case 'window/pause': {
      const { by, reason } = WindowMethods[method].parse(params);
      return engine.pull(by, reason).then(({ ended, stopping }) => ({
        name,
        paused: true,
        ended: [...ended],
        stopping: [...stopping],
        starting: [],
      }));
    }
    case 'window/resume':
      return engine
        .release(WindowMethods[method].parse(params).by)
        .then(({ starting }) => ({ name, paused: false, ended: [], stopping: [], starting: [...starting] }));
    case 'window/status': {
      const paused = engine.cord.pulled;
      const starting = paused ? [...engine.wouldStart()] : [];
      return Promise.resolve({ name, paused, ended: [...engine.ended()], stopping: [], starting });
    }
    default:
      return undefined;
  }
}

/** What this window's editor can do for a host: of no use to the one that was joined, and needed here after it. */
const OWN = new Set(['model/offer', 'clientTool/register', 'clientTool/unregister']);

/** Passes a request on to the host that was joined; what belongs to this window's own editor is kept here. */
export async function relay(link: Link, method: string, params: unknown, own: Host): Promise<unknown> {
  if (OWN.has(method)) return handle(method, params, own);
  if (method === 'settings/update') await handle(method, params, own);
  try {
    return await link.request(method, params);
  } catch (error) {
    if (error instanceof ResponseError && ErrorData.safeParse(error.data).success) throw error;
    throw new RequestError(
      'host_stopping',
      'The window that did the work was closed, and this one takes over. Look whether it is done, and try again.',
    );
  }
}
