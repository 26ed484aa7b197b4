/**
 * The MCP server that an agent sees on stdio: newline-delimited JSON-RPC. It answers `initialize` at once and from
 * what it has, since an agent that waits too long goes on without its tools.
 *
 * Owns: the calls under way, by the agent's own request id. 1. Each gets at most one reply, and none after its
 * cancellation. 2. Only this reader holds pauses: a paused answer becomes the neutral text.
 */
import { RELAY_CALL_MS, RELAY_MARGIN_MS } from '../protocol/limits';
import {
  acknowledgement,
  isPaused,
  parseJson,
  settledAnswer,
  type RelayAnswer,
  type ShimTool,
} from '../protocol/relay';
import type { Way } from './way';

/** The newest revision of MCP that this speaks; an older one that a client asks for is spoken as well. */
const NEWEST = '2025-06-18';
const SPOKEN: readonly string[] = ['2024-11-05', '2025-03-26', NEWEST];
const METHOD_UNKNOWN = -32601;
const PARAMS_INVALID = -32602;
const PARSE_ERROR = -32700;
const REQUEST_INVALID = -32600;

type Id = string | number;

export interface ShimServer {
  take(line: string): void;
  /** The agent has gone. */
  end(): void;
}

export function shimServer(
  tools: readonly ShimTool[],
  way: Way,
  send: (message: unknown) => void,
): ShimServer {
  const underWay = new Map<Id, AbortController>();
  const reply = (id: Id | null, body: object): void => send({ jsonrpc: '2.0', id, ...body });
  const refuse = (id: Id | null, code: number, message: string): void =>
    reply(id, { error: { code, message } });

  const callTool = async (id: Id, params: Readonly<Record<string, unknown>>): Promise<void> => {
    const { name } = params;
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) {
      refuse(id, PARAMS_INVALID, `Unknown tool: ${String(name)}`);
      return;
    }
    const abort = new AbortController();
    underWay.set(id, abort);
    const meta = isRecord(params['_meta']) ? params['_meta'] : {};
    const answer = await ask(way, tool, params['arguments'], meta, abort.signal, progressTo(meta, send));
    underWay.delete(id);
    // A cancelled request gets no reply.
    if (!abort.signal.aborted) reply(id, { result: resultOf(answer, tool.name) });
  };

  const request = (id: Id, method: string, params: Readonly<Record<string, unknown>>): void => {
    switch (method) {
      case 'initialize':
        reply(id, { result: initialized(params) });
        return;
      case 'ping':
        reply(id, { result: {} });
        return;
      case 'tools/list':
        reply(id, { result: { tools: tools.map(({ timeoutMs: _own, ...tool }) => tool) } });
        return;
      case 'tools/call':
        void callTool(id, params);
        return;
      default:
        refuse(id, METHOD_UNKNOWN, `Method not found: ${method}`);
    }
  };

  return {
    take(line) {
      if (line.trim() === '') return;
      const message = parseJson(line);
      if (message === undefined) {
        refuse(null, PARSE_ERROR, 'Parse error');
        return;
      }
      // A batch cannot be half held, and MCP no longer has them.
      if (!isRecord(message)) {
        refuse(null, REQUEST_INVALID, 'Invalid request');
        return;
      }
      const { id, method } = message;
      const params = isRecord(message['params']) ? message['params'] : {};
      if (typeof method !== 'string') return;
      if (typeof id === 'string' || typeof id === 'number') request(id, method, params);
      else if (method === 'notifications/cancelled') abortOf(underWay, params)?.abort();
    },
    end() {
      for (const abort of underWay.values()) abort.abort();
      way.close();
    },
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function initialized(params: Readonly<Record<string, unknown>>): object {
  const asked = params['protocolVersion'];
  return {
    protocolVersion: typeof asked === 'string' && SPOKEN.includes(asked) ? asked : NEWEST,
    capabilities: { tools: {} },
    serverInfo: { name: 'belay', version: '1' },
  };
}

function abortOf(
  underWay: ReadonlyMap<Id, AbortController>,
  params: Readonly<Record<string, unknown>>,
): AbortController | undefined {
  const id = params['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? underWay.get(id) : undefined;
}

async function ask(
  way: Way,
  tool: ShimTool,
  args: unknown,
  meta: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  progress: (text: string) => void,
): Promise<RelayAnswer> {
  const timeMs = tool.timeoutMs === undefined ? RELAY_CALL_MS : tool.timeoutMs + RELAY_MARGIN_MS;
  try {
    return await way.call({ tool: tool.name, callId: callIdOf(meta), args, timeMs, signal, progress });
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

/** The model's own id of the call, by the names under which the CLIs hand it over. */
function callIdOf(meta: Readonly<Record<string, unknown>>): string | undefined {
  const id = meta['callId'] ?? meta['claudecode/toolUseId'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function progressTo(meta: Readonly<Record<string, unknown>>, send: (message: unknown) => void) {
  const progressToken = meta['progressToken'];
  let progress = 0;
  return (message: string): void => {
    if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return;
    const params = { progressToken, progress: ++progress, message };
    send({ jsonrpc: '2.0', method: 'notifications/progress', params });
  };
}

function resultOf(answer: RelayAnswer, tool: string): object {
  if (isPaused(answer)) return { content: [{ type: 'text', text: acknowledgement(tool) }] };
  const settled = settledAnswer(answer, tool);
  if (!settled.ok) {
    const text = settled.error === '' ? `tool relay failed for ${tool}` : settled.error;
    return { content: [{ type: 'text', text }], isError: true };
  }
  const images = (settled.images ?? []).map(({ data, mediaType }) => ({
    type: 'image',
    data,
    mimeType: mediaType,
  }));
  return { content: [{ type: 'text', text: settled.text }, ...images] };
}
