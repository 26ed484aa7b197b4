/**
 * The door: every request gets exactly one reply, with a result or an error that has a code.
 *
 * Owns: the connection, and whether it was initialized. Does not own: anything behind `Host`.
 * S1 Before `initialize` nothing else is answered; a second one is refused.
 */
import {
  CancellationTokenSource,
  createMessageConnection,
  ErrorCodes,
  ResponseError,
  type MessageConnection,
  type MessageReader,
  type MessageWriter,
} from 'vscode-jsonrpc/node';
import type { z } from 'zod';
import {
  ClientMethods,
  ERROR_NUMBER,
  HandleShown,
  Initialize,
  ModelPart,
  PROTOCOL_VERSION,
  RequestCode,
  type BelayEvent,
  type ClientMethod,
  type ClientParamsOf,
  type ClientResultOf,
  type HandleShowing,
  say,
} from '../../protocol';
import type { Log } from '../base/log';
import { RequestError } from '../engine/errors';
import { clientToolHandlers } from './clientTools';
import { changeHandlers } from './changes';
import { documentHandlers } from './documents';
import { call, isMethod, type Handlers } from './handler';
import { handleHandlers } from './handles';
import type { Host } from './host';
import { hostHandlers } from './hosts';
import { messageHandlers } from './messages';
import { PortReader, PortWriter, type Port } from './port';
import { requestHandlers } from './requests';
import { serverHandlers } from './servers';
import { searchHandlers } from './search';
import { harnessHandlers, modelHandlers, ruleHandlers, storeHandlers } from './rest';
import { sessionHandlers } from './sessions';
import { turnHandlers } from './turns';

const handlers: Handlers = {
  ...sessionHandlers,
  ...searchHandlers,
  ...messageHandlers,
  ...turnHandlers,
  ...requestHandlers,
  ...clientToolHandlers,
  ...handleHandlers,
  ...hostHandlers,
  ...ruleHandlers,
  ...harnessHandlers,
  ...modelHandlers,
  ...serverHandlers,
  ...storeHandlers,
  ...changeHandlers,
  ...documentHandlers,
};

/** Answers a method of the protocol with this host; undefined when there is none of that name. */
export const handle = async (method: string, params: unknown, host: Host): Promise<unknown> =>
  isMethod(method) ? call(handlers, method, params, host) : undefined;

export interface Started {
  /** Answers a method; undefined when there is none of that name. */
  call(method: string, params: unknown): Promise<unknown>;
  /** The client has taken what a view of a terminal was sent. */
  shown(shown: HandleShown): void;
  readonly result: {
    protocolVersion: number;
    hostVersion: string;
    seq: number;
    paused: boolean;
    readOnly: boolean;
    warnings: string[];
  };
  stop(graceMs: number): Promise<void>;
}

/** The client as the host's parts see it. */
export interface Client {
  event(event: BelayEvent): void;
  request<M extends ClientMethod>(
    method: M,
    params: ClientParamsOf<M>,
    signal?: AbortSignal,
  ): Promise<ClientResultOf<M>>;
  onPart(listener: (part: ModelPart) => void): void;
  /** Output of a terminal that the client is attached to. */
  show(showing: HandleShowing): void;
}

/** How long a shutdown waits for what runs, ms, when the client names no time. */
const SHUTDOWN_MS = 3_000;

/** A connection to one client, in whatever way it comes. */
export interface Wire {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  event(event: BelayEvent): void;
  show(showing: HandleShowing): void;
}

export const portWire = (port: Port): Wire => ({
  reader: new PortReader(port),
  writer: new PortWriter(port),
  event: (event) => port.postMessage({ jsonrpc: '2.0', method: 'event', params: event }),
  show: (showing) => port.postMessage({ jsonrpc: '2.0', method: 'handle/output', params: showing }),
});

export interface Served {
  readonly start: (params: Initialize, client: Client) => Promise<Started>;
  /** After the reply to `shutdown`. */
  readonly stopped: () => void;
  /** Methods that are answered to whoever connects; undefined for any other. */
  readonly anyone?: (method: string, params: unknown) => Promise<unknown> | undefined;
}

export function serve(wire: Wire, log: Log, { start, stopped, anyone }: Served): MessageConnection {
  const connection = createMessageConnection(wire.reader, wire.writer);
  let starting: Promise<Started> | undefined;
  /** The end, which is one, however often it is asked for. */
  let stopping: Promise<object> | undefined;
  const parts: ((part: ModelPart) => void)[] = [];

  const client: Client = {
    event: (event) => wire.event(event),
    request: (method, params, signal) => clientRequest(connection, method, params, signal),
    onPart: (listener) => void parts.push(listener),
    show: (showing) => wire.show(showing),
  };

  const initialize = async (params: unknown) => {
    if (starting !== undefined)
      throw new RequestError('initialized_already', say('This host is initialized already.'));
    const parsed = Initialize.safeParse(params);
    if (!parsed.success)
      throw new RequestError(
        'invalid_params',
        say('initialize: {reason}', { reason: parsed.error.issues[0]?.message ?? 'not right' }),
        {
          issues: parsed.error.issues
            .slice(0, 16)
            .map((one) => ({ path: one.path.join('.'), message: one.message })),
        },
      );
    if (parsed.data.protocolVersion !== PROTOCOL_VERSION)
      throw new RequestError(
        'protocol_version_unsupported',
        say('This host speaks protocol version {version}: use the client that belongs to it.', {
          version: PROTOCOL_VERSION,
        }),
        { protocolVersion: PROTOCOL_VERSION },
      );
    starting = start(parsed.data, client);
    try {
      return (await starting).result;
    } catch (error) {
      starting = undefined;
      throw error;
    }
  };

  const shutdown = async (graceMs: number) => {
    if (starting !== undefined) await (await starting).stop(graceMs);
    return {};
  };

  const answer = async (method: string, params: unknown): Promise<unknown> => {
    if (method === 'host/ping') return {};
    if (method === 'initialize') return initialize(params);
    if (method === 'shutdown') {
      const graceMs =
        typeof params === 'object' && params !== null && 'graceMs' in params ? params.graceMs : undefined;
      return (stopping ??= shutdown(
        typeof graceMs === 'number' ? Math.min(Math.max(graceMs, 0), 60_000) : SHUTDOWN_MS,
      ));
    }
    if (stopping !== undefined) throw new RequestError('host_stopping', say('Belay is stopping.'));
    if (starting === undefined) throw new RequestError('not_initialized', say('Send "initialize" first.'));
    return (await starting).call(method, params);
  };

  connection.onRequest(async (method: string, params: unknown) => {
    try {
      const result = await (anyone?.(method, params) ?? answer(method, params));
      if (result !== undefined) return result;
      return new ResponseError(ErrorCodes.MethodNotFound, `There is no method "${method}".`, {
        code: 'invalid_params',
      });
    } catch (error) {
      return replyOf(error, log);
    } finally {
      if (method === 'shutdown') stopped();
    }
  });
  connection.onNotification('handle/shown', (params: unknown) => {
    const shown = HandleShown.safeParse(params);
    if (!shown.success) log('warn', 'A handle/shown of the client could not be read.');
    else void starting?.then((one) => one.shown(shown.data)).catch(() => undefined);
  });
  connection.onNotification((method: string, params: unknown) => {
    if (method !== 'model/part') return;
    const part = ModelPart.safeParse(params);
    if (part.success) for (const listener of parts) listener(part.data);
    else log('warn', 'A model/part of the client could not be read.');
  });
  connection.onError(([error]) => log('error', `The connection failed: ${error.message}`));
  connection.listen();
  return connection;
}

/** The error reply for whatever was thrown: with a code of the closed list, always. */
function replyOf(error: unknown, log: Log): ResponseError<unknown> {
  // The refusal of another window's host is passed on as it is.
  if (error instanceof ResponseError) return error;
  if (error instanceof RequestError) {
    // Params that no schema takes are malformed in JSON-RPC's own sense; every other refusal is ours.
    const number = 'issues' in error.data ? ErrorCodes.InvalidParams : ERROR_NUMBER;
    return new ResponseError(number, error.message, error.data);
  }
  if (error instanceof Error && 'code' in error) {
    const code = RequestCode.safeParse(error.code);
    if (code.success) return new ResponseError(ERROR_NUMBER, error.message, { code: code.data });
  }
  log(
    'error',
    `A request failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  return new ResponseError(ERROR_NUMBER, say('The host failed at this request; its log says why.'), {
    code: 'host_failed',
  });
}

const results: { readonly [M in ClientMethod]: { readonly result: z.ZodType<ClientResultOf<M>> } } =
  ClientMethods;

async function clientRequest<M extends ClientMethod>(
  connection: MessageConnection,
  method: M,
  params: ClientParamsOf<M>,
  signal: AbortSignal | undefined,
): Promise<ClientResultOf<M>> {
  const source = new CancellationTokenSource();
  const cancel = () => source.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const result: unknown = await connection.sendRequest(method, params, source.token);
    const parsed = results[method].result.safeParse(result);
    if (parsed.success) return parsed.data;
    const at = parsed.error.issues[0];
    throw new Error(
      say('The client’s answer has not the shape that it must have{where}.', {
        where: at === undefined ? '' : ` (${at.path.join('.') || '.'}: ${at.message})`,
      }),
    );
  } finally {
    signal?.removeEventListener('abort', cancel);
    source.dispose();
  }
}
