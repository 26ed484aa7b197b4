/** What a terminal's end is told as: to the model as a result, to its handle as an end (X7). */
import { existsSync } from 'node:fs';
import type { CallResult, StopReason, StopReport } from '../../engine/ports';
import type { TerminalLook } from '../../engine/terminalPort';
import { say } from '../../../protocol';

/** Why a terminal came to its end. */
export type Cause =
  | { readonly kind: 'ended' }
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  /** The PTY host has gone, and with it the terminal. */
  | { readonly kind: 'lost' };

export interface TerminalExit {
  readonly code?: number | undefined;
  readonly signal?: string | undefined;
}

export function resultOf(
  cause: Cause,
  exit: TerminalExit | undefined,
  look: TerminalLook,
  report: StopReport,
): CallResult {
  const rest = { ...look.fields, running: false };
  const kept = look.kept === undefined ? {} : { kept: look.kept };
  if (cause.kind === 'ended') return { ...ended(exit, rest), ...kept };
  const told = cause.kind === 'lost' ? LOST : STOPPED[cause.reason];
  const { survivors } = report;
  const signal = report.signal ?? exit?.signal;
  return {
    output: {
      ...rest,
      error: told.error,
      detail: leftTold(told.detail, report),
      ...(signal === undefined ? {} : { signal }),
      success: false,
      ...(survivors.length === 0 ? {} : { survivors }),
    },
    failed: true,
    ...kept,
    end: { end: told.end, ...(signal === undefined ? {} : { signal }) },
  };
}

/** Nothing is said to have ended that was not seen to (X5). */
function leftTold(why: string, report: StopReport): string {
  if (report.stopped) return why;
  return report.survivors.length === 0
    ? say('{why} Whether all that it had started has ended could not be seen.', { why })
    : say('{why} Still running: {pids}.', { why, pids: report.survivors.join(', ') });
}

function ended(exit: TerminalExit | undefined, rest: Readonly<Record<string, unknown>>): CallResult {
  const code = exit?.code;
  if (code === undefined) {
    const signal = exit?.signal ?? 'unknown';
    return { output: { ...rest, signal, success: false }, failed: true, end: { end: 'signalled', signal } };
  }
  const success = code === 0;
  return {
    output: { ...rest, exit_code: code, success },
    failed: !success,
    end: { end: 'exited', exitCode: code },
  };
}

/** Stopped before its program was started: none has been, and none will be (P3). */
export function neverStarted(reason: StopReason): CallResult {
  const { error, end } = STOPPED[reason];
  return {
    output: {
      error,
      detail: say('The terminal was still being prepared: its program has not started.'),
      output: '',
      running: false,
      success: false,
    },
    failed: true,
    ran: false,
    end: { end },
  };
}

/** It ran, and its end could not be seen or told (R5). */
export function brokenOff(error: unknown): CallResult {
  const why = error instanceof Error ? error.message : String(error);
  const detail = `How the terminal ended could not be found out: ${why}`;
  return {
    output: { error: 'tool_failed', detail, running: false, success: false },
    failed: true,
    end: { end: 'failed' },
  };
}

export function failedToStart(error: unknown, folder: string): CallResult {
  if (error instanceof Error && 'code' in error && error.code === 'host_paused') {
    const detail = 'Paused before it started: nothing was run.';
    return {
      output: { error: 'host_paused', detail },
      failed: true,
      ran: false,
      end: { end: 'host_paused' },
    };
  }
  const why = error instanceof Error ? error.message : String(error);
  const detail = existsSync(folder)
    ? `The terminal could not be opened: ${why}`
    : `${folder} does not exist.`;
  return { output: { error: 'tool_failed', detail }, failed: true, ran: false, end: { end: 'failed' } };
}

const STOPPED = {
  cancelled: {
    error: 'cancelled',
    end: 'stopped',
    detail: say('The turn was interrupted and the terminal ended.'),
  },
  host_paused: {
    error: 'host_paused',
    end: 'host_paused',
    detail: say('The person paused everything; the terminal was ended.'),
  },
  host_stopped: {
    error: 'stopped',
    end: 'stopped',
    detail: say('Belay was shutting down and ended the terminal.'),
  },
  stopped: { error: 'stopped', end: 'stopped', detail: say('The terminal was stopped.') },
  superseded: {
    error: 'cancelled',
    end: 'stopped',
    detail: say('The call was replaced by another one and the terminal ended.'),
  },
} as const satisfies Record<StopReason, unknown>;

const LOST = {
  error: 'lost',
  end: 'lost',
  detail: say('The process that held the terminal has ended: what its program had done is unknown.'),
} as const;
