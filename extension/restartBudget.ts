/** How often a host that crashes is started again before the person is asked. */
export const RESTARTS = 3;
/** The time in which they are counted, ms: a host that ran this long without a crash is a healthy one. */
export const RESTART_WINDOW_MS = 5 * 60_000;
/** Pause before each of them, ms: the first is quick because the person may be waiting for a click to count. */
const BACKOFF_MS = [200, 1_000, 4_000] as const;

/** Counts crashes. Holds no timer; the caller waits. */
export class RestartBudget {
  private crashes: readonly number[] = [];

  /** Records a crash at `now` and gives the pause before the next start, or nothing when there were too many. */
  spend(now: number): number | undefined {
    this.crashes = [...this.crashes.filter((at) => now - at < RESTART_WINDOW_MS), now];
    return this.crashes.length > RESTARTS ? undefined : BACKOFF_MS[this.crashes.length - 1];
  }

  /** The person has asked for a start: the count begins anew. */
  refill(): void {
    this.crashes = [];
  }
}
