/**
 * A program that is talked to for as long as it lives, such as an MCP server (M3).
 *
 * Owns its child and its family. 1. `end` closes its input, waits, then goes up the ladder, and settles when the
 * whole tree has been seen gone or its survivors are known. 2. It ends once; asking again gives the same report.
 */
import { STOP_STEP_MS } from '../../../protocol';
import type { Clock } from '../../base/clock';
import type { TalkingChild } from '../../base/effects';
import type { StopReport } from '../../engine/ports';
import type { Family } from './family';
import { LADDER } from './stop';

export interface ServiceRequest {
  /** A name that is looked up, or an absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute path. */
  readonly folder: string;
  /** Set on top of a command's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** How its first process ended: with a code, by a signal, or by what kept it from starting. */
export interface ServiceExit {
  readonly code?: number;
  readonly signal?: string;
  readonly error?: Error;
}

export interface Service {
  readonly child: TalkingChild;
  /** Settles once, with the end of the first process or what kept it from starting; never rejects. */
  readonly exited: Promise<ServiceExit>;
  end(): Promise<StopReport>;
}

/** What a service needs around it; `family` is absent for one that could not start. */
export interface ServiceRoom {
  readonly clock: Clock;
  readonly family: Family | undefined;
  /** Everything of it has been seen gone. */
  release(): void;
}

export function serviceOf(child: TalkingChild, room: ServiceRoom): Service {
  let ending: Promise<StopReport> | undefined;
  const exited = new Promise<ServiceExit>((resolve) => {
    child.on('error', (error) => {
      if (child.pid === undefined) resolve({ error });
    });
    child.on('exit', (code, signal) => {
      room.family?.nudge();
      resolve({ ...(code === null ? {} : { code }), ...(signal === null ? {} : { signal }) });
    });
  });
  // A program that does not read its input has ended or will be ended; what was meant for it is lost with it.
  child.stdin.on('error', () => undefined);
  return {
    child,
    exited,
    end: () => (ending ??= end(child, exited, room)),
  };
}

async function end(
  child: TalkingChild,
  exited: Promise<ServiceExit>,
  room: ServiceRoom,
): Promise<StopReport> {
  child.stdin.end();
  await inTime(room.clock, exited, STOP_STEP_MS);
  const report = (await room.family?.end('tree', LADDER, STOP_STEP_MS)) ?? { stopped: true, survivors: [] };
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
  if (report.stopped) room.release();
  else child.unref();
  return report;
}

/** Resolves with the end of `work`, or after `ms`. */
function inTime(clock: Clock, work: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve);
    void work.then(() => {
      timer.clear();
      resolve();
    });
  });
}
