import { z } from 'zod';
import { At, CallId, HandleId, SessionId, TurnId } from './ids';

export const WaitsFor = z.enum(['approval', 'answer']);
export type WaitsFor = z.infer<typeof WaitsFor>;

/** How work under a handle ended (X7, L9). */
export const HandleEnd = z.enum([
  'exited',
  'signalled',
  'timed_out',
  'stopped',
  'host_paused',
  'lost',
  'completed',
  'failed',
  'denied',
  'expired',
  'answered',
  'unserved',
  'withdrawn',
]);
export type HandleEnd = z.infer<typeof HandleEnd>;

/** Work that outlives its call. */
export const Handle = z.object({
  id: HandleId,
  session: SessionId,
  turn: TurnId,
  call: CallId,
  kind: z.enum(['command', 'terminal', 'script', 'call', 'question']),
  title: z.string(),
  folder: z.string(),
  /** True for a call that a message has lifted. */
  lifted: z.boolean(),
  /** `waiting` for a verdict or answer, `held` by the cord, `running`, or `ended`. */
  state: z.enum(['waiting', 'held', 'running', 'ended']),
  waitsFor: WaitsFor.optional(),
  startedAt: At,
  endedAt: At.optional(),
  end: HandleEnd.optional(),
  exitCode: z.number().int().optional(),
  signal: z.string().optional(),
});
export type Handle = z.infer<typeof Handle>;

export const HandleRead = z.object({
  handle: HandleId,
  offset: z.number().int().nonnegative().optional(),
  limit: z.number().int().positive().optional(),
});
export const HandleOutput = z.object({
  handle: Handle,
  /** Output so far from `offset`, stdout and stderr as they came. */
  output: z.string(),
  offset: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
  result: z.unknown().optional(),
});

export const HandleStopped = z.object({
  handle: HandleId,
  stopped: z.boolean(),
  ran: z.boolean(),
  survivors: z.array(z.number().int()).optional(),
});
