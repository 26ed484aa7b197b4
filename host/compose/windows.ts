/** How this host meets other windows: those that join it, those that pull its cord, and the one that it has joined. */
import { ResponseError, type MessageConnection } from 'vscode-jsonrpc/node';
import { ErrorData, Methods, type Initialize, type ResultOf, say } from '../../protocol';
import type { Link } from '../adapters/windows/link';
import { WindowMethods, type WindowState } from '../adapters/windows/messages';
import type { Channel } from '../adapters/windows/sealed';
import type { Host } from '../api/host';
import { handle, serve, type Client, type Started } from '../api/serve';
import type { Clock, Timer } from '../base/clock';
import type { Log } from '../base/log';
import { describe } from '../engine/driver/core';
import type { Engine } from '../engine/engine';
import { RequestError } from '../engine/errors';
import type { PullMarker } from '../store/pullMarker';

export interface Welcome {
  readonly engine: Engine;
  readonly log: Log;
  /** What this window is called by others. */
  readonly name: string;
  readonly admit: (params: Initialize, client: Client) => Promise<Started>;
}

/** Another window's host has proved itself: it pulls or releases the cord, or is a client from now on. */
export function welcome({ socket, reader, writer }: Channel, { engine, log, name, admit }: Welcome): void {
  let started: Promise<Started> | undefined;
  const tell = (method: string, params: object): void => {
    connection
      .sendNotification(method, params)
      .catch((error: unknown) => log('debug', `A window was not told: ${describe(error)}`));
  };
  const connection: MessageConnection = serve(
    {
      reader,
      writer,
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
    // One that was not taken has nothing to stop.
    started
      ?.then((one) => one.stop(0))
      .catch((error: unknown) => log('debug', `A window has left: ${describe(error)}`));
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

/** Who has pulled the cord before this host starts: in the windows beside it, or in its own one with no answer (P6). */
export const pulledBy = (elsewhere: boolean, asked: PullMarker): string | undefined =>
  elsewhere ? 'another window' : asked.isThere() ? say('you') : undefined;

/** Needed here once this window has taken over: the tools of its editor, which the host that was joined offers as well. */
const KEPT = new Set(['settings/update', 'editor/unsaved', 'clientTool/register', 'clientTool/unregister']);

/** The owner answers within a second, and asks the others as long; after that it hangs, ms. */
const PAUSE_MS = 3_000;

export interface Relaying {
  readonly own: Host;
  readonly clock: Clock;
  /** Asks again once the link that has broken is replaced; for a pause, what comes up then starts paused. */
  readonly again: (pause: boolean) => Promise<unknown>;
}

/** Passes a request on to the host that was joined; what belongs to this window's own editor is kept here. */
export async function relay(
  link: Link,
  method: string,
  params: unknown,
  { own, clock, again }: Relaying,
): Promise<unknown> {
  // The editor's models are of use to its own window alone.
  if (method === 'model/offer') return handle(method, params, own);
  const kept = KEPT.has(method) ? await handle(method, params, own) : undefined;
  try {
    const asked = link.request(method, params);
    if (method !== 'host/pause') return kept === undefined ? await asked : await asked.then(() => kept);
    const told = await inTime(clock, asked);
    return told === 'hangs' ? await pauseBeside(params, own) : told.result;
  } catch (error) {
    if (error instanceof ResponseError && ErrorData.safeParse(error.data).success) throw error;
    if (method === 'host/pause') {
      await pauseBeside(params, own);
      return again(true);
    }
    throw new RequestError(
      'host_stopping',
      say(
        'The window that did the work was closed, and this one takes over. Look whether it is done, and try again.',
      ),
    );
  }
}

/** The owner does not do it: every window is asked from here, the owner among them, and who does not answer is told. */
async function pauseBeside(params: unknown, own: Host): Promise<ResultOf<'host/pause'>> {
  const { by, reason } = Methods['host/pause'].params.parse(params ?? {});
  const given = { by: by ?? say('you'), ...(reason === undefined ? {} : { reason }) };
  const windows = [...(await own.windows.ask('window/pause', given, 'owner'))];
  // The owner is among them; while one of them goes on, nothing is said to be paused (P1).
  const paused = windows.length > 0 && windows.every((one) => one.answered && one.paused);
  return { paused, epoch: 0, ended: [], stopping: [], windows };
}

function inTime(clock: Clock, asked: Promise<unknown>): Promise<'hangs' | { readonly result: unknown }> {
  let timer: Timer | undefined;
  const over = new Promise<'hangs'>((resolve) => (timer = clock.after(PAUSE_MS, () => resolve('hangs'))));
  return Promise.race([asked.then((result) => ({ result })), over]).finally(() => timer?.clear());
}
