import { z } from 'zod';
import { textOf } from './bounded';
import { At, CallId, HandleId, SessionId, TurnId, ViewId } from './ids';
import { TERMINAL_SIDE_MOST, TYPED_BYTES } from './limits';

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
  /** Since when there is this handle. */
  startedAt: At,
  /** Since when its work runs, without the time that it waited for a person or was held; until `endedAt`. */
  runningAt: At.optional(),
  endedAt: At.optional(),
  end: HandleEnd.optional(),
  exitCode: z.number().int().optional(),
  signal: z.string().optional(),
});
export type Handle = z.infer<typeof Handle>;

export const HandleRead = z.object({
  handle: HandleId,
  /** Bytes of UTF-8, as everywhere in a handle's output; pages consist of whole characters. */
  offset: z.number().int().nonnegative().optional(),
  limit: z.number().int().positive().optional(),
  /** Of a terminal that runs: what stands on its screen now. */
  screen: z.boolean().optional(),
});

/** The screen of a terminal as text. */
export const TerminalScreen = z.object({
  /** Lines without blanks at their ends and empty lines below. */
  text: z.string(),
  /** Lines that have been scrolled away, as far as they are kept. */
  above: z.string(),
  /** From 1. */
  cursor: z.object({ row: z.number().int(), column: z.number().int() }),
  cols: z.number().int(),
  rows: z.number().int(),
  /** A program uses the whole screen, and gives the former one back at its end. */
  alternate: z.boolean(),
});
export const HandleOutput = z.object({
  handle: Handle,
  /**
   * Output so far from `offset`, stdout and stderr as they came; of a terminal, its text without colours and
   * without what was overwritten.
   */
  output: z.string(),
  offset: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
  result: z.unknown().optional(),
  screen: TerminalScreen.optional(),
});

/** Types into a terminal. What a person types is not kept; what an agent types is in its calls and in the audit. */
export const HandleWrite = z.object({
  handle: HandleId,
  text: textOf(TYPED_BYTES),
});
export const TerminalSize = z.object({
  cols: z.number().int().min(1).max(TERMINAL_SIDE_MOST),
  rows: z.number().int().min(1).max(TERMINAL_SIDE_MOST),
});
export const HandleAttached = z.object({
  view: ViewId,
  handle: Handle,
  /** The terminal's size now. */
  cols: z.number().int(),
  rows: z.number().int(),
});

/**
 * Output of a terminal on its way to one view: first all that is kept, then what comes. The host goes on
 * sending once the view has confirmed (`handle/shown`) what it was sent; the program is never slowed.
 */
export const HandleShowing = z.object({
  view: ViewId,
  handle: HandleId,
  text: z.string(),
  /** Bytes that `text` stands for, to be confirmed. */
  bytes: z.number().int().nonnegative(),
  /** Bytes before it that are gone; 0 mostly. */
  omitted: z.number().int().nonnegative(),
  /** The terminal has ended: nothing follows, and the view is no more. */
  last: z.boolean(),
});
export type HandleShowing = z.infer<typeof HandleShowing>;
export const HandleShown = z.object({ view: ViewId, bytes: z.number().int().nonnegative() });
export type HandleShown = z.infer<typeof HandleShown>;

export const HandleStopped = z.object({
  handle: HandleId,
  stopped: z.boolean(),
  ran: z.boolean(),
  survivors: z.array(z.number().int()).optional(),
});
