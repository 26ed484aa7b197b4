/**
 * One command or program, from its wait for a place to the end of everything that it has started (X1, X4, X5).
 *
 * Owns its child, its family and its place. 1. Nothing is started before it has a place and `launch` agrees;
 * nothing after it was stopped in line (P3). 2. `done` settles once, after its output is whole and its
 * process group has been ended. 3. No output is told after that.
 */
import type { Readable } from 'node:stream';
import { STOP_STEP_MS } from '../../../protocol';
import type { Clock, Timer } from '../../base/clock';
import type { Launch } from '../../base/launch';
import type { Secrets } from '../../base/redact';
import type { CallResult, Run, StopReason, StopReport } from '../../engine/ports';
import { drained } from './drained';
import type { Family } from './family';
import { brokenOff, failedToStart, neverStarted, resultOf, type Cause, type Exit } from './outcome';
import { Unanswered } from './starter';
import { Outputs, type OnOutput } from './outputs';
import type { Place, Places } from '../../base/places';
import { LADDER } from './stop';

/** A program to run: a shell with its command line, or any other. */
export interface ProgramRequest {
  /** A name that is looked up, or an absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute path. */
  readonly folder: string;
  /** Running time, ms; when undefined, the default one, which ends with `detach`. */
  readonly timeoutMs: number | undefined;
}

/** A program that has started, with the way to end all that comes from it. */
export interface Started {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How it ended; undefined when nobody is left who could have seen it. */
  readonly exited: Promise<Exit | undefined>;
  readonly family: Family;
  /** Everything in its group has been seen gone. */
  release(): void;
  /** What could not be ended does not keep this thread. */
  letGo(): void;
}

/** A program that another process has been asked to start, and has not told of yet. */
export interface Starting {
  /** Rejects when nothing was started and nothing will be, or with `Unanswered`. */
  readonly started: Promise<Started>;
  /** It is not wanted any more; `started` settles soon. */
  callOff(reason: StopReason): void;
}

/** What a command needs around it. */
export interface Room {
  readonly clock: Clock;
  readonly places: Places;
  /** Running time of a command that asks for none, ms, as the settings are when it starts. */
  readonly defaultMs: () => number;
  readonly secrets: () => Secrets;
  /** Throws what `launch` or the system throws at once. */
  start(launch: Launch, request: ProgramRequest, isRunning: () => boolean): Started | Starting;
}

/** Time for what a shell has left behind to end by SIGTERM, ms; then it is killed. */
export const LEFT_BEHIND_MS = 100;

type State =
  | { readonly at: 'line'; leave(): void }
  | { readonly at: 'starting'; readonly answered: Promise<void>; callOff(reason: StopReason): void }
  | { readonly at: 'running'; end(cause: Cause): Promise<StopReport> }
  | { readonly at: 'over' };

export class ProgramRun implements Run {
  readonly done: Promise<CallResult>;
  private readonly outputs: Outputs;
  private settle: (result: CallResult) => void = () => {};
  private state: State = { at: 'over' };
  private limit: Timer | undefined;
  private detached = false;
  private exit: Exit | undefined;
  /** Why it is to be stopped, when that was asked before it had started. */
  private asked: StopReason | undefined;
  private ending: Promise<StopReport> | undefined;

  constructor(
    private readonly request: ProgramRequest,
    private readonly room: Room,
    private readonly launch: Launch,
    onOutput: OnOutput,
  ) {
    this.outputs = new Outputs(room.secrets, onOutput);
    this.done = new Promise((settle) => (this.settle = settle));
    const place = room.places.tryTake();
    if (place === undefined) {
      const wait = room.places.wait((given) => this.begin(given));
      this.state = { at: 'line', leave: () => wait.leave() };
    } else {
      this.begin(place);
    }
  }

  async stop(reason: StopReason): Promise<StopReport> {
    if (this.state.at === 'line') {
      this.state.leave();
      this.over(neverStarted(reason));
    }
    if (this.state.at === 'starting') {
      this.asked ??= reason;
      this.state.callOff(reason);
      await this.state.answered;
    }
    if (this.state.at === 'running') return this.state.end({ kind: 'stopped', reason });
    return this.ending ?? { stopped: true, survivors: [] };
  }

  detach(): void {
    this.detached = true;
    if (this.request.timeoutMs === undefined) this.limit?.clear();
  }

  read(offset: number, limit: number): ReturnType<Run['read']> {
    return this.outputs.together.read(offset, limit);
  }

  private begin(place: Place): void {
    try {
      const started = this.room.start(this.launch, this.request, () => this.exit === undefined);
      if (!('started' in started)) {
        this.follow(started, place);
        return;
      }
      const answered = started.started.then(
        (one) => this.follow(one, place),
        (error: unknown) => this.fail(error, place),
      );
      this.state = { at: 'starting', answered, callOff: (reason) => started.callOff(reason) };
    } catch (error) {
      this.fail(error, place);
    }
  }

  private fail(error: unknown, place: Place): void {
    place.free();
    if (error instanceof Unanswered) this.unanswered(error);
    else this.over(this.asked === undefined ? failedToStart(error, this.request) : neverStarted(this.asked));
  }

  /** It may have run, and nothing of it is left but what the report tells. */
  private unanswered(error: Unanswered): void {
    const { asked, outputs } = this;
    this.ending = Promise.resolve(error.report);
    outputs.end();
    this.over(
      asked === undefined
        ? brokenOff(error, outputs)
        : resultOf({ kind: 'stopped', reason: asked }, undefined, outputs, error.report),
    );
  }

  private follow(started: Started, place: Place): void {
    const { stdout, stderr, exited, family } = started;
    const closed = Promise.all([stdout, stderr].map(isClosed)).then(() => exited);
    const end = (cause: Cause): Promise<StopReport> =>
      (this.ending ??= this.finish(cause, started, closed)
        .catch((error: unknown) => this.breakOff(error, started))
        .finally(() => place.free()));
    this.state = { at: 'running', end };
    this.outputs.listen(started);
    void exited.then((exit) => {
      this.exit = exit ?? { code: null, signal: null };
      family.nudge();
      void end(exit === undefined ? { kind: 'lost' } : { kind: 'ended' });
    });
    if (this.asked !== undefined) void end({ kind: 'stopped', reason: this.asked });
    const { timeoutMs } = this.request;
    if (timeoutMs === undefined && this.detached) return;
    const ms = timeoutMs ?? this.room.defaultMs();
    this.limit = this.room.clock.after(ms, () => void end({ kind: 'timed_out', ms }));
  }

  /** From the first reason to end to the last process gone. Called once. */
  private async finish(cause: Cause, started: Started, closed: Promise<unknown>): Promise<StopReport> {
    this.limit?.clear();
    const { stdout, stderr, family } = started;
    let report: StopReport = { stopped: true, survivors: [] };
    if (cause.kind !== 'ended') report = await family.end('tree', LADDER, STOP_STEP_MS);
    else if (family.hasGroup()) report = await family.end('group', LADDER, LEFT_BEHIND_MS);
    await drained(closed, this.room.clock, () => this.outputs.total);
    this.outputs.end();
    stdout.destroy();
    stderr.destroy();
    if (report.stopped) started.release();
    else started.letGo();
    this.over(resultOf(cause, this.exit, this.outputs, report));
    return report;
  }

  /** It ran, and its end could not be seen or told (R5). */
  private breakOff(error: unknown, started: Started): StopReport {
    this.outputs.end();
    started.letGo();
    this.over(brokenOff(error, this.outputs));
    return { stopped: false, survivors: [] };
  }

  private over(result: CallResult): void {
    this.state = { at: 'over' };
    this.settle(result);
  }
}

/** One that had nothing to say may have closed before anybody listened. */
const isClosed = (stream: Readable): Promise<void> =>
  new Promise((done) => {
    if (stream.closed) done();
    else stream.on('close', () => done());
  });
