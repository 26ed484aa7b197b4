/**
 * Pipes that wait for a program, so that none has to wait for them: made by the fork server, which has their writing
 * ends, and read by the host. Owns the reading ends that no program has. Belongs to one fork server.
 */
import type { Channel, PipeEnd } from '../../base/bundleProcess';
import type { Launch } from '../../base/launch';
import type { FromForkServer } from './fromForkServer';
import type { ToForkServer } from './toForkServer';

/** One program's outputs. `pair` is the fork server's number of it. */
export interface Pipes {
  readonly pair: number;
  readonly stdout: PipeEnd;
  readonly stderr: PipeEnd;
}

interface Waiting {
  readonly launch: Launch;
  resolve(pipes: Pipes): void;
  reject(error: unknown): void;
}

const GONE = 'The process that starts commands has ended.';

/** With fewer, more are ordered. */
const LOW = 8;

export class PipeStock {
  private ready: Pipes[] = [];
  private waiting: Waiting[] = [];
  private isOrdered = false;
  private isGone = false;

  constructor(
    private readonly channel: Channel<ToForkServer, FromForkServer>,
    private readonly nextId: () => number,
  ) {
    channel.listen(
      nextId(),
      () => undefined,
      () => this.gone(),
    );
  }

  /** Rejects with `CordPulled`, or when the fork server has gone or can make none. */
  take(launch: Launch): Promise<Pipes> {
    return new Promise((resolve, reject) => {
      const pipes = this.ready.pop();
      if (pipes === undefined) this.waiting.push({ launch, resolve, reject });
      else resolve(use(pipes));
      this.order(launch);
    });
  }

  /** No program was started with them. */
  giveBack(pipes: Pipes): void {
    if (this.isGone) destroy(pipes);
    else this.arrived(pipes);
  }

  /** One order at a time; what one cannot serve the next one does. */
  private order(launch: Launch): void {
    if (this.isOrdered || this.ready.length >= LOW) return;
    try {
      const id = this.nextId();
      launch(() => this.channel.tell({ kind: 'order', id }));
      this.isOrdered = true;
      this.receive(id);
    } catch (error) {
      this.refuse((one) => one.launch === launch, error);
    }
  }

  private receive(id: number): void {
    let half: PipeEnd | undefined;
    const over = (error?: Error): void => {
      stop();
      half?.destroy();
      this.isOrdered = false;
      if (error !== undefined) this.refuse(() => true, error);
      const next = this.waiting[0];
      if (next !== undefined) this.order(next.launch);
    };
    const stop = this.channel.listen(
      id,
      (message, end) => {
        if (message.kind === 'stocked') over();
        else if (message.kind === 'unable') over(new Error(message.detail));
        else if (message.kind === 'pipe' && end !== undefined) {
          end.unref();
          if (message.stream === 'stdout') half = end;
          else if (half !== undefined) {
            this.arrived({ pair: message.pair, stdout: half, stderr: end });
            half = undefined;
          }
          this.channel.tell({ kind: 'taken', id });
        } else over(new Error('A pipe has not arrived.'));
      },
      () => over(new Error(GONE)),
    );
  }

  private gone(): void {
    this.isGone = true;
    this.ready.forEach(destroy);
    this.ready = [];
  }

  private arrived(pipes: Pipes): void {
    const next = this.waiting.shift();
    if (next === undefined) this.ready.push(pipes);
    else next.resolve(use(pipes));
  }

  private refuse(which: (one: Waiting) => boolean, error: unknown): void {
    const refused = this.waiting.filter(which);
    this.waiting = this.waiting.filter((one) => !refused.includes(one));
    for (const one of refused) one.reject(error);
  }
}

/** A pipe that is used keeps this thread until it has been read to its end. */
function use(pipes: Pipes): Pipes {
  pipes.stdout.ref();
  pipes.stderr.ref();
  return pipes;
}

function destroy({ stdout, stderr }: Pipes): void {
  stdout.destroy();
  stderr.destroy();
}
