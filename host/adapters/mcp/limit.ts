/**
 * The time of one call: it ends after a silence, or after all of its running time, whichever comes first.
 *
 * Owns one timer. 1. Progress begins the silence anew, never the whole. 2. While a person is asked the clock
 * stands still. 3. It fires once at most.
 */
import type { Clock, Timer } from '../../base/clock';

export class Limit {
  private timer: Timer | undefined;
  private silent: number;
  private left: number;
  private since: number;
  private holds = 0;
  private over = false;

  constructor(
    private readonly clock: Clock,
    /** Both in ms. */
    private readonly limits: { readonly silence: number; readonly whole: number },
    private readonly fire: (why: 'silence' | 'whole') => void,
  ) {
    this.silent = limits.silence;
    this.left = limits.whole;
    this.since = clock.now();
    this.arm();
  }

  touch(): void {
    this.count();
    this.silent = this.limits.silence;
    this.arm();
  }

  /** A person is asked from now on; `go` for each `hold`. */
  hold(): void {
    this.count();
    this.holds += 1;
    this.timer?.clear();
  }

  go(): void {
    this.count();
    this.holds -= 1;
    this.arm();
  }

  end(): void {
    this.over = true;
    this.timer?.clear();
  }

  private count(): void {
    const now = this.clock.now();
    if (this.holds === 0) {
      this.silent -= now - this.since;
      this.left -= now - this.since;
    }
    this.since = now;
  }

  private arm(): void {
    this.timer?.clear();
    if (this.over || this.holds > 0) return;
    const why = this.silent < this.left ? 'silence' : 'whole';
    this.timer = this.clock.after(Math.max(0, Math.min(this.silent, this.left)), () => {
      this.over = true;
      this.fire(why);
    });
  }
}
