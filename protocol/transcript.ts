import { z } from 'zod';
import { At, CallId, HandleId, MessageId, SessionId, TurnId } from './ids';
import { ChangeKind } from './change';
import { Context, Image } from './message';
import { StoppedBy } from './harness';
import { TurnStatus, Usage } from './session';
import { TurnCode } from './errors';
import { Edited, Verdict } from './approval';
import { HandleEnd, WaitsFor } from './handle';

/** How a call stands, as the transcript shows it. */
export const CallState = z.enum([
  'planned',
  'asking',
  'allowed',
  'running',
  'lifted',
  'completed',
  'failed',
  'denied',
]);
export type CallState = z.infer<typeof CallState>;

export const CallPart = z.object({
  kind: z.literal('call'),
  call_id: CallId,
  parent: CallId.optional(),
  step: z.number().int(),
  tool: z.string(),
  title: z.string(),
  args: z.unknown(),
  /** A person has changed its command: `title` and `args` are those of the changed one. */
  edited: Edited.optional(),
  state: CallState,
  asks: WaitsFor.optional(),
  verdict: z.object({ decision: Verdict, by: z.string(), reason: z.string().optional(), at: At }).optional(),
  /** The rule or mode that let it run, where nobody was asked. */
  rule: z.string().optional(),
  handle: HandleId.optional(),
  /** How the work under its handle ended; without it, it has not, or has no handle. */
  handle_end: z
    .object({
      end: HandleEnd,
      ran_ms: z.number().nonnegative().optional(),
      exit_code: z.number().int().optional(),
      signal: z.string().optional(),
      at: At,
    })
    .optional(),
  /** Live output while it runs; the result replaces it. */
  output: z.string().optional(),
  result: z.unknown().optional(),
  images: z.array(Image).optional(),
  startedAt: At.optional(),
  endedAt: At.optional(),
});
export type CallPart = z.infer<typeof CallPart>;

export const Part = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('message'),
    message: MessageId,
    step: z.number().int(),
    text: z.string(),
    images: z.array(Image).optional(),
    context: z.array(Context).optional(),
    at: At,
  }),
  z.object({
    kind: z.literal('reasoning'),
    step: z.number().int(),
    text: z.string(),
    streaming: z.boolean(),
  }),
  z.object({
    kind: z.literal('text'),
    step: z.number().int(),
    text: z.string(),
    streaming: z.boolean(),
    partial: z.boolean().optional(),
  }),
  CallPart,
  z.object({
    kind: z.literal('lift'),
    call_id: CallId,
    handle: HandleId,
    title: z.string(),
    waits_for: WaitsFor.optional(),
    at: At,
  }),
  z.object({
    kind: z.literal('lifted_end'),
    call_id: CallId,
    handle: HandleId,
    title: z.string(),
    outcome: z.string(),
    by: z.string().optional(),
    at: At,
  }),
  z.object({ kind: z.literal('note'), handle: HandleId, text: z.string(), at: At }),
  z.object({
    kind: z.literal('retry'),
    attempt: z.number().int(),
    attempts: z.number().int(),
    code: TurnCode,
    detail: z.string(),
    delayMs: z.number(),
    at: At,
  }),
  /** Work that an outside agent had left running ended with its process (H3). */
  z.object({ kind: z.literal('killed_work'), killed: z.array(z.string()), resumed: z.boolean(), at: At }),
  /** What the folder's own instructions come to from here on; `why` they are not told. */
  z.object({
    kind: z.literal('project'),
    path: z.string(),
    bytes: z.number().int(),
    of: z.number().int().optional(),
    why: z.string().optional(),
    at: At,
  }),
  z.object({ kind: z.literal('compaction_asked'), by: z.string(), at: At }),
  z.object({ kind: z.literal('compacted'), summary: z.string(), at: At }),
]);
export type Part = z.infer<typeof Part>;

/** One turn as a person reads it: a fold of its events. */
export const TurnView = z.object({
  turn: TurnId,
  session: SessionId,
  status: TurnStatus,
  code: TurnCode.optional(),
  detail: z.string().optional(),
  model: z.string(),
  cause: z.enum(['message', 'continue', 'wake']),
  startedAt: At,
  endedAt: At.optional(),
  usage: Usage.optional(),
  /** Calls of it that wait for a person now, and since when one does. */
  asks: z.object({ calls: z.array(CallId), since: At }).optional(),
  /** For how long it has waited for a person, ms; without what it waits for now. */
  waitedMs: z.number().optional(),
  /** Tokens of the newest request and its answer, which the next one begins with; none after a compaction. */
  context: z.object({ model: z.string(), tokens: z.number() }).optional(),
  stoppedBy: StoppedBy.optional(),
  /** Only while its status is `paced`: until when, and why (`model_overloaded` is the provider's limit). */
  paced: z.object({ resumeAt: At, code: TurnCode.optional() }).optional(),
  parts: z.array(Part),
  /** Files that tools have changed in it and that were not put back, in the order of their first change. */
  changes: z.array(z.object({ path: z.string(), kind: ChangeKind })).optional(),
});
export type TurnView = z.infer<typeof TurnView>;
