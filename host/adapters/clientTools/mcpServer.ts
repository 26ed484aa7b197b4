/**
 * Belay's client tools as an MCP server over Streamable HTTP (C3). With `sdk.ts` the only file here that knows the MCP SDK. Only
 * 127.0.0.1 is served, only to who has the token, and to no page of a browser: the host's name and the origin are
 * checked, so that a name that has been bent to this machine leads nowhere.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { listenHttp, type IncomingMessage, type ServerResponse } from '../../base/channels';
import type { Launch } from '../../base/launch';
import type { Log } from '../../base/log';
import type { HttpChannel } from '../../engine/channelPort';
import type { AgentReply, AgentTools } from '../../engine/ports';
import { textOf } from './answers';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  McpServer,
  StreamableHTTPServerTransport,
} from './sdk';
import { isSame } from './socketChannel';

const PATH = '/mcp';
const TOKEN_BYTES = 32;
const UNAUTHORIZED = -32001;
/** Connections of one agent: each of its own clients opens one, and may leave it without a word. */
const SESSIONS = 64;

interface Session {
  readonly transport: StreamableHTTPServerTransport;
  /** Requests of it that are open. */
  open: number;
}

export async function serveMcp(tools: AgentTools, launch: Launch, log: Log): Promise<HttpChannel> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const gone = new AsyncLocalStorage<AbortSignal>();
  /** By id, the longest unused first. */
  const sessions = new Map<string, Session>();
  const closing = new AbortController();

  const begin = async (): Promise<Session> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(TOKEN_BYTES).toString('base64url'),
      onsessioninitialized: (id) => void sessions.set(id, session),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    const session: Session = { transport, open: 0 };
    const server = serverFor(tools, () => [closing.signal, gone.getStore()]);
    await launch(() => server.connect(transport));
    return session;
  };

  /** The place of a client that has gone without closing its session, for one that comes. */
  const makeRoom = (): boolean => {
    if (sessions.size < SESSIONS) return true;
    const [id, left] = [...sessions].find(([, session]) => session.open === 0) ?? [];
    if (id === undefined || left === undefined) return false;
    sessions.delete(id);
    left.transport
      .close()
      .catch((error: unknown) => log('warn', `A session did not close: ${String(error)}`));
    return true;
  };

  const sessionOf = async (request: IncomingMessage): Promise<Session | undefined> => {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') return makeRoom() ? begin() : undefined;
    const session = sessions.get(id);
    if (session === undefined) return undefined;
    sessions.delete(id);
    sessions.set(id, session);
    return session;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const abort = new AbortController();
    response.once('close', () => abort.abort());
    const session = await sessionOf(request);
    if (session === undefined) {
      refuse(response, 404, 'Session not found');
      return;
    }
    session.open += 1;
    const end = (): void => void (session.open -= 1);
    if (abort.signal.aborted) end();
    else abort.signal.addEventListener('abort', end, { once: true });
    await gone.run(abort.signal, () => session.transport.handleRequest(request, response));
  };

  const server = await listenHttp(launch, (request, response) => {
    const refusal = refusalOf(request, server.port, token);
    if (refusal !== undefined) {
      refuse(response, refusal.status, refusal.why);
      return;
    }
    answer(request, response).catch((error: unknown) => {
      log('error', `An agent's request for tools failed: ${String(error)}`);
      response.destroy();
    });
  });
  return {
    url: `http://127.0.0.1:${String(server.port)}${PATH}`,
    token,
    close: async () => {
      closing.abort();
      await server.close();
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
      sessions.clear();
    },
  };
}

function refusalOf(
  request: IncomingMessage,
  port: number,
  token: string,
): { readonly status: number; readonly why: string } | undefined {
  const names = [`127.0.0.1:${String(port)}`, `localhost:${String(port)}`];
  const { host, origin, authorization } = request.headers;
  if (host === undefined || !names.includes(host)) return { status: 403, why: 'Forbidden host' };
  if (origin !== undefined && !names.some((name) => origin === `http://${name}`))
    return { status: 403, why: 'Forbidden origin' };
  if (!isSame(authorization ?? '', `Bearer ${token}`)) return { status: 401, why: 'unauthorized' };
  return request.url?.split('?')[0] === PATH ? undefined : { status: 404, why: 'Not found' };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: UNAUTHORIZED, message } }));
}

/** The schemas are passed on as they are, so the handlers are set on the protocol itself. */
function serverFor(tools: AgentTools, ends: () => readonly (AbortSignal | undefined)[]): McpServer['server'] {
  const { server } = new McpServer({ name: 'belay', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.specs.map((spec) => ({
      name: spec.name,
      description: spec.description,
      inputSchema: { ...spec.schema, type: 'object' as const },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const { name, arguments: args, _meta: meta } = request.params;
    if (!tools.specs.some((spec) => spec.name === name))
      throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
    const token = meta?.progressToken;
    let progress = 0;
    const callId = meta?.['callId'] ?? meta?.['claudecode/toolUseId'];
    const signals = [extra.signal, ...ends()].filter((signal) => signal !== undefined);
    const reply = await tools.call(name, args ?? {}, {
      signal: AbortSignal.any(signals),
      ...(typeof callId === 'string' && callId !== '' ? { callId } : {}),
      ...(token === undefined
        ? {}
        : {
            onProgress: (message: string) =>
              void extra
                .sendNotification({
                  method: 'notifications/progress',
                  params: { progressToken: token, progress: ++progress, message },
                })
                .catch(() => undefined),
          }),
    });
    return resultOf(reply) ?? nothing();
  });
  return server;
}

/** Nothing may be written any more: the request stays open until its connection is closed (C8). */
const nothing = (): Promise<never> => new Promise(() => undefined);

function resultOf(reply: AgentReply): CallToolResult | undefined {
  switch (reply.kind) {
    case 'answered': {
      const images = (reply.result.images ?? []).map(({ data, mediaType }) => ({
        type: 'image' as const,
        data,
        mimeType: mediaType,
      }));
      return {
        content: [{ type: 'text', text: textOf(reply.result) }, ...images],
        ...(reply.result.failed ? { isError: true } : {}),
      };
    }
    case 'acknowledged':
      return { content: [{ type: 'text', text: reply.text }] };
    case 'parked':
    case 'dropped':
      return undefined;
  }
}
