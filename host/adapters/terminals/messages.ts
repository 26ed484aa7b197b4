/**
 * What the host and the PTY host say to each other, in order, over the channel of a forked process. Parsed on
 * both sides: they are two programs.
 */
import { z } from 'zod';

/** Number of a terminal within its PTY host. */
const id = z.number().int().positive();
const size = z.number().int().min(1).max(1_000);
const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

export const ToPtyHost = z.discriminatedUnion('kind', [
  /** Starts a program; refused when the cord was pulled after `epoch`, under which it was decided (P2). */
  z.object({
    kind: z.literal('open'),
    id,
    epoch: z.number().int(),
    file: z.string(),
    args: z.array(z.string()),
    cwd: z.string(),
    env: z.record(z.string(), z.string()),
    cols: size,
    rows: size,
  }),
  /** The cord was pulled: nothing that was decided before `epoch` starts any more. */
  z.object({ kind: z.literal('cord'), epoch: z.number().int() }),
  /** Nobody wants it any more: it is not started, if it has not been. */
  z.object({ kind: z.literal('cancel'), id }),
  z.object({ kind: z.literal('input'), id, data: bytes }),
  /** Input that the program has not taken yet is dropped. */
  z.object({ kind: z.literal('drop'), id }),
  z.object({ kind: z.literal('resize'), id, cols: size, rows: size }),
  /** So many bytes of output have arrived: as many more may be sent. */
  z.object({ kind: z.literal('taken'), id, bytes: z.number().int().nonnegative() }),
  /** Hangs up, whatever still runs. */
  z.object({ kind: z.literal('close'), id }),
]);
export type ToPtyHost = z.infer<typeof ToPtyHost>;

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
