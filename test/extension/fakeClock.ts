import type { Clock } from '../../extension/clock';

/** A clock that stands still until a test turns it. */
export class FakeClock implements Clock {
  private time = 0;
  private readonly timers = new Map<number, { at: number; run: () => void }>();
  private nextId = 0;

  now(): number {
    return this.time;
  }

  after(ms: number, run: () => void): () => void {
    const id = this.nextId++;
    this.timers.set(id, { at: this.time + ms, run });
    return () => this.timers.delete(id);
  }

  /** Timers that have been set and have neither fired nor been called off. */
  get pending(): number {
    return this.timers.size;
  }

  turn(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.timers]
        .filter(([, timer]) => timer.at <= end)
        .sort((a, b) => a[1].at - b[1].at)[0];
      if (due === undefined) break;
      this.timers.delete(due[0]);
      this.time = due[1].at;
      due[1].run();
    }
    this.time = end;
  }
}
