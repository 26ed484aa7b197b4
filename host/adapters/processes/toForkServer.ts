/**
 * What the host says to the fork server, in order, over the channel of a forked process. Parsed there: they are two programs.
 * By zod's small form, which makes the start of the smaller one a third shorter.
 */
import * as z from 'zod/mini';

/** Number of a start, or of an order of pipes: the host counts both together. */
const id = z.int().check(z.positive());
/** Number of a pair of pipes within its fork server. */
const pair = z.int().check(z.positive());

export const ToForkServer = z.discriminatedUnion('kind', [
  /** Starts a program; refused when the cord was pulled after `epoch`, under which it was decided (P2). */
  z.object({
    kind: z.literal('start'),
    id,
    epoch: z.int(),
    file: z.string(),
    args: z.array(z.string()),
    cwd: z.string(),
    env: z.record(z.string(), z.string()),
    /** Whose writing ends become the program's outputs. A refused start leaves them as they were. */
    pair,
  }),
  /** The cord was pulled: nothing that was decided before `epoch` starts any more. */
  z.object({ kind: z.literal('cord'), epoch: z.int() }),
  /** Nobody wants it any more: it is not started, if it has not been. */
  z.object({ kind: z.literal('cancel'), id }),
  /** Makes pipes for programs to come. */
  z.object({ kind: z.literal('order'), id }),
  /** The end that came last for this order has arrived: the next may be sent. */
  z.object({ kind: z.literal('taken'), id }),
]);
export type ToForkServer = z.infer<typeof ToForkServer>;
