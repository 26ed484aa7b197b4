import { z } from 'zod';
import { Image } from './message';

/** The provider whose models are the editor's own. */
export const EDITOR_PROVIDER = 'editor';

/** A tool as a model is told of it; `schema` is a JSON schema of an object. */
export const ToolSpec = z.object({
  name: z.string(),
  description: z.string(),
  schema: z.record(z.string(), z.unknown()),
});
export type ToolSpec = z.infer<typeof ToolSpec>;

/** A tool call as a model wrote it; `args` is its text, JSON or not. */
export const PlannedCall = z.object({ callId: z.string(), tool: z.string(), args: z.string() });
export type PlannedCall = z.infer<typeof PlannedCall>;

/** One entry of the conversation as it is sent to a model. */
export const ContextItem = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('user'), text: z.string(), images: z.array(Image).optional() }),
  z.object({
    kind: z.literal('assistant'),
    text: z.string(),
    calls: z.array(PlannedCall),
    /** The provider's own blocks, kept for the provider that made them (signed reasoning); others ignore it. */
    native: z.object({ family: z.string(), model: z.string(), blocks: z.unknown() }).optional(),
  }),
  z.object({
    kind: z.literal('result'),
    callId: z.string(),
    tool: z.string(),
    /** JSON text. */
    output: z.string(),
    images: z.array(Image).optional(),
    failed: z.boolean(),
  }),
]);
export type ContextItem = z.infer<typeof ContextItem>;

/** A request to one of the editor's own models (`vscode.lm`), from the host to the client. */
export const ModelRequest = z.object({
  request: z.string(),
  model: z.string(),
  system: z.string(),
  items: z.array(ContextItem),
  tools: z.array(ToolSpec),
  /** The cord's epoch under which it was decided: a client that knows a newer one refuses (P2). */
  epoch: z.number().int(),
});
export type ModelRequest = z.infer<typeof ModelRequest>;

/** A piece of the answer to `model/request`, from the client to the host while it streams. */
export const ModelPart = z.object({
  request: z.string(),
  part: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text: z.string() }),
    z.object({ kind: z.literal('reasoning'), text: z.string() }),
    z.object({ kind: z.literal('call'), call: PlannedCall }),
  ]),
});
export type ModelPart = z.infer<typeof ModelPart>;

export const ModelDone = z.object({
  stop: z.enum(['end', 'calls', 'length', 'refusal']),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number(), cachedTokens: z.number() }).optional(),
});
export type ModelDone = z.infer<typeof ModelDone>;
