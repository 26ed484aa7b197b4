/** The tools of a server, parsed where they come in. What a server says of them is shown and not believed. */
import { z } from 'zod';
import {
  SERVER_TOOLS_MOST,
  TOOL_DESCRIPTION_BYTES,
  TOOL_SCHEMA_BYTES,
  type ServerTool,
  type ToolSpec,
} from '../../../protocol';
import { Capture } from '../../base/capture';
import { toolName } from './names';

export interface Tool extends ServerTool {
  /** A JSON schema of an object. */
  readonly schema: Readonly<Record<string, unknown>>;
}

const Raw = z.looseObject({
  name: z.string().min(1).max(256),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z
    .looseObject({
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .optional(),
});

/** Those that can be offered, and a sentence for each that cannot. */
export function toolsOf(
  server: string,
  raw: readonly unknown[],
): { readonly tools: readonly Tool[]; readonly problems: readonly string[] } {
  const tools = new Map<string, Tool>();
  const problems: string[] = [];
  for (const one of raw) {
    const parsed = Raw.safeParse(one);
    if (!parsed.success) problems.push('A tool without a proper name or schema is left out.');
    else if (tools.size >= SERVER_TOOLS_MOST)
      problems.push(
        `"${parsed.data.name}" is left out: at most ${SERVER_TOOLS_MOST} tools are taken from a server.`,
      );
    else if (Buffer.byteLength(JSON.stringify(parsed.data.inputSchema)) > TOOL_SCHEMA_BYTES)
      problems.push(
        `"${parsed.data.name}" is left out: its schema is longer than ${TOOL_SCHEMA_BYTES} bytes.`,
      );
    else if (tools.has(toolName(server, parsed.data.name)))
      problems.push(`"${parsed.data.name}" is listed twice: the first one counts.`);
    else {
      const tool = toolOf(server, parsed.data);
      tools.set(tool.name, tool);
    }
  }
  return { tools: [...tools.values()], problems };
}

function toolOf(server: string, raw: z.infer<typeof Raw>): Tool {
  const hints = raw.annotations ?? {};
  const { $schema: _dialect, ...schema } = raw.inputSchema;
  return {
    name: toolName(server, raw.name),
    title: raw.name,
    description: capped(raw.description ?? raw.title ?? ''),
    // Some providers refuse an object without a list of its properties.
    schema: { properties: {}, ...schema, type: 'object' },
    hints: [
      ...(hints.readOnlyHint === true ? ['readOnly' as const] : []),
      ...(hints.destructiveHint === true ? ['destructive' as const] : []),
      ...(hints.idempotentHint === true ? ['idempotent' as const] : []),
      ...(hints.openWorldHint === true ? ['openWorld' as const] : []),
    ],
  };
}

function capped(description: string): string {
  const kept = new Capture(TOOL_DESCRIPTION_BYTES);
  kept.add(Buffer.from(description));
  return kept.shown(TOOL_DESCRIPTION_BYTES).text;
}

export const specOf = ({ name, description, schema }: Tool): ToolSpec => ({
  name,
  description,
  schema: { ...schema },
});

export const viewOf = ({ name, title, description, hints }: Tool): ServerTool => ({
  name,
  title,
  description,
  hints: [...hints],
});
