/** Belay's client tools as an MCP server inside an agent's own protocol: one message in, one answer out (C3). */
import { z } from 'zod';
import type { AgentReply, AgentTools, CallResult } from '../../engine/ports';

const Message = z.looseObject({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
});
const Call = z.looseObject({
  name: z.string(),
  arguments: z.unknown().optional(),
  _meta: z.looseObject({}).optional(),
});

const NAME = 'belay';
const PROTOCOL = '2025-06-18';

/**
 * The answer to one JSON-RPC message; undefined when none is to be written. `callIdOf` finds the model's own id of
 * a call in its `_meta` (C7).
 */
export async function serveTools(
  raw: unknown,
  tools: AgentTools | undefined,
  signal: AbortSignal,
  callIdOf: (meta: Readonly<Record<string, unknown>>) => unknown,
): Promise<object | undefined> {
  const parsed = Message.safeParse(raw);
  if (!parsed.success) return undefined;
  const { id, method, params } = parsed.data;
  const answer = (result: object) => ({ jsonrpc: '2.0', id, result });
  switch (method) {
    case 'initialize':
      return answer({
        protocolVersion: textOf(params?.['protocolVersion']) ?? PROTOCOL,
        capabilities: { tools: {} },
        serverInfo: { name: NAME, version: '1' },
      });
    case 'tools/list':
      return answer({
        tools: (tools?.specs ?? []).map(({ name, description, schema }) => ({
          name,
          description,
          inputSchema: schema,
        })),
      });
    case 'tools/call': {
      const call = Call.safeParse(params);
      if (!call.success || tools === undefined) return refusal(id, -32602, 'No such tool.');
      const callId = textOf(callIdOf(call.data._meta ?? {}));
      const reply = await tools.call(call.data.name, call.data.arguments ?? {}, {
        signal,
        ...(callId === undefined ? {} : { callId }),
      });
      const content = contentOf(reply);
      return content === undefined ? undefined : answer(content);
    }
    case 'ping':
      return answer({});
    default:
      if (method?.startsWith('notifications/') === true) return { jsonrpc: '2.0', id: 0, result: {} };
      return refusal(id, -32601, `There is no ${method ?? 'such method'} here.`);
  }
}

/** What goes back for a call; undefined when nothing may be written. */
export function contentOf(reply: AgentReply): { content: object[]; isError: boolean } | undefined {
  switch (reply.kind) {
    case 'answered':
      return { content: [text(reply.result), ...pictures(reply.result)], isError: reply.result.failed };
    case 'acknowledged':
      return { content: [{ type: 'text', text: reply.text }], isError: false };
    case 'parked':
    case 'dropped':
      return undefined;
  }
}

const text = (result: CallResult) => ({ type: 'text', text: JSON.stringify(result.output) });

const pictures = (result: CallResult) =>
  (result.images ?? []).map((image) => ({ type: 'image', data: image.data, mimeType: image.mediaType }));

const refusal = (id: unknown, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
