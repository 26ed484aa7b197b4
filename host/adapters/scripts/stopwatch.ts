/** Running time with a limit (S5): it stands still while a script waits for a person or a place. */
import type { Clock, Timer } from '../../base/clock';

export class Stopwatch {
  private timer: Timer | undefined;
  private since: number | undefined;
  private spent = 0;

  constructor(
    private readonly clock: Clock,
    private limitMs: number,
    private readonly over: () => void,
  ) {}

  get ms(): number {
    return this.spent + (this.since === undefined ? 0 : this.clock.now() - this.since);
  }

  run(): void {
    if (this.since !== undefined) return;
    this.since = this.clock.now();
    this.timer = this.clock.after(Math.max(0, this.limitMs - this.spent), this.over);
  }

  hold(): void {
    this.spent = this.ms;
    this.since = undefined;
    this.timer?.clear();
  }

  /** Another limit from now on; what has been spent counts. */
  limit(ms: number): void {
    this.limitMs = ms;
    if (this.since === undefined) return;
    this.hold();
    this.run();
  }
}
