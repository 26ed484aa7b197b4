/**
 * A scripted model server: real HTTP on 127.0.0.1, the streaming formats of three providers. It owns its
 * port and the sockets on it; a test starts one, scripts what it answers, reads what it was asked, and stops it.
 *
 * 1. Requests are recorded in the order of their arrival, whole and parsed, before they are answered.
 * 2. Nothing here sleeps: an answer goes out at once, up to a gate that the test has not opened.
 * 3. A request that breaks its provider's rules is answered all the same, and named in `violations`.
 */
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { encodeAnswer, type Wire } from './modelWires';
import { itemsOf, violationsOf, type Item } from './modelRequests';

export type { Item } from './modelRequests';
export type { Wire } from './modelWires';

/** Holds an answer back until the test opens it. */
export interface Gate {
  /** Resolves once an answer has come to the gate: everything before it has been written. */
  readonly reached: Promise<void>;
  readonly opened: Promise<void>;
  open(): void;
  /** The server's side: it has come to the gate. */
  arrive(): void;
}

export interface ScriptedCall {
  /** Made from the request's number and the call's place when it is left out. `''` sends none. */
  readonly id?: string;
  readonly tool: string;
  /** A text goes out as it is, JSON or not. */
  readonly args: object | string;
}

export interface Answer {
  readonly text?: string;
  readonly reasoning?: string;
  /** The provider's signature of the reasoning (Anthropic), or its sealed text (Responses). */
  readonly signature?: string;
  readonly calls?: readonly ScriptedCall[];
  /** `end` or `calls` by default, as the answer has calls or not. */
  readonly stop?: 'end' | 'calls' | 'length' | 'refusal';
  /** `input` is all that was read, `cached` included. */
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
  /** Into how many events each text and each call's arguments are cut (1). */
  readonly pieces?: number;
  /** Before the first byte. */
  readonly gate?: Gate;
  /** After so many events. */
  readonly gates?: readonly { readonly after: number; readonly gate: Gate }[];
  /** Before the last event, that the stream is not complete without. */
  readonly endGate?: Gate;
  /** The stream ends after so many events, without its end marker. */
  readonly cutAfter?: number;
  /** Whether a cut is a proper end of the body (default) or a broken connection. */
  readonly cutBy?: 'end' | 'break';
  /** After so many events nothing more comes, and the connection stays. */
  readonly stallAfter?: number;
  /** Any other status than 200 answers with `body` and nothing else. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
  /** Sent as the data of one event, before the others. */
  readonly malformed?: string;
  /** The whole body of the stream as it is. */
  readonly raw?: string;
  /** Closes the connection without any answer. */
  readonly hangUp?: boolean;
}

export interface Recorded {
  /** Counted from 0. */
  readonly n: number;
  readonly wire: Wire;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON; `at` and `listAt` reach into it. */
  readonly body: unknown;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The conversation of the body, in one form for all wires. */
  readonly items: readonly Item[];
  /** The client's side of the connection; the same for requests that share one. */
  readonly connection: string;
  /** Resolves with true when the client went before its answer was complete, with false after a whole answer. */
  readonly aborted: Promise<boolean>;
}

/** A field deep in a recorded body, for those who would rather not write `any`. */
export function at(request: Recorded | undefined, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    request?.body,
  );
}

/** A list deep in a recorded body; empty when there is none. */
export function listAt(
  request: Recorded | undefined,
  ...path: (string | number)[]
): Record<string, unknown>[] {
  const value = at(request, ...path);
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}

/** A look for the list of models, and what it is answered with. */
export interface Look {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Resolves with true when the client went before its answer was complete. */
  readonly aborted: Promise<boolean>;
}
export interface ListAnswer {
  /** 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
  /** Before the first byte. */
  readonly gate?: Gate;
}

export interface ModelServer {
  /** Base address with `/v1`, as the providers of OpenAI's wires are set. */
  readonly url: string;
  /** Base address without it, as Anthropic's is set. */
  readonly root: string;
  readonly requests: readonly Recorded[];
  readonly violations: readonly string[];
  /** Appends to what is answered next, in order. A request beyond the script gets status 400. */
  script(answers: readonly Answer[]): void;
  /** Answers every request that the script does not. */
  reply(choose: (request: Recorded, n: number) => Answer): void;
  /** Looks for the list of models (`GET …/models`), which are no requests. Status 404 until `lists` is called. */
  readonly looks: readonly Look[];
  lists(choose: (look: Look, n: number) => ListAnswer): void;
  /** Resolves with the next request that arrives after this call. */
  next(): Promise<Recorded>;
  /** For the next test on the same server: what was asked, and was to be answered, was another one's. */
  forget(): void;
  /** Breaks what is open and closes the port. */
  stop(): Promise<void>;
}

export function gate(): Gate {
  let open = (): void => undefined;
  let arrive = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  return { opened, reached, open: () => open(), arrive: () => arrive() };
}

/** `unchecked` leaves `violations` empty: reading every request through costs a benchmark more than the round. */
export async function startModelServer({ unchecked = false } = {}): Promise<ModelServer> {
  const requests: Recorded[] = [];
  const violations: string[] = [];
  const scripted: Answer[] = [];
  let waiting: ((request: Recorded) => void)[] = [];
  let choose: ((request: Recorded, n: number) => Answer) | undefined;

  const answerTo = (request: Recorded): Answer => {
    const next = scripted.shift() ?? choose?.(request, request.n);
    if (next !== undefined) return next;
    violations.push(`request ${request.n}: nothing is scripted for it`);
    return { status: 400, body: { error: { message: 'The script of the model server is over.' } } };
  };

  const looks: Look[] = [];
  const noList = (): ListAnswer => ({ status: 404 });
  let list: (look: Look, n: number) => ListAnswer = noList;

  const http = createServer({ noDelay: true }, (incoming, response) => {
    if (incoming.method === 'GET' && /\/models(\?|$)/.test(incoming.url ?? '')) {
      const look = { path: incoming.url ?? '', headers: incoming.headers, aborted: abortOf(response) };
      looks.push(look);
      void sendList(response, list(look, looks.length - 1));
      return;
    }
    void readBody(incoming).then((text) => {
      const request = record(incoming, response, text, requests.length);
      requests.push(request);
      const broken = unchecked ? [] : violationsOf(request.wire, request.body);
      violations.push(...broken.map((text) => `request ${request.n}: ${text}`));
      const resolved = waiting;
      waiting = [];
      for (const resolve of resolved) resolve(request);
      return send(response, request, answerTo(request));
    });
  });
  http.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const root = `http://127.0.0.1:${port}`;

  return {
    url: `${root}/v1`,
    root,
    requests,
    violations,
    script: (answers) => void scripted.push(...answers),
    reply: (fn) => void (choose = fn),
    looks,
    lists: (fn) => void (list = fn),
    next: () => new Promise((resolve) => waiting.push(resolve)),
    forget: () => {
      requests.length = 0;
      scripted.length = 0;
      looks.length = 0;
      choose = undefined;
      list = noList;
    },
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function record(incoming: IncomingMessage, response: ServerResponse, text: string, n: number): Recorded {
  const path = incoming.url ?? '';
  const place = path.split('?')[0] ?? '';
  const wire: Wire = place.endsWith('/messages')
    ? 'messages'
    : place.endsWith('/responses')
      ? 'responses'
      : 'chat';
  const body: unknown = text === '' ? {} : JSON.parse(text);
  const aborted = abortOf(response);
  const at = Date.now();
  const connection = String(incoming.socket.remotePort);
  let items: readonly Item[] | undefined;
  return {
    n,
    wire,
    path,
    headers: incoming.headers,
    body,
    at,
    connection,
    aborted,
    get items() {
      return (items ??= itemsOf(wire, body));
    },
  };
}

const abortOf = (response: ServerResponse): Promise<boolean> =>
  new Promise((resolve) => response.once('close', () => resolve(!response.writableFinished)));

async function sendList(response: ServerResponse, answer: ListAnswer): Promise<void> {
  await pass(answer.gate, response);
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
  response.end(body);
}

async function send(response: ServerResponse, request: Recorded, answer: Answer): Promise<void> {
  await pass(answer.gate, response);
  if (answer.hangUp === true) return void response.destroy();
  if (answer.status !== undefined && answer.status !== 200) {
    const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
    const type = typeof answer.body === 'string' ? 'text/plain' : 'application/json';
    response.writeHead(answer.status, { 'content-type': type, ...answer.headers });
    response.end(body);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...answer.headers });
  if (answer.raw !== undefined) return void response.end(answer.raw);

  const events = encodeAnswer(request.wire, request.n, answer);
  if (answer.malformed !== undefined) events.unshift(`data: ${answer.malformed}\n\n`);
  const end = Math.min(events.length, answer.cutAfter ?? Infinity, answer.stallAfter ?? Infinity);
  const stops = [...(answer.gates ?? [])].sort((a, b) => a.after - b.after);
  if (answer.endGate !== undefined)
    stops.push({ after: events.length - lastEvents(request.wire), gate: answer.endGate });

  let sent = 0;
  for (const stop of stops) {
    if (stop.after > end) break;
    await write(response, events.slice(sent, stop.after).join(''));
    sent = stop.after;
    await pass(stop.gate, response);
  }
  const rest = events.slice(sent, end).join('');
  if (answer.stallAfter !== undefined) return write(response, rest);
  if (answer.cutAfter === undefined || answer.cutBy !== 'break') return void response.end(rest);
  await write(response, rest);
  response.destroy();
}

/** How many events at the end of a stream only say that it is complete. */
function lastEvents(wire: Wire): number {
  return wire === 'chat' ? 3 : wire === 'messages' ? 2 : 1;
}

/** Waits at a gate, but no longer than the client does. */
async function pass(stop: Gate | undefined, response: ServerResponse): Promise<void> {
  if (stop === undefined) return;
  stop.arrive();
  await Promise.race([stop.opened, new Promise<void>((resolve) => response.once('close', () => resolve()))]);
}

function write(response: ServerResponse, text: string): Promise<void> {
  if (text === '') {
    response.flushHeaders();
    return Promise.resolve();
  }
  return new Promise((resolve) => response.write(text, () => resolve()));
}
