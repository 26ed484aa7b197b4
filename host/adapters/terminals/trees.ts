/** What terminals need from whoever sees and ends processes; `host/adapters/processes` is the real one. */
import type { Launch } from '../../base/launch';
import type { StopReport } from '../../engine/ports';

export interface Trees {
  /**
   * Before something is started: its environment, cleaned, with the marks by which it is found, and something
   * that ends it when the host is gone (X6). `manners` is added to it.
   */
  adopt(launch: Launch, manners: Readonly<Record<string, string>>): Adopted;
}

export interface Adopted {
  readonly env: Readonly<Record<string, string>>;
  /**
   * `leader` leads its session; without one (-1) only what carries the mark is looked for. `isRunning` is true
   * while nobody else can have its number.
   */
  follow(leader: number, options: FollowOptions): Tree;
}

export interface FollowOptions {
  readonly isRunning: () => boolean;
  /** It is a shell at its prompt, which takes no notice of SIGINT. */
  readonly isShell: boolean;
}

/** Everything that came from one program. */
export interface Tree {
  /** Ends it: all, or only what stayed in its session. */
  end(scope: 'tree' | 'session', ladder: 'interrupt' | 'left_behind'): Promise<StopReport>;
  /** Its program has ended: a wait for the end of all looks at once. */
  nudge(): void;
  /** All has been seen gone. */
  release(): void;
}
