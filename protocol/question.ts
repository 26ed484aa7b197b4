import { z } from 'zod';
import { textOf } from './bounded';
import { At, CallId, HandleId, QuestionId, SessionId, TurnId } from './ids';
import { Image } from './message';
import { PROMPT_BYTES } from './limits';

/** A call whose result a client supplies, mostly by asking a person (C1). */
export const Question = z.object({
  id: QuestionId,
  session: SessionId,
  turn: TurnId,
  call: CallId,
  parent: CallId.optional(),
  handle: HandleId.optional(),
  tool: z.string(),
  title: z.string(),
  args: z.unknown(),
  askedAt: At,
  lapsesAt: At.optional(),
  /** The client that took it (`question/take`), or to which it was delivered. */
  owner: z.string().optional(),
  /** False for a call that a client answers without a person: it is in no list of what waits for one. */
  person: z.literal(false).optional(),
});
export type Question = z.infer<typeof Question>;

export const Answer = z.union([
  z.object({ text: textOf(PROMPT_BYTES), images: z.array(Image).max(16).optional() }),
  z.object({ error: z.string().max(4096) }),
]);
export type Answer = z.infer<typeof Answer>;

export const QuestionAnswer = z.object({
  question: QuestionId,
  answer: Answer,
  by: z.string().min(1).max(128).optional(),
});
export const QuestionAnswered = z.object({ question: QuestionId, by: z.string(), at: At });
