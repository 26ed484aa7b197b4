/**
 * One terminal, from its wait for a place to the end of everything that came from it (X3 to X5, P3).
 *
 * Owns its place, its number in the PTY host, its tree and its output. 1. It can be stopped before each step of
 * its preparation, and is checked again after it: from then on no program is ever started for it. 2. `done`
 * settles once, behind the last output. 3. What it says of its end has been seen.
 */
import { existsSync } from 'node:fs';
import { TYPED_WAITING_BYTES } from '../../../protocol';
import { WORD_MS, type Channel } from '../../base/bundleProcess';
import { pageOf } from '../../base/capture';
import type { Clock } from '../../base/clock';
import { CordPulled, type Launch } from '../../base/launch';
import type { Place, Places } from '../../base/places';
import type { Secrets } from '../../base/redact';
import type { CallResult, Run, StopReason, StopReport } from '../../engine/ports';
import type { Terminal } from '../../engine/terminalPort';
import type { FromPtyHost } from './fromPtyHost';
import { brokenOff, failedToStart, neverStarted, resultOf, type Cause, type TerminalExit } from './outcome';
import { Output } from './output';
import type { ShellChoice } from './shell';
import type { ToPtyHost } from './toPtyHost';
import type { Adopted, Tree, Trees } from './trees';

export interface TerminalRequest {
  readonly shell: ShellChoice;
  /** It is a shell at its prompt, not a command. */
  readonly isShell: boolean;
  /** Absolute path. */
  readonly folder: string;
  readonly cols: number;
  readonly rows: number;
}

/** What a terminal needs around it. */
export interface TerminalRoom {
  readonly clock: Clock;
  readonly places: Places;
  readonly trees: Trees;
  readonly secrets: () => Secrets;
  /** The PTY host; throws or rejects when there is none. */
  channel(launch: Launch): Promise<PtyChannel>;
  nextId(): number;
  /** The cord's, as of now. */
  epoch(): number;
}

type PtyChannel = Channel<ToPtyHost, FromPtyHost>;

type State =
  | { readonly at: 'line'; leave(): void }
  | { readonly at: 'preparing' }
  | { readonly at: 'opening'; readonly channel: PtyChannel; readonly id: number }
  | { readonly at: 'running'; readonly channel: PtyChannel; readonly id: number; readonly tree: Tree }
  | { readonly at: 'over' };

const GONE: StopReport = { stopped: true, survivors: [] };
const UNSEEN: StopReport = { stopped: false, survivors: [] };

export class TerminalRun implements Run {
  readonly done: Promise<CallResult>;
  readonly terminal: Terminal;
  private readonly output: Output;
  private settle: (result: CallResult) => void = () => {};
  private tellStarted: () => void = () => {};
  private state: State = { at: 'preparing' };
  private asked: StopReason | undefined;
  /** Resolves once the PTY host has said what it has done, or has gone. */
  private answered: Promise<void> | undefined;
  private tellExit: () => void = () => {};
  private readonly exited: Promise<void>;
  private exit: TerminalExit | undefined;
  private ending: Promise<StopReport> | undefined;
  private typed = 0;
  private size: { readonly cols: number; readonly rows: number };

  constructor(
    private readonly request: TerminalRequest,
    private readonly room: TerminalRoom,
    private readonly launch: Launch,
    onOutput: (text: string) => void,
  ) {
    this.size = { cols: request.cols, rows: request.rows };
    this.output = new Output(room.secrets, this.size, onOutput);
    this.done = new Promise((settle) => (this.settle = settle));
    this.exited = new Promise((tell) => (this.tellExit = tell));
    this.terminal = this.face(new Promise((tell) => (this.tellStarted = tell)));
    const place = room.places.tryTake();
    if (place !== undefined) {
      void this.prepare(place);
      return;
    }
    const wait = room.places.wait((given) => {
      this.state = { at: 'preparing' };
      void this.prepare(given);
    });
    this.state = { at: 'line', leave: () => wait.leave() };
  }

  async stop(reason: StopReason): Promise<StopReport> {
    this.asked ??= reason;
    switch (this.state.at) {
      case 'line':
        this.state.leave();
        this.over(neverStarted(this.asked));
        return GONE;
      case 'preparing':
        if (this.ending === undefined) this.over(neverStarted(this.asked));
        return this.ending ?? GONE;
      case 'opening':
        return this.callOff(this.state.channel, this.state.id, reason);
      case 'running':
        return this.end({ kind: 'stopped', reason: this.asked });
      case 'over':
        return this.ending ?? GONE;
    }
  }

  detach(): void {
    // It has no time limit.
  }

  read(offset: number, limit: number): ReturnType<Run['read']> {
    return pageOf(this.output.whole(), offset, limit);
  }

  /** Each step may be the last: what was asked meanwhile is looked at after every wait. */
  private async prepare(place: Place): Promise<void> {
    void this.done.then(() => place.free());
    try {
      const channel = await this.room.channel(this.launch);
      if (this.asked === undefined) this.launch(() => this.open(channel));
    } catch (error) {
      this.over(failedToStart(error, this.request.folder));
    }
  }

  /** Asks for the program, in the tick in which the cord was checked. */
  private open(channel: PtyChannel): void {
    const { room, request } = this;
    const { shell, folder } = request;
    if (!existsSync(folder)) throw new Error('its folder is missing.');
    const id = room.nextId();
    const adopted = room.trees.adopt(this.launch, shell.env);
    this.answered = new Promise((answer) => {
      const stop = channel.listen(
        id,
        (message) => {
          this.hear(message, channel, adopted, stop);
          if (message.kind === 'opened' || message.kind === 'refused') answer();
        },
        () => {
          this.gone(adopted);
          answer();
        },
      );
    });
    this.state = { at: 'opening', channel, id };
    const { file, args } = shell;
    const epoch = room.epoch();
    const env = { ...adopted.env };
    channel.tell({ kind: 'open', id, epoch, file, args: [...args], cwd: folder, env, ...this.size });
  }

  private hear(
    message: Extract<FromPtyHost, { readonly id: number }>,
    channel: PtyChannel,
    adopted: Adopted,
    stop: () => void,
  ): void {
    switch (message.kind) {
      case 'opened':
        this.opened(channel, adopted, message);
        return;
      case 'refused':
        stop();
        this.refused(message.why === 'paused' ? new CordPulled() : new Error(message.detail));
        return;
      case 'output':
        this.take(message.data, message.omitted);
        return;
      case 'taken':
        this.typed = Math.max(0, this.typed - message.bytes);
        return;
      case 'exited':
        stop();
        this.exit = { code: message.code, signal: message.signal };
        this.tellExit();
        if (this.state.at !== 'running') return;
        this.state.tree.nudge();
        void this.end({ kind: 'ended' });
    }
  }

  private opened(channel: PtyChannel, adopted: Adopted, { id, pid }: { id: number; pid: number }): void {
    const { isShell } = this.request;
    const tree = adopted.follow(pid, { isRunning: () => this.exit === undefined, isShell });
    this.state = { at: 'running', channel, id, tree };
    this.tellStarted();
    if (this.asked !== undefined) void this.end({ kind: 'stopped', reason: this.asked });
  }

  /** None was started, and none will be. */
  private refused(why: Error): void {
    this.over(this.asked === undefined ? failedToStart(why, this.request.folder) : neverStarted(this.asked));
  }

  /** The PTY host has gone. Before it said what it had done, whatever it may have started is ended (P3). */
  private gone(adopted: Adopted): void {
    this.tellExit();
    if (this.state.at === 'running') void this.end({ kind: 'lost' });
    if (this.state.at !== 'opening') return;
    this.state = { at: 'preparing' };
    const tree = adopted.follow(-1, { isRunning: () => false, isShell: false });
    const over = (): void => this.refused(NO_ANSWER);
    this.ending = tree.end('tree', 'left_behind');
    this.ending.then(over, over);
  }

  /** The start has been asked for: it is taken back, and the PTY host says what has become of it. */
  private async callOff(channel: PtyChannel, id: number, reason: StopReason): Promise<StopReport> {
    channel.tell({ kind: 'cancel', id });
    if (reason === 'host_paused') {
      channel.tell({ kind: 'cord', epoch: this.room.epoch() });
      const timer = this.room.clock.after(WORD_MS, () => channel.kill());
      void this.answered?.then(() => timer.clear());
    }
    await this.answered;
    return this.ending ?? GONE;
  }

  private take(data: Uint8Array, omitted: number): void {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    this.output.add(bytes, omitted);
    if (this.state.at !== 'running' && this.state.at !== 'opening') return;
    const { channel, id } = this.state;
    channel.tell({ kind: 'taken', id, bytes: bytes.length });
  }

  private end(cause: Cause): Promise<StopReport> {
    return (this.ending ??= this.finish(cause).catch((error: unknown) => {
      this.over(brokenOff(error));
      return UNSEEN;
    }));
  }

  /** From the first reason to end to the last process gone. Called once. */
  private async finish(cause: Cause): Promise<StopReport> {
    if (this.state.at !== 'running') return GONE;
    const { channel, id, tree } = this.state;
    channel.tell({ kind: 'drop', id });
    const report = await endOf(tree, cause);
    if (report.stopped) {
      tree.release();
      await this.exited;
    } else {
      channel.tell({ kind: 'close', id });
    }
    this.output.end();
    this.state = { at: 'over' };
    this.over(resultOf(cause, this.exit, await this.lastLook(), report));
    return report;
  }

  /** What was not read, and the whole of what is kept for those who page through it. */
  private async lastLook() {
    const look = await this.output.look();
    return { ...look, kept: [...(look.kept ?? []), { name: 'transcript', text: this.output.whole() }] };
  }

  private over(result: CallResult): void {
    this.state = { at: 'over' };
    this.output.end();
    this.tellStarted();
    this.settle(result);
  }

  private face(started: Promise<void>): Terminal {
    const { output } = this;
    const size = (): TerminalRun['size'] => this.size;
    return {
      started,
      get size() {
        return size();
      },
      write: (text, launch) => this.write(text, launch),
      resize: (cols, rows, launch) => this.resize(cols, rows, launch),
      look: () => output.look(),
      told: (look) => output.told(look),
      screen: () => output.screen(),
      attach: (send) => output.attach(send),
    };
  }

  private write(text: string, launch: Launch): 'written' | 'full' | 'ended' {
    const { state } = this;
    if (state.at !== 'running' || this.ending !== undefined) return 'ended';
    const data = Buffer.from(text);
    if (this.typed + data.length > TYPED_WAITING_BYTES) return 'full';
    launch(() => state.channel.tell({ kind: 'input', id: state.id, data }));
    this.typed += data.length;
    return 'written';
  }

  private resize(cols: number, rows: number, launch: Launch): void {
    const { state } = this;
    if (state.at !== 'running') return;
    launch(() => state.channel.tell({ kind: 'resize', id: state.id, cols, rows }));
    this.size = { cols, rows };
    this.output.resize(cols, rows);
  }
}

const NO_ANSWER = new Error('the process that holds terminals has ended.');

function endOf(tree: Tree, cause: Cause): Promise<StopReport> {
  switch (cause.kind) {
    case 'ended':
      return tree.end('session', 'left_behind');
    case 'lost':
      return tree.end('tree', 'left_behind');
    case 'stopped':
      return tree.end('tree', 'interrupt');
  }
}
