/**
 * Times requests on which a person waits, and says when the host gives no sign of life. It asks nothing by itself: only
 * a request that was made is timed, and one `host/ping` goes behind it.
 *
 * 1. A host whose thread answers neither the request nor the ping in time is silent. One that answers the ping is at
 *    work, however late it answers: a stop goes up its ladder as long as it takes.
 * 2. A pull must be done soon in any case: a host that lives and has not done it after `PULL_MOST_MS` is silent, too.
 * 3. Each request is told as silent at most once, and its reply after that is told as well.
 */
import { Emitter, type Event } from 'vscode-jsonrpc';
import type { Clock } from './clock';

/** What a person who presses Pause takes for broken, ms: the reply takes a quarter of a second. */
export const PULL_SILENT_MS = 2_000;
/** A pull that is relayed to another window's host, which then hangs, is answered after about four seconds, ms. */
export const PULL_MOST_MS = 5_000;
/** The same for a verdict, a stop or an interrupt, ms: their buttons show that they are on their way. */
export const SILENT_MS = 5_000;

const PULL = 'host/pause';
const TIMED: ReadonlySet<string> = new Set([
  PULL,
  'approval/answer',
  'question/answer',
  'turn/interrupt',
  'handle/stop',
]);

/** A request on its way. */
export interface Watched {
  /** The host has answered it. */
  replied(result: unknown): void;
  /** It was refused, or the host has gone. */
  over(): void;
}

const UNWATCHED: Watched = { replied: () => undefined, over: () => undefined };

export interface Replied {
  readonly method: string;
  readonly result: unknown;
}

export class Watchdog {
  private readonly silenced = new Emitter<string>();
  private readonly answered = new Emitter<Replied>();
  private readonly silent = new Set<symbol>();

  /** The method of a request to which the host gives no sign of life. */
  readonly onSilent: Event<string> = this.silenced.event;
  /** The host has answered such a request after all. */
  readonly onReply: Event<Replied> = this.answered.event;

  constructor(private readonly clock: Clock) {}

  /** Whether any request is without a sign of life now. */
  get isSilent(): boolean {
    return this.silent.size > 0;
  }

  /** Begins to time a request that has just been sent; `ping` sends one behind it. */
  watch(method: string, ping: () => Promise<unknown>): Watched {
    if (!TIMED.has(method)) return UNWATCHED;
    const key = Symbol(method);
    const isPull = method === PULL;
    let isTold = false;
    const tell = (): void => {
      this.silent.add(key);
      if (isTold) return;
      isTold = true;
      this.silenced.fire(method);
    };
    let callOff = this.clock.after(isPull ? PULL_SILENT_MS : SILENT_MS, tell);
    let isOver = false;
    const over = (): void => {
      isOver = true;
      callOff();
      this.silent.delete(key);
    };
    ping().then(
      () => {
        if (isOver) return;
        callOff();
        this.silent.delete(key);
        if (isPull) callOff = this.clock.after(PULL_MOST_MS, tell);
      },
      // The host has gone, and the request with it.
      () => undefined,
    );
    return {
      over,
      replied: (result) => {
        over();
        if (isTold) this.answered.fire({ method, result });
      },
    };
  }
}
