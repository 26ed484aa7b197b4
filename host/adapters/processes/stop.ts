/**
 * The ladder that ends processes (X5).
 *
 * Owns nothing but its own wait. 1. Nothing is signalled that was not found at that moment, and the table
 * compares pid and start once more. 2. `stopped` is only said after a look at all processes has found none.
 * 3. It always ends: after the last step the survivors are named.
 */
import type { Clock } from '../../base/clock';
import type { StopReport } from '../../engine/ports';
import type { ProcessRow, ProcessTable } from './table';

export type Ladder = readonly [NodeJS.Signals, ...NodeJS.Signals[]];
export const LADDER: Ladder = ['SIGTERM', 'SIGKILL'];
/** For what sits at a terminal, where an interrupt is what a person would try first. */
export const TERMINAL_LADDER: Ladder = ['SIGINT', 'SIGTERM', 'SIGKILL'];

/** Looks for the end after a signal, ms from one to the next: often at first, since most trees go at once. */
const LOOKS_MS = [1, 2, 4, 8, 16, 32, 64, 125, 250, 500] as const;
/** Rounds of the last signal: a tree that starts processes while it is killed loses within a few. */
const LAST_ROUNDS = 20;

export interface StopOptions {
  readonly table: ProcessTable;
  readonly clock: Clock;
  /** Finds what is to be ended and still alive. */
  readonly find: () => Promise<readonly ProcessRow[]>;
  /** The signal will end none of these, however long it is given: the next one is due. */
  readonly isInVain: (left: readonly ProcessRow[], signal: NodeJS.Signals) => boolean;
}

export class Stop {
  private nudged: (() => void) | undefined;

  constructor(private readonly options: StopOptions) {}

  /** Goes up the ladder until nothing is left, `stepMs` milliseconds a step. */
  async end(ladder: Ladder, stepMs: number): Promise<StopReport> {
    let found = await this.options.find();
    if (found.length === 0) return { stopped: true, survivors: [] };
    for (const [index, signal] of ladder.entries()) {
      const last = index === ladder.length - 1;
      found = last ? await this.force(signal, stepMs) : await this.ask(signal, found, stepMs);
      if (found.length === 0) return { stopped: true, survivors: [], signal };
    }
    return { stopped: false, survivors: found.map((row) => row.pid).sort((one, two) => one - two) };
  }

  /** Something has happened to the processes: a wait for their end looks at once. */
  nudge(): void {
    this.nudged?.();
  }

  /** A signal that can be caught: what is started to clean up is left to do so until the next step. */
  private async ask(
    signal: NodeJS.Signals,
    found: readonly ProcessRow[],
    stepMs: number,
  ): Promise<readonly ProcessRow[]> {
    const { table, clock, find, isInVain } = this.options;
    await table.signal(found, signal);
    const until = clock.now() + stepMs;
    for (let round = 0; ; round += 1) {
      await this.pause(round, until);
      const alive = await table.alive(found);
      if (alive.length === 0 || isInVain(alive, signal)) {
        const left = await find();
        if (left.length === 0 || isInVain(left, signal)) return left;
      }
      if (clock.now() >= until) return found;
    }
  }

  /** A signal that cannot be caught, to each that is found, as long as new ones are. */
  private async force(signal: NodeJS.Signals, stepMs: number): Promise<readonly ProcessRow[]> {
    const { table, clock, find } = this.options;
    const until = clock.now() + stepMs;
    for (let round = 0; ; round += 1) {
      const found = await find();
      if (found.length === 0 || (round > 0 && clock.now() >= until)) return found;
      if (round < LAST_ROUNDS) await table.signal(found, signal);
      await this.pause(round, until);
    }
  }

  private pause(round: number, until: number): Promise<void> {
    const { clock } = this.options;
    const wanted = LOOKS_MS[Math.min(round, LOOKS_MS.length - 1)] ?? 500;
    return new Promise((done) => {
      const resume = (): void => {
        timer.clear();
        this.nudged = undefined;
        done();
      };
      const timer = clock.after(Math.max(0, Math.min(wanted, until - clock.now())), resume);
      this.nudged = resume;
    });
  }
}
