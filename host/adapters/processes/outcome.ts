/** What a command's end is told as: to the model as a result, to its handle as an end (X7). */
import { existsSync } from 'node:fs';
import type { CallResult, StopReason, StopReport } from '../../engine/ports';
import type { Outputs } from './outputs';
import { Unanswered } from './starter';
import { say } from '../../../protocol';

export interface Exit {
  readonly code: number | null;
  /** Its name, such as `SIGKILL`. */
  readonly signal: string | null;
}

/** Why a command came to its end. */
export type Cause =
  | { readonly kind: 'ended' }
  /** Who had started it went, and with it whoever could have seen its end. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'timed_out'; readonly ms: number }
  | { readonly kind: 'stopped'; readonly reason: StopReason };

export function resultOf(
  cause: Cause,
  exit: Exit | undefined,
  outputs: Outputs,
  report: StopReport | undefined,
): CallResult {
  if (cause.kind === 'ended') return ended(exit ?? { code: null, signal: null }, outputs);
  if (cause.kind === 'lost') return brokenOff(new Unanswered(), outputs);
  const told = cause.kind === 'timed_out' ? timedOut(cause.ms) : STOPPED[cause.reason];
  const survivors = report?.survivors ?? [];
  return {
    output: {
      error: told.error,
      detail: leftTold(told.detail, report),
      ...(cause.kind === 'timed_out' ? { timed_out: true } : {}),
      ...outputs.shown(),
      ...howIt(exit, report),
      success: false,
      ...(survivors.length === 0 ? {} : { survivors }),
    },
    failed: true,
    ...keptOf(outputs),
    end: { end: told.end, ...(report?.signal === undefined ? {} : { signal: report.signal }) },
  };
}

/** Nothing is said to have ended that was not seen to (X5). */
function leftTold(why: string, report: StopReport | undefined): string {
  if (report === undefined || report.stopped) return why;
  return report.survivors.length === 0
    ? say('{why} Whether all that it had started has ended could not be seen.', { why })
    : say('{why} Still running: {pids}.', { why, pids: report.survivors.join(', ') });
}

/** By what a stopped command ended: a signal, or the code with which it left when it was asked to (X5). */
function howIt(exit: Exit | undefined, report: StopReport | undefined): Record<string, unknown> {
  if (exit !== undefined && exit.code !== null) return { exit_code: exit.code };
  const signal = exit?.signal ?? report?.signal;
  return signal === undefined ? {} : { signal };
}

/** Stopped before it had started. */
export function neverStarted(reason: StopReason): CallResult {
  const { error, end } = STOPPED[reason];
  return {
    output: {
      error,
      detail: say('It was stopped before it had started.'),
      stdout: '',
      stderr: '',
      success: false,
    },
    failed: true,
    ran: false,
    end: { end },
  };
}

/** It ran, and its end could not be seen or told (R5). */
export function brokenOff(error: unknown, outputs: Outputs): CallResult {
  const why = error instanceof Error ? error.message : String(error);
  return {
    output: {
      error: 'tool_failed',
      detail: say('How the command ended could not be found out: {why}', { why }),
      ...outputs.shown(),
      success: false,
    },
    failed: true,
    ...keptOf(outputs),
    end: { end: 'failed' },
  };
}

/** `launch` refused, or the system could not start it. */
export function failedToStart(
  error: unknown,
  request: { readonly file: string; readonly folder: string },
): CallResult {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'host_paused') {
    const detail = 'Paused before it started: nothing was run.';
    return {
      output: { error: 'host_paused', detail },
      failed: true,
      ran: false,
      end: { end: 'host_paused' },
    };
  }
  const detail =
    code === 'ENOENT'
      ? `${existsSync(request.folder) ? request.file : request.folder} does not exist.`
      : code === 'EAGAIN' || code === 'EMFILE' || code === 'ENFILE'
        ? 'The system can start no more processes now.'
        : `It could not be started: ${error instanceof Error ? error.message : String(error)}`;
  return { output: { error: 'tool_failed', detail }, failed: true, ran: false, end: { end: 'failed' } };
}

const keptOf = (outputs: Outputs): Pick<CallResult, 'kept'> => {
  const kept = outputs.cut();
  return kept.length === 0 ? {} : { kept };
};

function ended(exit: Exit, outputs: Outputs): CallResult {
  const success = exit.code === 0;
  const how = exit.code === null ? { signal: exit.signal ?? 'unknown' } : { exit_code: exit.code };
  return {
    output: { ...outputs.shown(), ...how, success },
    failed: !success,
    ...keptOf(outputs),
    end:
      exit.code === null
        ? { end: 'signalled', signal: exit.signal ?? 'unknown' }
        : { end: 'exited', exitCode: exit.code },
  };
}

const STOPPED = {
  cancelled: {
    error: 'cancelled',
    end: 'stopped',
    detail: say('The turn was interrupted and the command ended.'),
  },
  host_paused: {
    error: 'host_paused',
    end: 'host_paused',
    detail: say('The person paused everything; the command was ended.'),
  },
  host_stopped: {
    error: 'stopped',
    end: 'stopped',
    detail: say('Belay was shutting down and ended the command.'),
  },
  stopped: { error: 'stopped', end: 'stopped', detail: say('The command was stopped.') },
  superseded: {
    error: 'cancelled',
    end: 'stopped',
    detail: say('The command was replaced by another call and ended.'),
  },
} as const satisfies Record<StopReason, unknown>;

function timedOut(ms: number): { error: string; end: 'timed_out'; detail: string } {
  return {
    error: 'timed_out',
    end: 'timed_out',
    detail: say('It had not ended after {ms} ms and was ended.', { ms }),
  };
}
