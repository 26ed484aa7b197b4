import { z } from 'zod';

/**
 * Every id is a short string made by the host; a client never invents one, but for `clientId`. One that the host
 * cannot have made is read as one that nothing has, so that it is told as unknown.
 */
const made = (kind: string) => {
  const pattern = new RegExp(`^${kind}[1-9]\\d{0,14}$`);
  return z
    .string()
    .min(1)
    .max(64)
    .overwrite((id) => (pattern.test(id) ? id : `${kind}0`));
};

export const SessionId = made('s').brand<'SessionId'>();
export type SessionId = z.infer<typeof SessionId>;

export const MessageId = made('m').brand<'MessageId'>();
export type MessageId = z.infer<typeof MessageId>;

export const TurnId = made('t').brand<'TurnId'>();
export type TurnId = z.infer<typeof TurnId>;

/** The model's own id of a tool call, unique within its turn. Another turn may use it again (L13). */
export const CallId = z.string().min(1).max(512).brand<'CallId'>();
export type CallId = z.infer<typeof CallId>;

export const ApprovalId = made('a').brand<'ApprovalId'>();
export type ApprovalId = z.infer<typeof ApprovalId>;

export const QuestionId = made('q').brand<'QuestionId'>();
export type QuestionId = z.infer<typeof QuestionId>;

export const RuleId = made('r').brand<'RuleId'>();
export type RuleId = z.infer<typeof RuleId>;

/** `proc:N`, N > 0 without leading zero; N is never used again in the store's life. */
export const HandleId = made('proc:').brand<'HandleId'>();
export type HandleId = z.infer<typeof HandleId>;

/** One view of a terminal, for as long as it is attached; `v1`, `v2`, … within one start of the host. */
export const ViewId = made('v').brand<'ViewId'>();
export type ViewId = z.infer<typeof ViewId>;

/** Milliseconds since 1970. */
export const At = z.number().int().nonnegative();
