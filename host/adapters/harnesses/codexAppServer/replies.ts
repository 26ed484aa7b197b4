/** What is read of codex app-server's replies and requests. */
import { z } from 'zod';

export const ThreadStarted = z.looseObject({ thread: z.looseObject({ id: z.string() }) });
export const TurnStarted = z.looseObject({ turn: z.looseObject({ id: z.string() }) });
export const Terminals = z.looseObject({
  data: z.array(z.looseObject({ processId: z.string(), itemId: z.string().optional() })),
});
export const ToolCall = z.looseObject({
  callId: z.string(),
  tool: z.string(),
  arguments: z.unknown().optional(),
});
export const Resolved = z.looseObject({ requestId: z.union([z.number(), z.string()]) });
