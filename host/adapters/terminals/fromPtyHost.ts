/** What the PTY host says to the host, in order, over the same channel. Parsed by the host. */
import { z } from 'zod';

/** Number of a terminal within its PTY host. */
const id = z.number().int().positive();
const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

export const FromPtyHost = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('opened'), id, pid: z.number().int().positive() }),
  /** Nothing was started and nothing will be. */
  z.object({
    kind: z.literal('refused'),
    id,
    why: z.enum(['paused', 'cancelled', 'failed']),
    detail: z.string(),
  }),
  /** `omitted` bytes before these were dropped: the host did not take them in time (R10). */
  z.object({ kind: z.literal('output'), id, data: bytes, omitted: z.number().int().nonnegative() }),
  /** So many bytes of input have been taken by the program's side, or dropped. */
  z.object({ kind: z.literal('taken'), id, bytes: z.number().int().nonnegative() }),
  /** Behind the last output. */
  z.object({
    kind: z.literal('exited'),
    id,
    code: z.number().int().optional(),
    signal: z.string().optional(),
  }),
]);
export type FromPtyHost = z.infer<typeof FromPtyHost>;
