/**
 * Calls of a shim over a local socket (C3). Each connection first proves that it has the nonce; one that does not
 * is closed. A connection that ends no longer waits for its calls.
 */
import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../../base/json';
import type { RelayAnswer, ToShim } from '../../../protocol';
import { listenSocket, type Listener, type Socket } from '../../base/channels';
import { CordPulled, type Launch } from '../../base/launch';
import type { AgentTools } from '../../engine/ports';
import { relayAnswer } from './answers';

/** Longest line of a shim, bytes: arguments are a prompt at most. */
const LINE_BYTES = 1024 * 1024;

const Hello = z.object({ nonce: z.string(), turn: z.string() });
const ToHost = z.union([
  z.object({
    id: z.number().int(),
    toolName: z.string(),
    toolCallId: z.string().min(1).max(512).optional(),
    args: z.unknown(),
  }),
  z.object({ cancel: z.number().int() }),
]);

export function serveSocket(
  tools: AgentTools,
  path: string,
  nonce: string,
  launch: Launch,
): Promise<Listener> {
  return listenSocket(launch, path, (socket) => serve(tools, socket, nonce, launch));
}

function serve(tools: AgentTools, socket: Socket, nonce: string, launch: Launch): void {
  const calls = new Map<number, AbortController>();
  let isKnown = false;
  let rest = Buffer.alloc(0);
  const send = (message: ToShim): void => sendLine(socket, message, launch);

  const take = (line: string): void => {
    const value = parsed(line);
    if (!isKnown) {
      const hello = Hello.safeParse(value);
      isKnown = hello.success && hello.data.turn === tools.turn && isSame(hello.data.nonce, nonce);
      if (!isKnown) socket.destroy();
      return;
    }
    const message = ToHost.safeParse(value);
    if (!message.success) return;
    if ('cancel' in message.data) calls.get(message.data.cancel)?.abort();
    else void answer(message.data);
  };

  const answer = async (call: {
    id: number;
    toolName: string;
    toolCallId?: string | undefined;
    args: unknown;
  }): Promise<void> => {
    const abort = new AbortController();
    calls.set(call.id, abort);
    const reply = await tools.call(call.toolName, call.args, {
      signal: abort.signal,
      onProgress: (progress) => send({ id: call.id, progress }),
      ...(call.toolCallId === undefined ? {} : { callId: call.toolCallId }),
    });
    calls.delete(call.id);
    const said: RelayAnswer | undefined = abort.signal.aborted ? undefined : relayAnswer(reply);
    if (said !== undefined) send({ id: call.id, answer: said });
  };

  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
      if (line !== '') take(line);
    }
    if (rest.length > LINE_BYTES) socket.destroy();
  });
  socket.on('close', () => {
    for (const abort of calls.values()) abort.abort();
  });
}

/** Bytes leave through the cord; what it refuses is not written, now or later (C8). */
function sendLine(socket: Socket, message: ToShim, launch: Launch): void {
  try {
    launch(() => {
      if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
    });
  } catch (error) {
    if (!(error instanceof CordPulled)) throw error;
  }
}

/** Compares in constant time. */
export function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}
