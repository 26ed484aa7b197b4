import { z } from 'zod';
import { textOf } from './bounded';
import { INSTRUCTIONS_BYTES } from './limits';
import { At, SessionId, TurnId } from './ids';
import { TurnCode } from './errors';

/** Who works in a session: a model, or an outside agent. */
export const Agent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('model'), model: z.string().min(1).max(256) }),
  z.object({
    kind: z.literal('harness'),
    harness: z.string().min(1).max(128),
    model: z.string().max(256).optional(),
  }),
]);
export type Agent = z.infer<typeof Agent>;

/** `ask`: only reads inside the workspace are free. `edits`: edits inside it too. `full`: only rules ask (A1). */
export const Mode = z.enum(['ask', 'edits', 'full']);
export type Mode = z.infer<typeof Mode>;

/** Status of a turn; the last three are ends. */
export const TurnStatus = z.enum([
  'queued',
  'running',
  'waiting',
  'paced',
  'paused',
  'completed',
  'failed',
  'interrupted',
]);
export type TurnStatus = z.infer<typeof TurnStatus>;

/** Tokens and cost (T9); `costUsd` only where the provider's price is known. */
export const Usage = z.object({
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  cachedTokens: z.number().int().nonnegative(),
  costUsd: z.number().nonnegative().optional(),
});
export type Usage = z.infer<typeof Usage>;
export const NOTHING_USED: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

/** The state of a session: `idle`, or the status of its unfinished turn. */
export const SessionState = z.enum(['idle', 'queued', 'running', 'waiting', 'paced', 'paused']);
export type SessionState = z.infer<typeof SessionState>;

export const Session = z.object({
  id: SessionId,
  title: z.string(),
  /** Absolute path of the folder in which its turns work. */
  folder: z.string(),
  agent: Agent,
  mode: Mode,
  instructions: z.string().optional(),
  archived: z.boolean(),
  state: SessionState,
  /** The unfinished turn. */
  turn: TurnId.optional(),
  /** How the newest turn ended; absent while one is unfinished. */
  ended: z.object({ turn: TurnId, status: TurnStatus, code: TurnCode.optional(), at: At }).optional(),
  usage: Usage,
  createdAt: At,
  updatedAt: At,
});
export type Session = z.infer<typeof Session>;

export const SessionCreate = z.object({
  folder: z.string().min(1).max(4096),
  agent: Agent,
  title: z.string().max(256).optional(),
  mode: Mode.optional(),
  instructions: textOf(INSTRUCTIONS_BYTES).optional(),
  tools: z.array(z.string().max(128)).max(256).optional(),
});

export const SessionUpdate = z.object({
  session: SessionId,
  title: z.string().min(1).max(256).optional(),
  mode: Mode.optional(),
  agent: Agent.optional(),
  instructions: textOf(INSTRUCTIONS_BYTES).optional(),
  archived: z.boolean().optional(),
});

/** A session that was made from the past of another, and what of that was left out, as sentences for the person. */
export const SessionCopied = z.object({ session: Session, warnings: z.array(z.string()) });
