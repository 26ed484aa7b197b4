import type { Clock, Timer } from '../base/clock';
import type { Disposable } from '../base/lifecycle';
import type { Log } from '../base/log';
import type { StoreError } from './errors';

/** After a failure, when it is tried again; doubled each time up to the longest. */
export const RETRY_FIRST_MS = 1_000;
export const RETRY_LONGEST_MS = 30_000;

/**
 * What the person is told about saving, and the next try (D8).
 *
 * Owns: the present trouble, who is told of it, and one timer while there is trouble that can pass.
 * Invariants:
 * 1. Listeners are told when the trouble begins, becomes another, and ends; not of every failure in it.
 * 2. Damage stays until the next start, whatever works meanwhile.
 */
export class Trouble implements Disposable {
  private present: StoreError | undefined;
  private lasting = false;
  private timer: Timer | undefined;
  private waitMs = RETRY_FIRST_MS;
  private ended = false;
  private readonly listeners = new Set<(trouble: StoreError | undefined) => void>();

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    /** Tries whether saving works again; reports the outcome by `begin` or `end`. */
    private readonly retry: () => void,
  ) {}

  onChange(listener: (trouble: StoreError | undefined) => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  }

  /** Saving failed. Sees to another try. */
  begin(error: StoreError): void {
    this.arm();
    if (this.lasting && error.code !== 'store_damaged') return;
    const known = this.present?.code === error.code;
    this.present = error;
    if (!known) this.tell();
  }

  /** A damaged page was met. True the first time. */
  beginLasting(error: StoreError): boolean {
    const first = !this.lasting;
    this.lasting = true;
    this.begin(error);
    return first;
  }

  /** Saving worked. */
  end(): void {
    if (this.present === undefined) return;
    this.timer?.clear();
    this.timer = undefined;
    this.waitMs = RETRY_FIRST_MS;
    if (this.lasting) return;
    this.present = undefined;
    this.tell();
  }

  /** This store is over, by this error or in peace: no more tries. */
  dispose(last?: StoreError): void {
    this.ended = true;
    this.timer?.clear();
    this.timer = undefined;
    if (last === undefined) return;
    this.present = last;
    this.tell();
  }

  private arm(): void {
    if (this.timer !== undefined || this.ended) return;
    this.timer = this.clock.after(this.waitMs, () => {
      this.timer = undefined;
      if (this.present !== undefined) this.retry();
    });
    this.waitMs = Math.min(this.waitMs * 2, RETRY_LONGEST_MS);
  }

  private tell(): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(this.present);
      } catch (error) {
        this.log('error', `A listener of the store failed: ${String(error)}`);
      }
    }
  }
}
