/**
 * Runs scripts (S1 to S8): each in a thread and a world of its own. Nothing is loaded before the first one.
 *
 * Owns the threads, and who waits for one.
 */
import type { Clock } from '../../base/clock';
import type { Launch } from '../../base/launch';
import type { Disposable } from '../../base/lifecycle';
import { Places } from '../../base/places';
import type { Secrets } from '../../base/redact';
import type { Run, Steps } from '../../engine/ports';
import { ThreadPool } from './pool';
import { ScriptRun, type Room, type ScriptRequest } from './run';

export interface ScriptsOptions {
  /** Absolute path of the folder with the thread's program and the engine. */
  readonly assets: string;
  readonly clock: Clock;
  /** Values that must not reach a result (X8). */
  readonly secrets: () => Secrets;
}

export interface Scripts extends Disposable {
  run(
    request: ScriptRequest,
    launch: Launch,
    onOutput: (stream: 'stdout' | 'stderr', text: string) => void,
    steps: Steps,
  ): Run;
}

/** Scripts that run at once: each has a thread and up to 128 MiB. Who comes later waits in line. */
const SCRIPTS_AT_ONCE = 16;

export function createScripts(options: ScriptsOptions): Scripts {
  const pool = new ThreadPool(options.assets, options.clock);
  const places = new Places(SCRIPTS_AT_ONCE);
  return {
    run: (request, launch, onOutput, steps) => {
      const room: Room = {
        clock: options.clock,
        secrets: options.secrets,
        take: (gate) => pool.take(gate),
        giveBack: (thread) => pool.giveBack(thread),
        drop: (thread) => pool.drop(thread),
        warm: (gate) => pool.warm(gate),
      };
      const run = new ScriptRun(room, request, launch, onOutput, steps);
      const place = places.tryTake();
      if (place !== undefined) void run.begin(place);
      else {
        const line = places.wait((given) => void run.begin(given));
        void run.done.then(() => line.leave());
      }
      return run;
    },
    dispose: () => pool.dispose(),
  };
}
