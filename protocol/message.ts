import { z } from 'zod';
import { textOf } from './bounded';
import { At, MessageId, SessionId, TurnId } from './ids';
import { Handed } from './harness';
import { IMAGE_BYTES, IMAGES_PER_MESSAGE, PROMPT_BYTES } from './limits';

/** A picture as base64 with its type. */
export const Image = z.object({
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  data: z
    .base64()
    .min(4)
    .max(Math.ceil((IMAGE_BYTES * 4) / 3) + 4),
});
export type Image = z.infer<typeof Image>;

/** Something the person attached: what it is, and its text as the model gets it. */
export const Context = z.object({
  kind: z.enum(['file', 'folder', 'selection', 'problems', 'terminal']),
  /** Absolute; of a terminal, its name. */
  path: z.string().max(4096),
  /** First and last line, counted from 1, of a selection. */
  range: z.tuple([z.number().int().positive(), z.number().int().positive()]).optional(),
  text: textOf(PROMPT_BYTES).optional(),
});
export type Context = z.infer<typeof Context>;

/** `steer`: read at the next boundary, lifting waits; `queue`: the next turn; `reject`: refused while busy (T3). */
export const Delivery = z.enum(['steer', 'queue', 'reject']);
export type Delivery = z.infer<typeof Delivery>;

export const Message = z.object({
  id: MessageId,
  session: SessionId,
  text: z.string(),
  images: z.array(Image).optional(),
  context: z.array(Context).optional(),
  delivery: Delivery,
  /** `accepted` until a turn has read it (T4). */
  state: z.enum(['accepted', 'read', 'removed']),
  /** It was handed to an outside agent, which has not read it yet: it can be neither changed nor removed. */
  handed: Handed.optional(),
  turn: TurnId.optional(),
  /** The number of model answers that the turn had when it read the message. */
  step: z.number().int().nonnegative().optional(),
  at: At,
  clientId: z.string().optional(),
});
export type Message = z.infer<typeof Message>;

export const MessageSend = z.object({
  session: SessionId,
  text: textOf(PROMPT_BYTES),
  images: z.array(Image).max(IMAGES_PER_MESSAGE).optional(),
  context: z.array(Context).max(64).optional(),
  delivery: Delivery.optional(),
  /** The client's own id of the request: sent twice, it returns the same message (T1). */
  clientId: z.string().min(1).max(128).optional(),
  /** Refused with `turn_stale` unless this turn is the unfinished one. */
  expectedTurn: TurnId.optional(),
});

export const MessageSent = z.object({
  message: Message,
  turn: TurnId.optional(),
  state: z.enum(['started', 'steering', 'queued']),
});
