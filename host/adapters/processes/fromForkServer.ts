/** What the fork server says to the host, in order, over the same channel. Parsed by the host. */
import { z } from 'zod';

/** Number of a start, or of an order of pipes: the host counts both together. */
const id = z.number().int().positive();
/** Number of a pair of pipes within its fork server. */
const pair = z.number().int().positive();

export const FromForkServer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('started'), id, pid: z.number().int().positive() }),
  /** Nothing was started and nothing will be. `code` is the system's, such as `ENOENT`. */
  z.object({
    kind: z.literal('refused'),
    id,
    why: z.enum(['paused', 'cancelled', 'failed']),
    code: z.string(),
    detail: z.string(),
  }),
  z.object({
    kind: z.literal('exited'),
    id,
    code: z.number().int().nullable(),
    signal: z.string().nullable(),
  }),
  /** Comes with the reading end of one of a pair's two pipes, whose writing end is open already. */
  z.object({ kind: z.literal('pipe'), id, pair, stream: z.enum(['stdout', 'stderr']) }),
  /** All that was ordered has been sent. */
  z.object({ kind: z.literal('stocked'), id }),
  z.object({ kind: z.literal('unable'), id, detail: z.string() }),
]);
export type FromForkServer = z.infer<typeof FromForkServer>;
