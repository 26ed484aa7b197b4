/**
 * Owns the one snapshot that every list, badge, notification and status item shows. It is the fold of the host's
 * events; nobody else writes it, and all that show it hear of a change in the same tick.
 *
 * 1. `current` is undefined until a host has answered, and again once the host has failed: nothing stale is shown.
 * 2. While a host is started again after a crash, the last snapshot stays, so that lists do not flicker.
 * 3. A gap in the events is never folded over: the store subscribes again; and again, where the host could not answer.
 */
import { Emitter, type Event } from 'vscode-jsonrpc';
import { reduceSnapshot } from '../protocol/snapshot';
import type { BelayEvent, Snapshot } from '../protocol';
import type { HostStatus } from './hostClient';
import type { Clock } from './clock';
import { messageOf } from './hostError';

export interface Change {
  readonly snapshot: Snapshot | undefined;
  readonly previous: Snapshot | undefined;
  /** Absent when the whole was read again. */
  readonly event?: BelayEvent;
}

/** What the store needs of the host. */
export interface EventSource {
  readonly onEvent: Event<BelayEvent>;
  readonly onStatus: Event<HostStatus>;
  request(
    method: 'events/subscribe',
    params: Record<string, never>,
  ): Promise<{ seq: number; snapshot: Snapshot }>;
}

/**
 * After a subscription that failed the next one waits, ms; each further one twice as long, up to the most. What the
 * host tells meanwhile brings it forward, but not below the first wait.
 */
const AGAIN_MS = 1_000;
const AGAIN_MOST_MS = 30_000;

export class SnapshotStore {
  private readonly changed = new Emitter<Change>();
  private snapshot: Snapshot | undefined;
  /** Events that came while a subscription was on its way; undefined while none is. */
  private held: BelayEvent[] | undefined;
  private isReady = false;
  private again: (() => void) | undefined;
  private againMs = AGAIN_MS;
  private failedAt = 0;

  readonly onChange: Event<Change> = this.changed.event;

  constructor(
    private readonly source: EventSource,
    private readonly warn: (text: string) => void,
    private readonly clock: Clock,
  ) {
    source.onEvent((event) => this.take(event));
    source.onStatus((status) => {
      this.isReady = status.kind === 'ready';
      this.againMs = AGAIN_MS;
      if (this.isReady) void this.subscribe();
      else if (status.kind === 'failed' || status.kind === 'stopped') this.replace(undefined);
    });
  }

  get current(): Snapshot | undefined {
    return this.snapshot;
  }

  /** Resolves with the snapshot as soon as there is one. */
  known(): Promise<Snapshot> {
    const now = this.snapshot;
    if (now !== undefined) return Promise.resolve(now);
    return new Promise((resolve) => {
      const waiting = this.onChange(({ snapshot }) => {
        if (snapshot === undefined) return;
        waiting.dispose();
        resolve(snapshot);
      });
    });
  }

  private take(event: BelayEvent): void {
    if (this.held !== undefined) {
      this.held.push(event);
      return;
    }
    if (this.snapshot === undefined) {
      // A host that tells of something can say the rest as well.
      if (this.isReady) this.askSoon();
      return;
    }
    if (event.seq > this.snapshot.seq + 1) {
      if (this.again === undefined)
        this.warn(
          `Events ${this.snapshot.seq + 1} to ${event.seq - 1} are missing; reading everything again.`,
        );
      this.askSoon();
      return;
    }
    const previous = this.snapshot;
    const snapshot = reduceSnapshot(previous, event);
    if (snapshot === previous) return;
    this.snapshot = snapshot;
    this.changed.fire({ snapshot, previous, event });
  }

  private async subscribe(): Promise<void> {
    if (this.held !== undefined) return;
    this.again?.();
    this.again = undefined;
    const held: BelayEvent[] = [];
    this.held = held;
    try {
      const { snapshot } = await this.source.request('events/subscribe', {});
      this.held = undefined;
      this.againMs = AGAIN_MS;
      this.replace(snapshot);
      for (const event of held) if (event.seq > snapshot.seq) this.take(event);
    } catch (error) {
      this.held = undefined;
      this.warn(`The host gave no list of what waits: ${messageOf(error)}`);
      this.askAgain();
    }
  }

  /** Now, unless a subscription has failed within the last second. */
  private askSoon(): void {
    const wait = this.failedAt + AGAIN_MS - this.clock.now();
    if (this.again === undefined || wait <= 0) void this.subscribe();
    else this.askIn(wait);
  }

  private askAgain(): void {
    const wait = this.againMs;
    this.againMs = Math.min(2 * wait, AGAIN_MOST_MS);
    this.failedAt = this.clock.now();
    this.askIn(wait);
  }

  private askIn(wait: number): void {
    this.again?.();
    this.again = this.clock.after(wait, () => {
      this.again = undefined;
      if (this.isReady) void this.subscribe();
    });
  }

  private replace(snapshot: Snapshot | undefined): void {
    const previous = this.snapshot;
    this.snapshot = snapshot;
    if (previous !== undefined || snapshot !== undefined) this.changed.fire({ snapshot, previous });
  }
}
