/**
 * The process of one agent: started, spoken with a line at a time, and ended step by step until nothing of it is
 * left (H4, H5, H7).
 *
 * Owns the program while it is there. 1. `onEnd` is called once for each program, after its last line. 2. The
 * tree is looked at before each step. 3. What survives the steps is ended by force, and named if it cannot be.
 */
import { parseJson, TooDeep } from '../../base/json';
import { HARNESS_LINE_BYTES, HARNESS_STEP_MS, type StoppedBy } from '../../../protocol';
import type { Launch } from '../../base/launch';
import type { LadderStep } from '../../engine/harnessPort';
import { Lines } from './lines';
import type { AgentEnd, AgentProgram, AgentRequest, Surroundings } from './outside';

export interface SeatEvents {
  /** A line that is JSON. Its promise holds the next ones back. */
  onMessage(message: unknown): Promise<void> | undefined;
  /** A line that is none, or too long. */
  onNote(text: string): void;
  onEnd(end: AgentEnd, errorText: string): void;
}

/** Resolves when what is to be ended is gone. */
export type Over = Promise<void>;

export class Seat {
  private program: AgentProgram | undefined;
  private skip: (() => void) | undefined;
  /** The step under way, and whether it has done what it can. */
  private current: LadderStep | undefined;
  private isDone = false;
  private climbing: Promise<StoppedBy> | undefined;
  private room: Promise<void> | undefined;

  constructor(
    private readonly around: Pick<Surroundings, 'clock' | 'talk'>,
    private readonly events: SeatEvents,
  ) {}

  isAlive(): boolean {
    return this.program?.isRunning() === true;
  }

  /** Settles when the program that is there now has gone. */
  get exited(): Promise<void> {
    return this.program?.exited ?? Promise.resolve();
  }

  /** Settles when its output has been read to its end as well. */
  get closed(): Promise<void> {
    return this.program?.ended.then(() => undefined) ?? Promise.resolve();
  }

  start(request: AgentRequest, launch: Launch): void {
    const lines = new Lines(
      HARNESS_LINE_BYTES,
      (line) => this.take(line),
      (bytes) => this.events.onNote(`A line of ${String(bytes)} bytes was passed over.`),
    );
    const program = this.around.talk(request, launch, (bytes) => {
      lines.push(bytes);
      const { room } = this;
      this.room = undefined;
      return room;
    });
    this.program = program;
    // What it left behind goes at once, unless a climb is about to see to it: it may hold the output open.
    void program.exited.then(() => (this.climbing === undefined ? program.sweep('tree') : undefined));
    void program.ended.then((end) => {
      lines.end();
      if (this.program === program) this.events.onEnd(end, plainText(program.errorText()));
    });
  }

  /** Writes all that the program is to read, and ends its input. */
  tell(text: string, launch: Launch): void {
    this.program?.write(launch, text);
    this.program?.endInput();
  }

  /** Writes one message, inside `launch`; false when nobody is there to read it. */
  send(message: object, launch: Launch): boolean {
    const { program } = this;
    if (program?.isRunning() !== true) return false;
    const line = `${JSON.stringify(message)}\n`;
    program.write(launch, line);
    return true;
  }

  /** The same for what only ends work, and is sent while everything is paused as well. */
  askToEnd(message: object): void {
    this.program?.askToEnd(`${JSON.stringify(message)}\n`);
  }

  /**
   * Goes up `steps` until `over` settles, then ends by force what is left: all of the tree once the program has
   * ended, else only what it had started for its model. Called while it climbs, it skips a step.
   */
  climb(steps: readonly LadderStep[], ask: (step: string) => void, over: Over): Promise<StoppedBy> {
    if (this.climbing !== undefined) {
      this.skip?.();
      return this.climbing;
    }
    this.climbing = this.up(steps, ask, over).finally(() => {
      this.climbing = undefined;
    });
    return this.climbing;
  }

  /** What a step of the agent's own protocol could do is done: a climb goes on to the next one at once. */
  goOn(): void {
    if (this.current?.kind !== 'protocol') return;
    this.isDone = true;
    this.skip?.();
  }

  get isClimbing(): boolean {
    return this.climbing !== undefined;
  }

  private async up(
    steps: readonly LadderStep[],
    ask: (step: string) => void,
    over: Over,
  ): Promise<StoppedBy> {
    const { program } = this;
    if (program === undefined) return { step: 'nothing: it did not run', survivors: [] };
    let gone = false;
    const isOver = (): boolean => gone;
    const done = over.then(() => {
      gone = true;
    });
    let last = 'nothing: it had ended';
    for (const step of steps) {
      await program.see();
      if (isOver()) break;
      this.current = step;
      this.isDone = false;
      last = take(step, program, ask);
      if (!this.didAll()) await this.wait(done);
      if (isOver()) break;
    }
    this.current = undefined;
    const report = await program.sweep(program.isRunning() ? 'work' : 'tree');
    return { step: last, survivors: [...report.survivors] };
  }

  private didAll(): boolean {
    return this.isDone;
  }

  private wait(over: Promise<void>): Promise<void> {
    return new Promise((go) => {
      const timer = this.around.clock.after(HARNESS_STEP_MS, go);
      const resume = (): void => {
        timer.clear();
        this.skip = undefined;
        go();
      };
      this.skip = resume;
      void over.then(resume);
    });
  }

  private take(line: string): void {
    const start = line.slice(0, NOTE_CHARACTERS);
    let message: unknown;
    try {
      message = parseJson(line);
    } catch (error) {
      const what = error instanceof TooDeep ? 'is nested too deep' : 'is no JSON';
      this.events.onNote(`A line that ${what} was passed over: ${start}`);
      return;
    }
    try {
      const room = this.events.onMessage(message);
      if (room !== undefined) this.room = room;
    } catch (error) {
      this.events.onNote(`A line that could not be read was passed over (${String(error)}): ${start}`);
    }
  }
}

/** One step; its name for the record. */
function take(step: LadderStep, program: AgentProgram, ask: (step: string) => void): string {
  switch (step.kind) {
    case 'protocol':
      ask(step.name);
      return step.name;
    case 'end_of_input':
      program.endInput();
      return 'the end of its input';
    case 'signal':
      program.signal(step.signal);
      return step.signal;
  }
}

/** Characters of a line that is told in the log. */
const NOTE_CHARACTERS = 200;

/** Error output without its colours. */
// eslint-disable-next-line no-control-regex -- the escape is what is looked for
const plainText = (text: string): string => text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').trim();
