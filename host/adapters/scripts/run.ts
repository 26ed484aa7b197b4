/**
 * One script, from its place in the line to its result.
 *
 * Owns its thread while it runs, its time, and the halt (S2). 1. The halt is read in one place: the flag that the
 * script's thread reads is set with the reason by which its end is classified. 2. Its thread is given to it inside
 * `launch`. 3. A halt that is not obeyed ends the thread. 4. `done` settles once, whatever the script does.
 */
import { SCRIPT_MOST_MS, SCRIPT_MS, STREAM_KEPT_BYTES } from '../../../protocol';
import { Capture } from '../../base/capture';
import type { Clock, Timer } from '../../base/clock';
import { CordPulled, type Launch } from '../../base/launch';
import type { Place } from '../../base/places';
import { redactors, type Redactor, type Secrets } from '../../base/redact';
import type { CallResult, Run, Steps, StopReason, StopReport } from '../../engine/ports';
import type { Ended, Progress, Start } from './messages';
import { NestedCalls } from './nested';
import { neverStarted, resultOf, type Outcome } from './result';
import { Stopwatch } from './stopwatch';
import type { ScriptThread, ThreadListener } from './thread';

export interface ScriptRequest {
  readonly code: string;
  /** Running time, ms; the default one, which a lift lengthens, when it is undefined. */
  readonly timeoutMs: number | undefined;
  /** What the session has stored, as JSON by key. */
  readonly stored: Readonly<Record<string, string>>;
}

/** What a script has of the host. */
export interface Room {
  readonly clock: Clock;
  readonly secrets: () => Secrets;
  take(launch: Launch): Promise<ScriptThread>;
  giveBack(thread: ScriptThread): void;
  drop(thread: ScriptThread): Promise<void>;
  /** Called when a script has started: the next one shall find a thread. */
  warm(launch: Launch): void;
}

/** Time in which a script obeys a halt, ms; then its thread is ended. Its interrupt comes twice a millisecond. */
const OBEY_MS = 100;
/** How long the steps of a script that is over are waited for, ms, so that their ends are told as they were. */
const STEPS_MS = 2_000;
/** The same when the cord was pulled, which nothing may keep waiting for long (P4). */
const STEPS_PULLED_MS = 200;

type Halt = { readonly kind: 'timeout' } | { readonly kind: 'stopped'; readonly reason: StopReason };

export class ScriptRun implements Run, ThreadListener {
  readonly done: Promise<CallResult>;
  private settle: (result: CallResult) => void = () => {};
  private readonly flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly printed = new Capture(2 * STREAM_KEPT_BYTES);
  private readonly redactor: Redactor;
  private readonly nested: NestedCalls;
  private readonly watch: Stopwatch;
  private readonly limitMs: number;
  private halt: Halt | undefined;
  private thread: ScriptThread | undefined;
  private obey: Timer | undefined;
  private place: Place | undefined;
  private isOver = false;
  private stepsGone: Promise<void> | undefined;
  /** The newest of what its thread has said of itself. */
  private seen: Pick<Progress, 'idle' | 'replies' | 'timers'> = { idle: false, replies: 0, timers: 0 };

  constructor(
    private readonly room: Room,
    private readonly request: ScriptRequest,
    private readonly launch: Launch,
    private readonly onOutput: (stream: 'stdout' | 'stderr', text: string) => void,
    private readonly steps: Steps,
  ) {
    this.done = new Promise((resolve) => (this.settle = resolve));
    this.redactor = redactors(room.secrets)();
    this.limitMs = request.timeoutMs ?? SCRIPT_MS;
    this.watch = new Stopwatch(room.clock, this.limitMs, () => this.end({ kind: 'timeout' }));
    this.nested = new NestedCalls(
      steps,
      (replies) => this.thread?.reply(launch, replies),
      () => this.keepTime(),
    );
  }

  /** Its place has come: it takes a thread and starts. */
  async begin(place: Place): Promise<void> {
    if (this.over()) {
      place.free();
      return;
    }
    this.place = place;
    try {
      const thread = await this.room.take(this.launch);
      if (this.over()) this.room.giveBack(thread);
      else this.startIn(thread);
    } catch (error) {
      if (error instanceof CordPulled) this.conclude(neverStarted('host_paused'));
      else this.finish({ kind: 'broken', problem: error instanceof Error ? error.message : String(error) });
    }
  }

  private startIn(thread: ScriptThread): void {
    const start: Start = {
      kind: 'start',
      code: this.request.code,
      halt: this.flag,
      tools: JSON.stringify(this.steps.tools().map(({ name, description }) => ({ name, description }))),
      stored: this.request.stored,
    };
    try {
      thread.start(this.launch, start, this);
    } catch {
      this.room.giveBack(thread);
      this.conclude(neverStarted('host_paused'));
      return;
    }
    this.thread = thread;
    this.watch.run();
    this.room.warm(this.launch);
  }

  message(message: Progress | Ended): void {
    if (message.kind === 'ended') {
      const thread = this.leaveThread();
      // A world that broke or ran full has had its thread for itself.
      const isSound = message.ending.how !== 'memory';
      if (thread !== undefined && isSound) this.room.giveBack(thread);
      else if (thread !== undefined) void this.room.drop(thread);
      this.finish({ kind: 'ended', ended: message });
      return;
    }
    this.hear(message.output);
    this.seen = message;
    if (this.halt !== undefined) return;
    for (const call of message.calls) this.nested.make(call);
    this.keepTime();
  }

  /** Its thread has ended by itself, or because it had to be. */
  gone(problem: string): void {
    this.leaveThread();
    this.finish({ kind: 'broken', problem });
  }

  async stop(reason: StopReason): Promise<StopReport> {
    this.end({ kind: 'stopped', reason });
    await this.done;
    return { stopped: true, survivors: [] };
  }

  detach(): void {
    if (this.request.timeoutMs === undefined) this.watch.limit(SCRIPT_MOST_MS);
  }

  read(offset: number, limit: number): ReturnType<Run['read']> {
    return this.printed.read(offset, limit);
  }

  /** Halts the script: it is woken, and ended if it does not obey. The first reason counts. */
  private end(halt: Halt): void {
    if (this.over()) return;
    this.halt = halt;
    this.watch.hold();
    const { thread } = this;
    if (thread === undefined) {
      this.conclude(neverStarted(halt.kind === 'stopped' ? halt.reason : 'stopped'));
      return;
    }
    Atomics.store(this.flag, 0, 1);
    thread.halt();
    this.stepsGone = this.nested.end(halt.kind === 'stopped' ? halt.reason : 'cancelled');
    this.obey = this.room.clock.after(OBEY_MS, () => void this.room.drop(thread));
  }

  private over(): boolean {
    return this.isOver || this.halt !== undefined;
  }

  /** Waiting for a person or a place is not its time; whatever else it does is (S5). */
  private keepTime(): void {
    if (this.over() || this.thread === undefined) return;
    const { seen, nested } = this;
    const isIdle = seen.idle && seen.replies === nested.sent && seen.timers === 0;
    if (isIdle && nested.underWay > 0 && nested.running === 0) this.watch.hold();
    else this.watch.run();
  }

  private leaveThread(): ScriptThread | undefined {
    const { thread } = this;
    thread?.release();
    this.thread = undefined;
    this.obey?.clear();
    this.watch.hold();
    return thread;
  }

  /** The script is over. Its steps are, too, before its result is told. */
  private finish(outcome: Outcome): void {
    if (this.isOver) return;
    this.isOver = true;
    this.hearRest();
    const printed = this.printed.shown(STREAM_KEPT_BYTES).text;
    const end = this.classified(outcome);
    const result = resultOf(end, printed, this.room.secrets());
    const gone = this.stepsGone ?? this.nested.end('cancelled');
    const isPulled = end.kind === 'stopped' && end.reason === 'host_paused';
    const timer = this.room.clock.after(isPulled ? STEPS_PULLED_MS : STEPS_MS, () => this.conclude(result));
    const told = () => {
      timer.clear();
      this.conclude(result);
    };
    gone.then(told, told);
  }

  /** The same halt that the script has read decides how its end is told; so does a cord pulled meanwhile. */
  private classified(outcome: Outcome): Outcome {
    const ended = outcome.kind === 'ended' ? outcome.ended : undefined;
    if (this.halt?.kind === 'timeout') return { kind: 'timeout', ms: this.watch.ms, ended };
    if (this.halt !== undefined) return { kind: 'stopped', reason: this.halt.reason, ended };
    try {
      return this.launch(() => outcome);
    } catch {
      return { kind: 'stopped', reason: 'host_paused', ended };
    }
  }

  private conclude(result: CallResult): void {
    this.isOver = true;
    this.place?.free();
    this.settle(result);
  }

  private hear(output: string): void {
    if (output !== '') this.print(this.redactor.push(Buffer.from(output)));
  }

  private hearRest(): void {
    this.print(this.redactor.end());
  }

  private print(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.printed.add(bytes);
    this.onOutput('stdout', bytes.toString('utf8'));
  }
}
