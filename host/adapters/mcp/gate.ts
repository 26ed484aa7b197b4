/**
 * The way out to a server, through the cord (P2).
 *
 * 1. A request of ours leaves under the launch of the call or start that it belongs to, in the tick of the check.
 * 2. What tells a server to stop (`notifications/cancelled`) starts nothing and always leaves; it is sent while
 *    the stop is being carried out, so none is left over for the time after a pause has answered.
 * 3. Anything else (replies to what a server asks, notices, the stream that listens) is decided when it leaves:
 *    while the cord is pulled it waits for the release.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Launch } from '../../base/launch';
import { say } from '../../../protocol';

/** The cord as this adapter needs it. */
export interface CordView {
  readonly pulled: boolean;
  /** For an effect that is decided now. */
  launch(): Launch;
  /** Resolves with the next release. */
  released(): Promise<void>;
}

/** What may wait for a release, for one server: more is a server that talks to itself. */
const HELD_MOST = 64;

const ENDING: Launch = (effect) => effect();

export type Kind = 'request' | 'cancellation' | 'other';

export class Gate {
  private readonly own = new AsyncLocalStorage<Launch>();
  private held = 0;

  constructor(private readonly cord: CordView) {}

  /** What `act` sends, now or later, are requests under this launch. */
  under<T>(launch: Launch, act: () => T): T {
    return this.own.run(launch, act);
  }

  /** Hands over the launch under which a message of this kind may leave, as soon as it may. */
  async pass<T>(kind: Kind, leave: (launch: Launch) => T | Promise<T>): Promise<T> {
    switch (kind) {
      case 'request':
        return leave(this.launch());
      case 'cancellation':
        return leave(ENDING);
      case 'other':
        await this.wait();
        return leave(this.cord.launch());
    }
  }

  /** The same for what sends by itself, later: all that it sends leaves under that launch. */
  around<T>(kind: Kind, send: (launch: Launch) => Promise<T>): Promise<T> {
    return this.pass(kind, (launch) => this.own.run(launch, () => send(launch)));
  }

  /** The launch of what is being sent; for what has none, one of now. */
  launch(): Launch {
    return this.own.getStore() ?? this.cord.launch();
  }

  private async wait(): Promise<void> {
    if (this.cord.pulled) await this.hold();
  }

  private async hold(): Promise<void> {
    if (this.held >= HELD_MOST) throw new Error(say('The server asks too much while everything is paused.'));
    this.held += 1;
    try {
      while (this.cord.pulled) await this.cord.released();
    } finally {
      this.held -= 1;
    }
  }
}
