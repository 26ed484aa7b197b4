/**
 * This window's way into the host that another window of the same workspace has (D4): what the client asks goes
 * there, what is published there comes here.
 *
 * Owns one connection. 1. Once it is closed it never opens again, and what was not answered is refused.
 */
import { createMessageConnection, type CancellationToken, type MessageConnection } from 'vscode-jsonrpc/node';
import { z } from 'zod';
import {
  ClientToolRun,
  Envelope,
  HandleShowing,
  Initialized,
  type BelayEvent,
  type HandleShown,
  type Initialize,
  type ResultOf,
} from '../../../protocol';
import type { Log } from '../../base/log';
import type { Channel } from './sealed';

export interface Link {
  /** What the host there has answered to `initialize`. */
  readonly initialized: ResultOf<'initialize'>;
  /** Number of the newest stored event that came by; undefined until the client has subscribed. */
  readonly seq: number | undefined;
  /** Rejects with the refusal of the host there, or when it has gone. */
  request(method: string, params: unknown): Promise<unknown>;
  /** The client has taken what a view of a terminal was sent. */
  shown(shown: HandleShown): void;
  /** Resolves when the way is no more, by whichever side. */
  readonly closed: Promise<void>;
  close(): void;
}

/** This window's client, as far as the host there has something for it. */
export interface LinkedClient {
  event(event: BelayEvent): void;
  show(showing: HandleShowing): void;
  /** Fulfils a call of one of its tools; rejects with its refusal. */
  run(request: ClientToolRun, signal: AbortSignal): Promise<unknown>;
}

const Subscribed = z.looseObject({ seq: z.number().int() });
const Page = z.object({ items: z.array(Envelope), next: z.string().optional() });

export interface LinkOptions {
  readonly params: Initialize;
  readonly client: LinkedClient;
  /** The client has heard all up to this stored event before: it goes on behind it. Undefined: not subscribed yet. */
  readonly heard: number | undefined;
  readonly log: Log;
}

/** Introduces this window's client; rejects when the host there does not take it. */
export async function openLink(channel: Channel, { params, client, heard, log }: LinkOptions): Promise<Link> {
  const { socket } = channel;
  const connection = connectionOn(channel, log);
  const closed = new Promise<void>((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });
  let seq: number | undefined;
  /** What comes while the client is told what it has missed. */
  let late: BelayEvent[] | undefined;
  const tell = (event: BelayEvent): void => {
    if (seq !== undefined) seq = Math.max(seq, event.seq);
    client.event(event);
  };
  connection.onNotification('event', (told: unknown) => {
    const event = Envelope.safeParse(told);
    if (!event.success || !isEvent(event.data)) return;
    if (late === undefined) tell(event.data);
    else late.push(event.data);
  });
  const goOn = async (behind: number): Promise<void> => {
    late = [];
    const now = Subscribed.parse(await connection.sendRequest('events/subscribe', {})).seq;
    seq = behind;
    for (let cursor: string | undefined; ;) {
      const given = { after: behind, ...(cursor === undefined ? {} : { cursor }) };
      const page = Page.parse(await connection.sendRequest('events/list', given));
      for (const event of page.items) if (event.seq <= now && isEvent(event)) tell(event);
      cursor = page.next;
      if (cursor === undefined || (page.items.at(-1)?.seq ?? now) >= now) break;
    }
    for (const event of late) tell(event);
    late = undefined;
  };
  connection.onNotification('handle/output', (told: unknown) => {
    const showing = HandleShowing.safeParse(told);
    if (showing.success) client.show(showing.data);
  });
  connection.onRequest('clientTool/run', async (asked: unknown, token: CancellationToken) => {
    const stop = new AbortController();
    const listening = token.onCancellationRequested(() => stop.abort());
    try {
      return await client.run(ClientToolRun.parse(asked), stop.signal);
    } finally {
      listening.dispose();
    }
  });
  try {
    const initialized = Initialized.parse(await connection.sendRequest('initialize', params));
    if (heard !== undefined) await goOn(heard);
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
      closed,
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

function connectionOn({ socket, reader, writer }: Channel, log: Log): MessageConnection {
  const connection = createMessageConnection(reader, writer);
  connection.onError(([error]) => log('debug', `The other window's host: ${error.message}`));
  socket.on('close', () => connection.dispose());
  connection.listen();
  return connection;
}

/** The host there has the same version of the protocol, and made it as an event. */
const isEvent = (event: z.infer<typeof Envelope>): event is BelayEvent => event.seq >= 0;
