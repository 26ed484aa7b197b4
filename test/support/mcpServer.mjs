/**
 * A stand-in MCP server, written against the wire so that it can do what no library lets a server do. It speaks
 * over its input and output, or with `--http` over Streamable HTTP on a port that it prints.
 *
 * Everything that comes in is written to the file `MCP_LOG` in the order of its arrival, one line each, before it
 * is acted on: `initialize`, `tools/list`, `call NAME`, `cancelled NAME`, `answered NAME`, `roots changed`, `end`.
 * `MCP_MODE`: `silent` never answers `initialize`; `crash` ends at once; `deaf` stays when its input is closed and
 * ignores SIGTERM; `restless` tells of a changed list with each list; `leaky` refuses `initialize` with what stands in SECRET; `chatty` says much on its error output; `loud` writes lines that are no messages.
 */
import { appendFileSync, existsSync, watch } from 'node:fs';
import { createServer } from 'node:http';
import { dirname } from 'node:path';

const mode = process.env.MCP_MODE ?? '';
const note = (line) => {
  if (process.env.MCP_LOG) appendFileSync(process.env.MCP_LOG, `${line}\n`);
};

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const text = (value) => ({ content: [{ type: 'text', text: value }] });
/** A tool that comes while a list is on its way. */
let late;
/** The file that the first page of the next list waits for. */
let page;
const object = (properties = {}) => ({ type: 'object', properties });

/** Resolves once the file exists. */
function exists(path) {
  if (existsSync(path)) return Promise.resolve();
  return new Promise((resolve) => {
    const watcher = watch(dirname(path), () => {
      if (!existsSync(path)) return;
      watcher.close();
      resolve();
    });
    if (existsSync(path)) watcher.close(resolve());
  });
}

/** `peer.tell(method, params)` and `peer.ask(method, params)` reach the client that made the call. */
const tools = {
  echo: { schema: object({ text: { type: 'string' } }), run: (args) => text(String(args.text ?? '')) },
  slow: {
    description: 'Answers once the file `until` exists.',
    schema: object({ until: { type: 'string' } }),
    run: async (args) => {
      await exists(args.until);
      return text('slow is done');
    },
  },
  late: {
    description: 'Answers once the file `until` exists, cancelled or not.',
    schema: object({ until: { type: 'string' } }),
    stubborn: true,
    run: async (args) => {
      await exists(args.until);
      return text('late is done');
    },
  },
  hang: { schema: object(), run: () => new Promise(() => {}) },
  die: { schema: object(), run: () => process.exit(3) },
  fail: { schema: object(), run: () => ({ ...text('it did not work'), isError: true }) },
  refuse: {
    schema: object(),
    run: () => {
      throw new Error('no such thing');
    },
  },
  error: {
    description: 'Answers with an error of the protocol.',
    schema: object({ code: { type: 'number' }, message: { type: 'string' } }),
    run: (args) => {
      throw Object.assign(new Error(args.message), { code: args.code });
    },
  },
  leak: {
    description: 'Says what stands in SECRET: as progress, then in a question, then as an error.',
    schema: object(),
    run: async (_args, peer) => {
      const said = process.env.SECRET;
      peer.progress({ progress: 1, message: `with ${said}` });
      await peer.ask('elicitation/create', {
        message: `Is ${said} right?`,
        requestedSchema: object({ answer: { type: 'string', title: `${said}?`, enum: ['yes', said] } }),
      });
      throw Object.assign(new Error(`bad key ${said}`), { code: -32603 });
    },
  },
  survey: {
    description: 'Asks the person `count` questions at once, and answers with what became of each.',
    schema: object({ count: { type: 'number' } }),
    run: async (args, peer) => {
      const one = (_, n) =>
        peer.ask('elicitation/create', {
          message: `Question ${n}?`,
          requestedSchema: object({ name: { type: 'string' } }),
        });
      const answers = await Promise.all(Array.from({ length: args.count }, one));
      return text(answers.map(({ action }) => action).join(' '));
    },
  },
  rant: {
    description: 'Says much: as progress, as a form, as an error.',
    schema: object({ characters: { type: 'number' } }),
    run: async (args, peer) => {
      const said = 'r'.repeat(args.characters);
      peer.progress({ progress: 1, message: said });
      await peer.ask('elicitation/create', {
        message: 'Well?',
        requestedSchema: object({ name: { type: 'string', title: said } }),
      });
      throw Object.assign(new Error(said), { code: -32603 });
    },
  },
  deafen: {
    description: 'Reads nothing any more, and asks without end.',
    schema: object(),
    run: async (_args, peer) => {
      process.stdin.pause();
      const id = 'x'.repeat(10_000);
      for (;;) await peer.raw(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
    },
  },
  wrong: { schema: object(), run: () => ({ content: 'this is no list' }) },
  picture: {
    schema: object(),
    run: () => ({
      content: [
        { type: 'text', text: 'here' },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
      ],
    }),
  },
  parts: {
    schema: object(),
    run: () => ({
      content: [
        { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'inside' } },
        { type: 'resource_link', uri: 'file:///b.txt', name: 'b', description: 'beside' },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'hologram', depth: 3 },
      ],
    }),
  },
  data: {
    schema: object(),
    run: () => ({ ...text('{"sum":3,"list":[1,2]}'), structuredContent: { sum: 3, list: [1, 2] } }),
  },
  huge: {
    schema: object({ bytes: { type: 'number' } }),
    run: (args) => text(`begin ${'x'.repeat(args.bytes)} end`),
  },
  progress: {
    description: 'Tells of `steps` steps, each once the file `until` with its number behind it exists.',
    schema: object({ steps: { type: 'number' }, until: { type: 'string' } }),
    run: async (args, peer) => {
      for (let step = 1; step <= args.steps; step++) {
        if (args.until !== undefined) await exists(`${args.until}${step}`);
        peer.progress({ progress: step, total: args.steps, message: `step ${step}` });
      }
      if (args.until !== undefined) await exists(`${args.until}.end`);
      return text('all steps done');
    },
  },
  change: {
    description:
      'Adds a tool of the given name to the list, and the tool `late` while it answers the next list, of which the ' +
      'first page comes once the file `page` exists.',
    schema: object({ name: { type: 'string' }, late: { type: 'string' }, page: { type: 'string' } }),
    run: (args, peer) => {
      late = args.late;
      page = args.page;
      tools[args.name] = { schema: object(), run: () => text(`${args.name} is new`) };
      peer.tell('notifications/tools/list_changed', {});
      return text('changed');
    },
  },
  ask: {
    description: 'Asks the person, and answers with what came back.',
    schema: object({ message: { type: 'string' }, schema: { type: 'object' } }),
    run: async (args, peer) => {
      const answer = await peer.ask('elicitation/create', {
        message: args.message ?? 'Who are you?',
        requestedSchema: args.schema ?? object({ name: { type: 'string' } }),
      });
      return text(JSON.stringify(answer));
    },
  },
  roots: {
    schema: object(),
    run: async (_args, peer) => text(JSON.stringify(await peer.ask('roots/list', {}))),
  },
  can: {
    description: 'What the client has said that it can.',
    schema: object(),
    run: () => text(JSON.stringify(capabilities)),
  },
  environment: {
    schema: object({ name: { type: 'string' } }),
    run: (args) => text(process.env[args.name] ?? ''),
  },
  flood: {
    description: 'Writes `lines` notices before it answers.',
    schema: object({ lines: { type: 'number' } }),
    run: (args, peer) => {
      for (let n = 0; n < args.lines; n++)
        peer.tell('notifications/message', { level: 'info', data: `line ${n}` });
      return text('flooded');
    },
  },
  garbage: {
    description: 'Writes lines that are no messages before it answers.',
    schema: object(),
    run: (_args, peer) => {
      peer.raw('this is no JSON\n{"jsonrpc":"1.0"}\n[]\n\n{"jsonrpc":"2.0","id":999999,"result":{}}\n');
      return text('still here');
    },
  },
  endless: {
    description: 'Writes a line without end.',
    schema: object({ bytes: { type: 'number' } }),
    run: async (args, peer) => {
      const piece = 'y'.repeat(1024 * 1024);
      for (let bytes = 0; bytes < args.bytes; bytes += piece.length) await peer.raw(piece);
      return text('never read');
    },
  },
};

let capabilities = {};

const described = (name) => ({
  name,
  description: tools[name].description ?? name,
  inputSchema: tools[name].schema,
  ...(name === 'echo' ? { annotations: { readOnlyHint: true } } : {}),
});

/** One conversation; `send(message, about)` writes to the client, `about` is the request that it belongs to. */
function conversation(send) {
  const running = new Map();
  const asked = new Map();
  let ids = 0;

  const peerOf = (message) => ({
    tell: (method, params) => send({ jsonrpc: '2.0', method, params }, message.id),
    progress: (params) => {
      const progressToken = message.params._meta?.progressToken;
      if (progressToken !== undefined)
        send(
          { jsonrpc: '2.0', method: 'notifications/progress', params: { ...params, progressToken } },
          message.id,
        );
    },
    ask: (method, params) =>
      new Promise((resolve) => {
        const id = `ask-${++ids}`;
        asked.set(id, resolve);
        send({ jsonrpc: '2.0', id, method, params }, message.id);
      }),
    raw: (line) => send(line, message.id),
  });

  async function call(message) {
    const { name, arguments: args = {} } = message.params;
    note(`call ${name}`);
    running.set(message.id, name);
    try {
      const tool = tools[name];
      if (tool === undefined) throw new Error(`Unknown tool: ${name}`);
      const result = await tool.run(args, peerOf(message));
      if (!running.has(message.id) && !tool.stubborn) return;
      note(`answered ${name}`);
      send({ jsonrpc: '2.0', id: message.id, result }, message.id, true);
    } catch (error) {
      send(
        { jsonrpc: '2.0', id: message.id, error: { code: error.code ?? -32602, message: error.message } },
        message.id,
        true,
      );
    } finally {
      running.delete(message.id);
    }
  }

  return (message) => {
    const reply = (result) => send({ jsonrpc: '2.0', id: message.id, result }, message.id, true);
    switch (message.method) {
      case undefined:
        asked.get(message.id)?.(message.result ?? { error: message.error });
        asked.delete(message.id);
        return;
      case 'initialize':
        note('initialize');
        capabilities = message.params.capabilities;
        if (mode === 'silent') return;
        if (mode === 'leaky')
          return send(
            {
              jsonrpc: '2.0',
              id: message.id,
              error: { code: -32603, message: `bad key ${process.env.SECRET}` },
            },
            message.id,
            true,
          );
        return reply({
          protocolVersion: message.params.protocolVersion,
          capabilities: { tools: { listChanged: true }, logging: {} },
          serverInfo: { name: 'stand-in', version: '1.2.3' },
        });
      case 'tools/list': {
        note('tools/list');
        const told = Object.keys(tools).map(described);
        if (late !== undefined) tools[late] = { schema: object(), run: () => text('late') };
        const isTold = late !== undefined || mode === 'restless';
        late = undefined;
        if (isTold) send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        if (page === undefined) return reply({ tools: told });
        const until = page;
        page = undefined;
        return void exists(until).then(() => {
          note('first page');
          reply({ tools: told.slice(0, 1), nextCursor: 'more' });
        });
      }
      case 'tools/call':
        return void call(message);
      case 'ping':
        return reply({});
      case 'notifications/cancelled':
        note(`cancelled ${running.get(message.params.requestId) ?? message.params.requestId}`);
        running.delete(message.params.requestId);
        return;
      case 'notifications/roots/list_changed':
        note('roots changed');
        return;
      default:
        if (message.id !== undefined)
          send(
            { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Unknown method' } },
            message.id,
            true,
          );
    }
  };
}

function overStdio() {
  const take = conversation((message) => {
    const line = typeof message === 'string' ? message : `${JSON.stringify(message)}\n`;
    if (process.stdout.write(line)) return undefined;
    return new Promise((resolve) => process.stdout.once('drain', resolve));
  });
  let rest = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (piece) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop();
    for (const line of lines) take(JSON.parse(line));
  });
  process.stdin.on('end', () => {
    note('end');
    if (mode !== 'deaf') process.exit(0);
  });
}

function overHttp() {
  const streams = new Map();
  const json = process.argv.includes('--json');
  let listening;
  let sessions = 0;
  const event = (stream, message) => stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  const take = conversation((message, about, last) => {
    const stream = streams.get(about);
    if (stream === undefined) return void (listening && event(listening, message));
    if (stream.plain) {
      if (last)
        stream.response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
    } else {
      event(stream.response, message);
      if (last) stream.response.end();
    }
    if (last) streams.delete(about);
  });
  const server = createServer((request, response) => {
    const token = process.env.MCP_TOKEN;
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return response.writeHead(401).end('Sign in first.');
    if (request.method === 'DELETE') {
      note('end');
      return process.env.MCP_ENDLESS_END === undefined ? response.writeHead(200).end() : undefined;
    }
    if (request.method === 'GET') {
      note('listen');
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      listening = response;
      return undefined;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (piece) => (body += piece));
    request.on('end', () => {
      const message = JSON.parse(body);
      if (process.env.MCP_DROPS !== undefined)
        response.on('close', () => response.writableFinished || note(`dropped ${message.method}`));
      if (process.env.MCP_REFUSAL !== undefined && message.method === 'tools/call')
        return response.writeHead(500).end('z'.repeat(Number(process.env.MCP_REFUSAL)));
      if (
        process.env.MCP_SESSION_LOST &&
        existsSync(process.env.MCP_SESSION_LOST) &&
        message.method !== 'initialize'
      )
        return response.writeHead(404).end('No such session.');
      if (message.id === undefined || message.method === undefined) {
        take(message);
        return response.writeHead(202).end();
      }
      if (message.method === 'initialize') response.setHeader('mcp-session-id', `session-${++sessions}`);
      streams.set(message.id, { response, plain: json });
      if (!json) response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      return take(message);
    });
    return undefined;
  });
  server.listen(0, '127.0.0.1', () =>
    process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`),
  );
  process.stdin.on('end', () => process.exit(0)).resume();
}

if (mode === 'crash') {
  note('crash');
  process.exit(4);
}
if (mode === 'deaf') {
  process.on('SIGTERM', () => note('SIGTERM'));
  setInterval(() => {}, 1_000_000);
}
if (mode === 'chatty') process.stderr.write(`starting with ${process.env.SECRET ?? 'nothing'}\n`);
if (mode === 'loud') process.stdout.write('Welcome to this server!\n');
note(`start ${process.pid}`);
if (process.argv.includes('--http')) overHttp();
else overStdio();
