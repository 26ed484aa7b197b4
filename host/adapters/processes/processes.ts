/**
 * Commands and programs of this host, and their end with it (X1 to X8).
 *
 * Owns the places, the watchdog and the numbers of runs. Made once by `compose.ts`; costs nothing until the
 * first command. 1. Each process carries the host's mark and its command's. 2. The watchdog runs before a
 * command does.
 */
import { availableParallelism } from 'node:os';
import { SHELL_MS, STOP_STEP_MS } from '../../../protocol';
import type { Clock } from '../../base/clock';
import { spawnProcess, spawnTalking, type ChildProcess } from '../../base/effects';
import type { Launch } from '../../base/launch';
import type { Log } from '../../base/log';
import type { Secrets } from '../../base/redact';
import type { Run } from '../../engine/ports';
import { environments } from './environment';
import { PosixFamily, RUN_MARK, type Family, type FamilyOptions } from './family';
import { forkedStart, type Marked } from './forkedStart';
import { HOST_MARK, type HostMark } from './hostMark';
import type { Exit } from './outcome';
import type { OnOutput } from './outputs';
import { Places } from '../../base/places';
import {
  LEFT_BEHIND_MS,
  ProgramRun,
  type ProgramRequest,
  type Room,
  type Started,
  type Starting,
} from './program';
import { serviceOf, type Service, type ServiceRequest } from './service';
import { shellProgram } from './shellProgram';
import { Starter, type StarterOptions } from './starter';
import { LADDER, TERMINAL_LADDER } from './stop';
import { sweep, type Swept } from './sweep';
import { tableOf } from './tables';
import { TalkingProgram, type Reader, type TalkingRequest } from './talkingProgram';
import { Watchdog } from './watchdog';
import { WindowsFamily } from './windowsFamily';

export interface ProcessesOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** This host's mark, from `hostMark`. */
  readonly mark: HostMark;
  /** What must reach neither a child's environment nor a result (X8). */
  readonly secrets: () => Secrets;
  /** Running time of a command without a limit of its own, ms. */
  readonly defaultMs?: () => number;
  /** Processes that run at once. */
  readonly places?: number;
  /** By whom commands are started; without it, and where it cannot be had, by this process itself. */
  readonly forkServer?: Pick<StarterOptions, 'bundle' | 'epoch'>;
}

export interface CommandRequest {
  readonly command: string;
  /** Absolute path. */
  readonly folder: string;
  /** Running time, ms; when undefined, the default one, which ends with `detach`. */
  readonly timeoutMs: number | undefined;
}

export interface Processes {
  /** The shell that runs commands. */
  readonly shell: string;
  /** Runs a shell command; never throws. */
  command(request: CommandRequest, launch: Launch, onOutput: OnOutput): Run;
  /** Runs a program without a shell, under the same conditions. */
  program(request: ProgramRequest, launch: Launch, onOutput: OnOutput): Run;
  /** Starts a program that is talked to; throws what `launch` throws, and nothing else. */
  service(request: ServiceRequest, launch: Launch): Service;
  /** Marks what this host starts by another way, watches over it, and ends it. `manners`: see `environments`. */
  adopt(launch: Launch, manners: Readonly<Record<string, string>>): Adopted;
  /**
   * Starts a program that is spoken with, and that ends by itself or by its caller. Throws what `launch` throws;
   * what the system says of its start comes as its end.
   */
  talk(request: TalkingRequest, launch: Launch, reader: Reader): TalkingProgram;
  /** Ends what dead hosts have left; to be called once, when this one starts. Never rejects. */
  sweep(): Promise<Swept>;
  /** Ends what still runs, and the watchdog. */
  dispose(): Promise<void>;
}

export interface Adopted {
  readonly env: Readonly<Record<string, string>>;
  /** Pid of the process that leads its session. Without one (-1) only the mark is looked for. */
  follow(
    leader: number,
    options: { readonly isRunning: () => boolean; readonly isShell: boolean },
  ): {
    end(scope: 'tree' | 'session', ladder: 'interrupt' | 'left_behind'): ReturnType<Family['end']>;
    nudge(): void;
    release(): void;
  };
}

/** Processes a core: enough for any agent, few enough that a machine stays usable. */
const PLACES_A_CORE = 64;

export function createProcesses(options: ProcessesOptions): Processes {
  const { clock, log, secrets, mark } = options;
  const shell = shellProgram(process.platform);
  const table = tableOf(process.platform, clock);
  const watchdog = new Watchdog(mark.text, { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }, log);
  // Reading it costs a call into Node for each variable, and it does not change.
  const environmentOf = environments({ ...process.env }, secrets);
  const running = new Set<Run>();
  const services = new Set<Service>();
  const talking = new Set<TalkingProgram>();
  let runs = 0;

  const familyOf = (options: Omit<FamilyOptions, 'table' | 'clock'>): Family =>
    table === undefined
      ? new WindowsFamily(options.leader, options.isRunning)
      : new PosixFamily({ ...options, table, clock });

  /** Without groups the number of what has ended is free for others at once, and is no longer watched. */
  const letGo = (child: ChildProcess, leader: number): void => {
    if (table === undefined) child.on('exit', () => watchdog.remove(leader));
  };

  const adopt = (launch: Launch, manners: Readonly<Record<string, string>>): Adopted => {
    runs += 1;
    const run = `${mark.host}.${runs}`;
    watchdog.start(launch);
    return {
      env: environmentOf({ [HOST_MARK]: mark.text, [RUN_MARK]: run }, manners),
      follow: (leader, options) => {
        const isReal = leader > 0;
        if (isReal) watchdog.add(leader);
        const family = familyOf({ leader, mark: run, ...options });
        return {
          end: (scope, ladder) =>
            ladder === 'interrupt'
              ? family.end(scope, TERMINAL_LADDER, STOP_STEP_MS)
              : family.end(scope, LADDER, LEFT_BEHIND_MS),
          nudge: () => family.nudge(),
          release: () => {
            if (isReal) watchdog.remove(leader);
          },
        };
      },
    };
  };

  /** The mark of a run of its own, and its environment with `own` variables. To be called in the tick of the start. */
  const markOf = (launch: Launch, own: Readonly<Record<string, string>> = {}) => {
    runs += 1;
    const run = `${mark.host}.${runs}`;
    watchdog.start(launch);
    // The marks come last: by them the tree is found (X6).
    const env = { ...environmentOf({}), ...own, [HOST_MARK]: mark.text, [RUN_MARK]: run };
    const watch = (leader: number, isRunning: () => boolean) => {
      if (leader > 0) watchdog.add(leader);
      return { family: familyOf({ leader, mark: run, isRunning }), release: () => watchdog.remove(leader) };
    };
    return { env, watch };
  };

  /** Starts a child under a mark of its own; without a `family`, it could not start. */
  const begin = <C extends ChildProcess>(
    launch: Launch,
    spawn: (env: Record<string, string>) => C,
    isRunning: () => boolean,
    own: Readonly<Record<string, string>> = {},
  ): { child: C; family: Family | undefined; release: () => void } => {
    const { env, watch } = markOf(launch, own);
    const child = spawn(env);
    if (child.pid === undefined) return { child, family: undefined, release: () => undefined };
    letGo(child, child.pid);
    return { child, ...watch(child.pid, isRunning) };
  };

  const talk = (request: TalkingRequest, launch: Launch, reader: Reader): TalkingProgram => {
    const start = request.input ? spawnTalking : spawnProcess;
    const { child, family, release } = begin(
      launch,
      (env) => start(launch, request.file, request.args, { cwd: request.folder, env }),
      () => program.isRunning(),
      request.env,
    );
    const program: TalkingProgram = new TalkingProgram(
      { child, clock, platform: process.platform, family, release },
      reader,
    );
    talking.add(program);
    void program.ended.then(() => talking.delete(program));
    return program;
  };

  const startHere = (
    launch: Launch,
    request: ProgramRequest,
    isRunning: () => boolean,
  ): Started | Starting => {
    const { file, args, folder } = request;
    const spawn = (env: Record<string, string>) => spawnProcess(launch, file, args, { cwd: folder, env });
    const { child, family, release } = begin(launch, spawn, isRunning);
    if (family === undefined)
      return { started: new Promise((_, fail) => child.on('error', fail)), callOff: () => undefined };
    const exited = new Promise<Exit>((done) => child.on('exit', (code, signal) => done({ code, signal })));
    const { stdout, stderr } = child;
    return { stdout, stderr, exited, family, release, letGo: () => child.unref() };
  };

  const starter =
    options.forkServer === undefined
      ? undefined
      : new Starter({ clock, log, ...options.forkServer, environment: (launch) => adopt(launch, {}).env });

  const start = (launch: Launch, request: ProgramRequest, isRunning: () => boolean): Started | Starting => {
    const here = (): Started | Starting => startHere(launch, request, isRunning);
    if (starter === undefined) return here();
    const markedOf = (under: Launch): Marked => {
      const { env, watch } = markOf(under);
      return { env, watch: (leader) => watch(leader, () => leader > 0 && isRunning()) };
    };
    return forkedStart({ starter, log, mark: markedOf, startHere: here }, request, launch);
  };

  const service = (request: ServiceRequest, launch: Launch): Service => {
    const { file, args, folder } = request;
    let isRunning = true;
    const { child, family, release } = begin(
      launch,
      (env) => spawnTalking(launch, file, args, { cwd: folder, env }),
      () => isRunning,
      request.env,
    );
    child.on('exit', () => (isRunning = false));
    const one = serviceOf(child, {
      clock,
      family,
      release: () => {
        services.delete(one);
        release();
      },
    });
    services.add(one);
    return one;
  };

  const room: Room = {
    clock,
    places: new Places(options.places ?? PLACES_A_CORE * availableParallelism()),
    defaultMs: options.defaultMs ?? (() => SHELL_MS),
    secrets,
    start,
  };

  const program = (request: ProgramRequest, launch: Launch, onOutput: OnOutput): Run => {
    const run = new ProgramRun(request, room, launch, onOutput);
    running.add(run);
    void run.done.then(() => running.delete(run));
    return run;
  };

  return {
    shell: shell.file,
    program,
    service,
    adopt,
    talk,
    command: ({ command, folder, timeoutMs }, launch, onOutput) =>
      program({ file: shell.file, args: shell.args(command), folder, timeoutMs }, launch, onOutput),
    sweep: async () => {
      if (table === undefined) return { ended: [], survivors: [] };
      try {
        const swept = await sweep(table, clock, mark);
        if (swept.ended.length > 0)
          log('info', `Ended what an earlier host had left: ${swept.ended.join(', ')}.`);
        if (swept.survivors.length > 0) log('warn', `Could not end ${swept.survivors.join(', ')}.`);
        return swept;
      } catch (error) {
        log('warn', `Could not look for what an earlier host has left: ${String(error)}`);
        return { ended: [], survivors: [] };
      }
    },
    dispose: async () => {
      await Promise.all([
        ...[...running].map((run) => run.stop('host_stopped')),
        ...[...services].map((one) => one.end()),
        ...[...talking].map((program) => program.stop()),
      ]);
      await starter?.dispose();
      await watchdog.dispose();
    },
  };
}
