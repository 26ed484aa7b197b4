/** A timer that has been set; `clear` is harmless after it fired. */
export interface Timer {
  clear(): void;
}

/** Wall clock and timers. The only door to time in the host, so that a test can turn it by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds. */
  after(ms: number, run: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const id = setTimeout(run, ms);
    return { clear: () => clearTimeout(id) };
  },
};

/** Runs after what is already on its way: replies that have been handed to a port, for one. */
export const soon = (run: () => void): void => void setImmediate(run);

/** Lets what has come meanwhile have its turn, in the middle of long work. */
export const breath = (): Promise<void> => new Promise(soon);
