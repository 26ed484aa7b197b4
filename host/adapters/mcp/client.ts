/**
 * The one file that knows the MCP SDK's protocol: a connection to a server, over lines or over Streamable HTTP. (What
 * the SDK knows of sign-ins stands behind `oauth.ts`.)
 *
 * Owns the protocol's state of one connection. 1. Everything leaves through the gate (P2). 2. A capability is
 * advertised because its handler stands in this file (M2). 3. The SDK's own time limits are out of the way:
 * time is watched by the caller.
 */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { parseJson } from '../../base/json';
import { SERVER_MESSAGE_BYTES, say } from '../../../protocol';
import { CordPulled, type Launch } from '../../base/launch';
import { webFault } from '../../engine/webWords';
import { bounded } from './bounded';
import { ConnectionLost, Rejected, ServerError, SignInFailed, SignInNeeded } from './errors';
import type { Gate, Kind } from './gate';
import {
  Client,
  ElicitRequestSchema,
  ErrorCode,
  JSONRPCMessageSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  McpError,
  ResultSchema,
  StreamableHTTPClientTransport,
  StreamableHTTPError,
  ToolListChangedNotificationSchema,
} from './sdk';
import { sender, type HttpWire } from './sender';
import { brief } from './words';

/** The way of messages over a process's input and output. */
export interface LineWire {
  write(line: string, launch: Launch): void;
  /** Called once, before anything is written. */
  listen(take: (line: string) => void): void;
}

export type ElicitAnswer =
  | { readonly action: 'accept'; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: 'decline' | 'cancel' };

export interface ClientHooks {
  /** Folders of the workspace, as `file:` addresses. */
  roots(): readonly { readonly uri: string; readonly name: string }[];
  /** The server asks the person for something, in the form of a JSON schema. Never rejects. */
  elicit(message: string, schema: unknown, signal: AbortSignal): Promise<ElicitAnswer>;
  toolsChanged(): void;
  /** The connection broke while an answer was on its way. */
  lost(error: Error): void;
  /** Something that belongs into the server's log. */
  note(text: string): void;
}

export interface McpCall {
  /** The result as it came; rejects with `ServerError`, `CordPulled`, or what the connection broke by. */
  readonly answer: Promise<unknown>;
  /** Whether the request has left. */
  left(): boolean;
  /** Tells the server to stop, if it has the request; its answer is dropped from now on. */
  cancel(reason: string): void;
}

export interface Connection {
  /** Name and version that the server gives itself. */
  readonly version: string;
  readonly offersTools: boolean;
  /** Every page of its tools, as they came. */
  listTools(launch: Launch, pages: number): Promise<readonly unknown[]>;
  call(
    tool: string,
    args: Record<string, unknown>,
    launch: Launch,
    onProgress: (told: {
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    }) => void,
  ): McpCall;
  /** Tells the server that the folders have changed. */
  rootsChanged(): void;
  /** Ends a session over HTTP on the server; settles with its answer, or once the connection is closed. */
  goodbye(): Promise<void>;
  close(): Promise<void>;
}

const CONNECTION_CLOSED: number = ErrorCode.ConnectionClosed;
/** Longest delay that a timer takes, ms. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

export async function connect(
  wire: LineWire | HttpWire,
  options: {
    readonly gate: Gate;
    /** Of the start: what is sent until the connection stands leaves under it. */
    readonly launch: Launch;
    readonly hooks: ClientHooks;
    readonly client: { readonly name: string; readonly version: string };
    /** Ends the start: what is on its way is given up (P3). */
    readonly signal: AbortSignal;
  },
): Promise<Connection> {
  const { gate, hooks, launch, signal } = options;
  const client = new Client(options.client, {
    capabilities: { roots: { listChanged: true }, elicitation: { form: { applyDefaults: true } } },
  });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [...hooks.roots()] }));
  client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => {
    if (params.mode === 'url') return { action: 'decline' };
    return hooks.elicit(params.message, params.requestedSchema, signal);
  });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => hooks.toolsChanged());
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) =>
    hooks.note(
      `${params.level}: ${typeof params.data === 'string' ? params.data : JSON.stringify(params.data)}`,
    ),
  );
  client.onerror = (error) => hooks.note(error.message);
  const transport =
    'url' in wire ? new HttpTransport(wire, gate, hooks) : new LineTransport(wire, gate, hooks);
  const abort = (): void => void client.close().catch(() => undefined);
  signal.addEventListener('abort', abort, { once: true });
  const host = 'url' in wire ? new URL(wire.url).host : '';
  const connected = new Connected(client, transport, gate, host);
  try {
    await gate.under(launch, () => launch(() => client.connect(transport, { timeout: NO_TIMEOUT_MS })));
  } catch (error) {
    await client.close();
    throw connected.known(error);
  } finally {
    signal.removeEventListener('abort', abort);
  }
  return connected;
}

class Connected implements Connection {
  private isClosed = false;

  constructor(
    private readonly client: Client,
    private readonly transport: LineTransport | HttpTransport,
    private readonly gate: Gate,
    /** Whom a connection over HTTP leads to. */
    private readonly host: string,
  ) {
    client.onclose = () => (this.isClosed = true);
  }

  get version(): string {
    const { name, version } = this.client.getServerVersion() ?? { name: '', version: '' };
    return brief(`${name} ${version}`.trim());
  }

  get offersTools(): boolean {
    return this.client.getServerCapabilities()?.tools !== undefined;
  }

  async listTools(launch: Launch, pages: number): Promise<readonly unknown[]> {
    const tools: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < pages; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const result = await this.gate
        .under(launch, () =>
          launch(() =>
            this.client.request({ method: 'tools/list', params }, ResultSchema, { timeout: NO_TIMEOUT_MS }),
          ),
        )
        .catch((error: unknown) => {
          throw this.known(error);
        });
      const parsed = ToolPage.safeParse(result);
      if (!parsed.success) throw new ServerError(say('Its list of tools is not what the protocol says.'));
      tools.push(...parsed.data.tools);
      cursor = parsed.data.nextCursor;
      if (cursor === undefined) break;
    }
    return tools;
  }

  call(...[tool, args, launch, onProgress]: Parameters<Connection['call']>): McpCall {
    const stop = new AbortController();
    let left = false;
    const leaving: Launch = (effect) => {
      stop.signal.throwIfAborted();
      return launch(() => {
        left = true;
        return effect();
      });
    };
    const request = { method: 'tools/call', params: { name: tool, arguments: args } } as const;
    const answer = this.gate
      .under(leaving, () =>
        launch(() =>
          this.client.request(request, ResultSchema, {
            signal: stop.signal,
            timeout: NO_TIMEOUT_MS,
            onprogress: ({ progress, total, message }) =>
              onProgress({
                progress,
                ...(total === undefined ? {} : { total }),
                ...(message === undefined ? {} : { message }),
              }),
          }),
        ),
      )
      .catch((error: unknown) => {
        throw this.known(error);
      });
    return { answer, left: () => left, cancel: (reason) => stop.abort(reason) };
  }

  rootsChanged(): void {
    // A server that is gone by now does not need to know.
    void this.client.sendRootsListChanged().catch(() => undefined);
  }

  async goodbye(): Promise<void> {
    if (this.transport instanceof HttpTransport) await this.transport.sayGoodbye();
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** What the SDK throws, in this adapter's words. A server's own error may have the number of a closed connection. */
  known(error: unknown): Error {
    if (!(error instanceof McpError)) return broken(error, this.host);
    const isLost = error.code === CONNECTION_CLOSED && this.isClosed;
    return isLost
      ? new ConnectionLost(say('The connection was closed.'))
      : new ServerError(brief(error.message));
  }
}

const ToolPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** The kind of a message that leaves. A cancellation tells of an end; replies and notices are no requests. */
function kindOf(message: JSONRPCMessage): Kind {
  if (!('method' in message)) return 'other';
  if ('id' in message) return 'request';
  if (message.method === 'notifications/initialized') return 'request';
  return message.method === 'notifications/cancelled' ? 'cancellation' : 'other';
}

class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(
    private readonly wire: LineWire,
    private readonly gate: Gate,
    private readonly hooks: ClientHooks,
  ) {}

  start(): Promise<void> {
    this.wire.listen((line) => this.take(line));
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const line = `${JSON.stringify(message)}\n`;
    return this.gate.pass(kindOf(message), (launch) => this.wire.write(line, launch));
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }

  private take(line: string): void {
    const message = JSONRPCMessageSchema.safeParse(parse(line));
    if (message.success) this.onmessage?.(message.data);
    else this.hooks.note(`Not a message: ${line.slice(0, NOTED_CHARACTERS)}`);
  }
}

/** Of a line that is no message, characters that go into the log. */
const NOTED_CHARACTERS = 200;

function parse(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}

/** The SDK's own, with each request of it through the gate. */
class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly inner: StreamableHTTPClientTransport;

  constructor(
    wire: HttpWire,
    private readonly gate: Gate,
    hooks: ClientHooks,
  ) {
    const send = sender(wire, gate);
    this.inner = new StreamableHTTPClientTransport(new URL(wire.url), {
      requestInit: { headers: { ...wire.headers } },
      fetch: async (url, init) => {
        const response = await send(url, init);
        // The stream that only listens is opened again by the SDK when it breaks.
        const broke = (error: Error): void => {
          if (init?.method === 'POST') hooks.lost(new ConnectionLost(error.message));
        };
        return bounded(response, { most: SERVER_MESSAGE_BYTES, broke });
      },
    });
    this.inner.onclose = () => this.onclose?.();
    this.inner.onerror = (error) => this.onerror?.(error);
    this.inner.onmessage = (message) => this.onmessage?.(message);
  }

  get sessionId(): string | undefined {
    return this.inner.sessionId;
  }

  start(): Promise<void> {
    const launch = this.gate.launch();
    return launch(() => this.inner.start());
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.gate.around(kindOf(message), (launch) => launch(() => this.inner.send(message)));
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion(version);
  }

  async sayGoodbye(): Promise<void> {
    try {
      await this.inner.terminateSession();
    } catch {
      // It does not end sessions, or is gone.
    }
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

function broken(error: unknown, host: string): Error {
  if (error instanceof CordPulled || error instanceof SignInNeeded || error instanceof SignInFailed)
    return error;
  if (error instanceof StreamableHTTPError) {
    if (error.code === 401)
      return new Rejected(
        say('It refuses the "authorization" of its configuration (401): correct it there.'),
      );
    return new ConnectionLost(brief(error.message));
  }
  const fault = webFault(error, host);
  if (fault !== undefined) return new ConnectionLost(fault.text);
  if (error instanceof Error && error.name === 'ZodError')
    return new ServerError(say('Its answer is not what the protocol says.'));
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return new ConnectionLost(brief(error instanceof Error ? `${error.message}${cause}` : String(error)));
}
