/**
 * The host's end of the fork server: programs whose outputs are read, started by another process.
 *
 * Owns the fork server, from the first program on. 1. A start is asked for in the tick in which the cord was checked
 * (P2). 2. It ends in one of three ways: the program runs; nothing has been started and nothing will be; or nobody can
 * tell, since the fork server has gone (`Unanswered`).
 */
import type { Readable } from 'node:stream';
import { BundleProcess, WORD_MS, type Channel } from '../../base/bundleProcess';
import type { Clock } from '../../base/clock';
import { CordPulled, type Launch } from '../../base/launch';
import type { Log } from '../../base/log';
import type { StopReason, StopReport } from '../../engine/ports';
import { FromForkServer } from './fromForkServer';
import type { Exit } from './outcome';
import { PipeStock, type Pipes } from './pipeStock';
import type { ToForkServer } from './toForkServer';

export interface StarterOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Absolute path of the fork server's bundle. */
  readonly bundle: string;
  /** Its environment, made after something watches over it. */
  readonly environment: (launch: Launch) => Readonly<Record<string, string>>;
  /** The cord's epoch as of now. */
  readonly epoch: () => number;
}

export interface StartRequest {
  /** A name that is looked up in the environment's PATH, or an absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute path. */
  readonly cwd: string;
  /** The whole environment: nothing is added. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program that runs. */
export interface Forked {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How it ended; undefined when the fork server went first. */
  readonly exited: Promise<Exit | undefined>;
}

/** A start that has been asked for. */
export interface Asked {
  /** Rejects with `CordPulled`, `CalledOff`, the system's error, or `Unanswered`. */
  readonly answer: Promise<Forked>;
  /** It is not wanted any more; `answer` settles soon. */
  callOff(reason: StopReason): void;
}

type ForkChannel = Channel<ToForkServer, FromForkServer>;

/** A fork server that is ready, and pipes for one program. */
export interface Prepared {
  readonly channel: ForkChannel;
  readonly stock: PipeStock;
  readonly pipes: Pipes;
}

/** The start was taken back in time: nothing was started. */
export class CalledOff extends Error {}

/** Whether the program was started is not known. `report` tells what has become of whatever carries its mark. */
export class Unanswered extends Error {
  constructor(readonly report: StopReport = { stopped: true, survivors: [] }) {
    super('The process that starts commands has ended.');
  }
}

export class Starter {
  private readonly server: BundleProcess<ToForkServer, FromForkServer>;
  private current: { readonly channel: ForkChannel; readonly stock: PipeStock } | undefined;
  private ids = 0;

  constructor(private readonly options: StarterOptions) {
    const { bundle, environment, log } = options;
    const parse = (message: unknown): FromForkServer => FromForkServer.parse(message);
    this.server = new BundleProcess({
      name: 'The process that starts commands',
      bundle,
      environment,
      log,
      parse,
    });
  }

  /** Throws `CordPulled`; rejects when there can be no fork server or no pipes now. */
  async prepare(launch: Launch): Promise<Prepared> {
    const channel = await this.server.channel(launch);
    const stock = this.stockOf(channel);
    return { channel, stock, pipes: await stock.take(launch) };
  }

  /** Asks for a program, in the tick in which the cord was checked. Throws `CordPulled`. */
  start(launch: Launch, request: StartRequest, { channel, stock, pipes }: Prepared): Asked {
    const { clock, epoch } = this.options;
    const id = this.nextId();
    const { file, args, cwd, env } = request;
    try {
      launch(() => {
        const start = { file, args: [...args], cwd, env: { ...env }, pair: pipes.pair };
        channel.tell({ kind: 'start', id, epoch: epoch(), ...start });
      });
    } catch (error) {
      stock.giveBack(pipes);
      throw error;
    }
    const answer = new Promise<Forked>((resolve, reject) => {
      let tellExit: (exit: Exit | undefined) => void = () => {};
      const exited = new Promise<Exit | undefined>((tell) => (tellExit = tell));
      const stop = channel.listen(
        id,
        (message) => {
          switch (message.kind) {
            case 'started':
              resolve({ pid: message.pid, stdout: pipes.stdout, stderr: pipes.stderr, exited });
              return;
            case 'exited':
              stop();
              tellExit({ code: message.code, signal: message.signal });
              return;
            case 'refused':
              stop();
              stock.giveBack(pipes);
              reject(refusalOf(message));
              return;
            case 'pipe':
            case 'stocked':
            case 'unable':
            // These answer an order of pipes.
          }
        },
        () => {
          reject(new Unanswered());
          tellExit(undefined);
        },
      );
    });
    const callOff = (reason: StopReason): void => {
      channel.tell({ kind: 'cancel', id });
      if (reason !== 'host_paused') return;
      channel.tell({ kind: 'cord', epoch: epoch() });
      const timer = clock.after(WORD_MS, () => channel.kill());
      const clear = (): void => timer.clear();
      answer.then(clear, clear);
    };
    return { answer, callOff };
  }

  /** Lets the fork server go; resolves when it is gone. */
  dispose(): Promise<void> {
    return this.server.dispose();
  }

  private readonly nextId = (): number => (this.ids += 1);

  /** Pipes belong to the fork server that has their other ends. */
  private stockOf(channel: ForkChannel): PipeStock {
    if (this.current?.channel === channel) return this.current.stock;
    const stock = new PipeStock(channel, this.nextId);
    this.current = { channel, stock };
    return stock;
  }
}

function refusalOf({ why, code, detail }: Extract<FromForkServer, { kind: 'refused' }>): Error {
  switch (why) {
    case 'paused':
      return new CordPulled();
    case 'cancelled':
      return new CalledOff();
    case 'failed':
      return Object.assign(new Error(detail), code === '' ? {} : { code });
  }
}
