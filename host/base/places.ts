/** Places of which only so many may be taken at once; who comes later waits in line. */

export interface Place {
  /** Harmless when called again. */
  free(): void;
}

interface Waiting {
  readonly take: (place: Place) => void;
}

/**
 * Owns the count. Whoever is given a place frees it, once. 1. Places are given in the order in which they
 * were asked for. 2. One who has left the line is given none.
 */
export class Places {
  private used = 0;
  private line: Waiting[] = [];
  private handing = false;

  constructor(private readonly most: number) {}

  /** A place at once, if one is free and nobody waits. */
  tryTake(): Place | undefined {
    return this.used < this.most && this.line.length === 0 ? this.give() : undefined;
  }

  /** Calls `take` once a place is free, never before it returns. `leave` ends the wait. */
  wait(take: (place: Place) => void): { leave(): void } {
    const waiting = { take };
    this.line.push(waiting);
    return { leave: () => (this.line = this.line.filter((one) => one !== waiting)) };
  }

  /** In a loop, since one who is given a place may free it at once. */
  private handOut(): void {
    if (this.handing) return;
    this.handing = true;
    while (this.used < this.most) {
      const next = this.line.shift();
      if (next === undefined) break;
      next.take(this.give());
    }
    this.handing = false;
  }

  private give(): Place {
    this.used += 1;
    let held = true;
    return {
      free: () => {
        if (!held) return;
        held = false;
        this.used -= 1;
        this.handOut();
      },
    };
  }
}
