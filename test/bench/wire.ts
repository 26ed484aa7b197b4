/**
 * A stand-in model with no thinking time, for measuring what happens between the last byte of an answer and the
 * next request. It owns its port; answers are encoded once.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface WireServer {
  readonly url: string;
  /** The times between the end of an answer and the arrival of the next request, ms. */
  readonly gaps: number[];
  /** Bytes of each request's body. */
  readonly bytes: number[];
  /** Answers the next requests: `calls` tool calls of `tool`, one a request, then a text. */
  script(tool: string, args: object, calls: number): void;
  /** Resolves with the moment at which the next request arrives, ms of `performance.now`. */
  arrival(): Promise<number>;
  /** Resolves when the text has been sent. */
  finished(): Promise<void>;
  stop(): Promise<void>;
}

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

export async function startWireServer(): Promise<WireServer> {
  const gaps: number[] = [];
  const bytes: number[] = [];
  let left = 0;
  let n = 0;
  let call = { tool: 'shell', args: '{}' };
  let lastByte: number | undefined;
  let done: () => void = () => undefined;
  let arrived: (at: number) => void = () => undefined;
  let finished = Promise.resolve();

  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const now = performance.now();
    arrived(now);
    if (lastByte !== undefined) gaps.push(now - lastByte);
    let size = 0;
    request.on('data', (data: Buffer) => (size += data.length));
    request.on('end', () => {
      bytes.push(size);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const over = left-- <= 0;
      const head = over
        ? chunk({ role: 'assistant', content: 'done' }) + chunk({}, 'stop')
        : chunk({
            role: 'assistant',
            tool_calls: [
              {
                index: 0,
                id: `call_${String(n++)}`,
                type: 'function',
                function: { name: call.tool, arguments: call.args },
              },
            ],
          }) + chunk({}, 'tool_calls');
      response.end(`${head}data: [DONE]\n\n`, () => {
        lastByte = over ? undefined : performance.now();
        if (over) done();
      });
    });
  };
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    gaps,
    bytes,
    script(tool, args, calls) {
      left = calls;
      call = { tool, args: JSON.stringify(args) };
      lastByte = undefined;
      gaps.length = 0;
      bytes.length = 0;
      finished = new Promise((resolve) => (done = resolve));
    },
    arrival: () => new Promise((resolve) => (arrived = resolve)),
    finished: () => finished,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
