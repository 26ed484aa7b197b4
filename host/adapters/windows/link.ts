/**
 * This window's way into the host that another window of the same workspace has (D4): what the client asks goes
 * there, what is published there comes here.
 *
 * Owns one connection. 1. Once it is closed it never opens again, and what was not answered is refused.
 */
import {
  createMessageConnection,
  SocketMessageReader,
  SocketMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import { z } from 'zod';
import {
  Envelope,
  HandleShowing,
  Initialized,
  type BelayEvent,
  type HandleShown,
  type Initialize,
  type ResultOf,
} from '../../../protocol';
import type { Socket } from '../../base/localSocket';
import type { Log } from '../../base/log';

export interface Link {
  /** What the host there has answered to `initialize`. */
  readonly initialized: ResultOf<'initialize'>;
  /** Number of the newest stored event that came by; undefined until the client has subscribed. */
  readonly seq: number | undefined;
  /** Rejects with the refusal of the host there, or when it has gone. */
  request(method: string, params: unknown): Promise<unknown>;
  /** The client has taken what a view of a terminal was sent. */
  shown(shown: HandleShown): void;
  close(): void;
}

/** This window's client, as far as the host there has something for it. */
export interface LinkedClient {
  event(event: BelayEvent): void;
  show(showing: HandleShowing): void;
}

const Subscribed = z.looseObject({ seq: z.number().int() });

/** Introduces this window's client; rejects when the host there does not take it. */
export async function openLink(
  socket: Socket,
  params: Initialize,
  client: LinkedClient,
  log: Log,
): Promise<Link> {
  const connection = connectionOn(socket, log);
  let seq: number | undefined;
  connection.onNotification('event', (told: unknown) => {
    const event = Envelope.safeParse(told);
    if (!event.success) return;
    if (seq !== undefined) seq = Math.max(seq, event.data.seq);
    if (isEvent(event.data)) client.event(event.data);
  });
  connection.onNotification('handle/output', (told: unknown) => {
    const showing = HandleShowing.safeParse(told);
    if (showing.success) client.show(showing.data);
  });
  try {
    const initialized = Initialized.parse(await connection.sendRequest('initialize', params));
    return {
      initialized,
      get seq() {
        return seq;
      },
      request: async (method, given) => {
        const result: unknown = await connection.sendRequest(method, given);
        if (method === 'events/subscribe') seq = Subscribed.parse(result).seq;
        return result;
      },
      shown: (shown) => {
        connection
          .sendNotification('handle/shown', shown)
          .catch((error: unknown) => log('debug', `The other window's host: ${String(error)}`));
      },
      close: () => {
        connection.dispose();
        socket.destroy();
      },
    };
  } catch (error) {
    connection.dispose();
    socket.destroy();
    throw error;
  }
}

function connectionOn(socket: Socket, log: Log): MessageConnection {
  const connection = createMessageConnection(
    new SocketMessageReader(socket),
    new SocketMessageWriter(socket),
  );
  connection.onError(([error]) => log('debug', `The other window's host: ${error.message}`));
  socket.on('close', () => connection.dispose());
  connection.listen();
  return connection;
}

/** The host there has the same version of the protocol, and made it as an event. */
const isEvent = (event: z.infer<typeof Envelope>): event is BelayEvent => event.seq >= 0;
