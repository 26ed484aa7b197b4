import { z } from 'zod';
import { Edited } from './approval';
import { At, CallId, HandleId, SessionId, TurnId } from './ids';

export const AuditEntry = z.object({
  id: z.number().int(),
  session: SessionId,
  turn: TurnId,
  call: CallId,
  parent: CallId.optional(),
  handle: HandleId.optional(),
  tool: z.string(),
  title: z.string(),
  /** The person has changed the command before allowing it. */
  edited: Edited.optional(),
  why: z.string(),
  /** The rule or mode that decided without a person. */
  rule: z.string().optional(),
  decision: z.enum(['allow', 'deny']).optional(),
  by: z.string().optional(),
  askedAt: At,
  decidedAt: At.optional(),
  startedAt: At.optional(),
  endedAt: At.optional(),
  ran: z.boolean(),
  outcome: z.string().optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Which audit entries are wanted; none of it means all. */
export const AuditFilter = {
  session: SessionId.optional(),
  /** Part of a title or a tool's name, in any case. */
  text: z.string().min(1).max(256).optional(),
  /** `none`: nothing and nobody has decided. */
  decision: z.enum(['allow', 'deny', 'none']).optional(),
};
