/**
 * What the host says to the PTY host, in order, over the channel of a forked process. Parsed there: they are two programs.
 * By zod's small form, which makes the start of the smaller one a third shorter.
 */
import * as z from 'zod/mini';

/** Number of a terminal within its PTY host. */
const id = z.int().check(z.positive());
const size = z.int().check(z.minimum(1), z.maximum(1_000));
const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

export const ToPtyHost = z.discriminatedUnion('kind', [
  /** Starts a program; refused when the cord was pulled after `epoch`, under which it was decided (P2). */
  z.object({
    kind: z.literal('open'),
    id,
    epoch: z.int(),
    file: z.string(),
    args: z.array(z.string()),
    cwd: z.string(),
    env: z.record(z.string(), z.string()),
    cols: size,
    rows: size,
  }),
  /** The cord was pulled: nothing that was decided before `epoch` starts any more. */
  z.object({ kind: z.literal('cord'), epoch: z.int() }),
  /** Nobody wants it any more: it is not started, if it has not been. */
  z.object({ kind: z.literal('cancel'), id }),
  z.object({ kind: z.literal('input'), id, data: bytes }),
  /** Input that the program has not taken yet is dropped. */
  z.object({ kind: z.literal('drop'), id }),
  z.object({ kind: z.literal('resize'), id, cols: size, rows: size }),
  /** So many bytes of output have arrived: as many more may be sent. */
  z.object({ kind: z.literal('taken'), id, bytes: z.int().check(z.nonnegative()) }),
  /** Hangs up, whatever still runs. */
  z.object({ kind: z.literal('close'), id }),
]);
export type ToPtyHost = z.infer<typeof ToPtyHost>;
