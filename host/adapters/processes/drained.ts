import type { Clock } from '../../base/clock';

/**
 * How long a pipe may stay open after the shell and its group have ended, ms. Only a process that left the
 * group can hold it; what the command itself printed is read long before.
 */
const PIPE_GRACE_MS = 100;
/** Turns of the event loop after that in which bytes that wait in a pipe are still read. */
const LAST_TURNS = 32;

/** Resolves when the pipes are closed, or the grace is over and what was in them has been read. */
export function drained(closed: Promise<unknown>, clock: Clock, total: () => number): Promise<void> {
  return new Promise((done) => {
    void closed.then(() => {
      timer.clear();
      done();
    });
    let timer = clock.after(PIPE_GRACE_MS, () => turn(0, total()));
    // A busy thread may come to the timer before it has read what is there, so it reads until nothing comes.
    const turn = (turns: number, before: number): void => {
      timer = clock.after(1, () => {
        if (total() === before || turns === LAST_TURNS) done();
        else turn(turns + 1, total());
      });
    };
  });
}
