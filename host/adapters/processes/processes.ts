/**
 * Commands and programs of this host, and their end with it (X1 to X8).
 *
 * Owns the places, the watchdog and the host's mark. Made once by `compose.ts`. Costs nothing until the first
 * command. 1. Each process carries the host's mark and its command's. 2. Each is watched before it starts.
 */
import { availableParallelism } from 'node:os';
import { SHELL_MS } from '../../../protocol';
import type { Clock } from '../../base/clock';
import { spawnProcess } from '../../base/effects';
import type { Launch } from '../../base/launch';
import type { Log } from '../../base/log';
import type { Secrets } from '../../base/redact';
import type { Run } from '../../engine/ports';
import { CommandRun, type CommandRequest, type Room, type Started } from './command';
import { environment } from './environment';
import { PosixFamily, RUN_MARK } from './family';
import { HOST_MARK, type HostMark } from './hostMark';
import { linuxTable } from './linuxTable';
import type { OnOutput } from './outputs';
import { Places } from './places';
import { shellProgram } from './shellProgram';
import type { ProcessTable } from './table';
import { Watchdog } from './watchdog';

export interface ProcessesOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** This host's mark, from `hostMark`. */
  readonly mark: HostMark;
  readonly secrets: () => Secrets;
  /** Running time of a foreground command without a limit of its own, ms. */
  readonly defaultMs?: number;
  /** Processes that run at once. */
  readonly places?: number;
  readonly table?: ProcessTable;
}

/** Processes a core: enough for any agent, few enough that a machine stays usable. */
const PLACES_A_CORE = 64;

export interface Processes {
  /** Runs a shell command; never throws. */
  command(request: CommandRequest, launch: Launch, onOutput: OnOutput): Run;
  /** Ends what still runs with the help of the watchdog. */
  dispose(): Promise<void>;
}

export function createProcesses(options: ProcessesOptions): Processes {
  const { clock, secrets, mark } = options;
  const shell = shellProgram(process.platform);
  const watchdog = new Watchdog(mark.text, { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }, options.log);
  const table = options.table ?? linuxTable(clock);
  let runs = 0;

  const start = (
    launch: Launch,
    request: CommandRequest,
    isRunning: () => boolean,
  ): Started | Promise<never> => {
    runs += 1;
    const run = `${mark.host}.${runs}`;
    const env = environment(process.env, secrets(), { [HOST_MARK]: mark.text, [RUN_MARK]: run });
    watchdog.start(launch);
    const child = spawnProcess(launch, shell.file, shell.args(request.command), { cwd: request.folder, env });
    const leader = child.pid;
    if (leader === undefined) return new Promise((_, fail) => child.on('error', fail));
    watchdog.add(leader);
    const family = new PosixFamily({ table, clock, leader, mark: run, isRunning });
    return { child, family, release: () => watchdog.remove(leader) };
  };

  const room: Room = {
    clock,
    places: new Places(options.places ?? PLACES_A_CORE * availableParallelism()),
    defaultMs: options.defaultMs ?? SHELL_MS,
    secrets,
    start,
  };
  return {
    command: (request, launch, onOutput) => new CommandRun(request, room, launch, onOutput),
    dispose: () => watchdog.dispose(),
  };
}
