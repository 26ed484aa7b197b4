import { z } from 'zod';

/** Every id is a short string made by the host; a client never invents one, but for `clientId`. */
const id = z.string().min(1).max(64);

export const SessionId = id.brand<'SessionId'>();
export type SessionId = z.infer<typeof SessionId>;

export const MessageId = id.brand<'MessageId'>();
export type MessageId = z.infer<typeof MessageId>;

export const TurnId = id.brand<'TurnId'>();
export type TurnId = z.infer<typeof TurnId>;

/** The model's own id of a tool call, unique within its turn. Another turn may use it again (L13). */
export const CallId = z.string().min(1).max(256).brand<'CallId'>();
export type CallId = z.infer<typeof CallId>;

export const ApprovalId = id.brand<'ApprovalId'>();
export type ApprovalId = z.infer<typeof ApprovalId>;

export const QuestionId = id.brand<'QuestionId'>();
export type QuestionId = z.infer<typeof QuestionId>;

export const RuleId = id.brand<'RuleId'>();
export type RuleId = z.infer<typeof RuleId>;

/** `proc:N`, N > 0 without leading zero; N is never used again in the store's life. */
export const HandleId = z
  .string()
  .regex(/^proc:[1-9]\d{0,14}$/)
  .brand<'HandleId'>();
export type HandleId = z.infer<typeof HandleId>;

/** Milliseconds since 1970. */
export const At = z.number().int().nonnegative();
