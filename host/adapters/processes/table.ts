/** What the system tells of its processes; one small port, so that each system has its own way behind it. */

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** Process group; the pid of its first leader. */
  readonly group: number;
  /** 0 where the system does not tell. */
  readonly session: number;
  /** When it started, in a form that two processes with the same pid do not share. */
  readonly start: string;
  /** It has ended and only waits to be collected by its parent. */
  readonly dead: boolean;
}

/** This process, as its own table tells it. */
export interface OwnRow {
  /** In the same form as in `list`. */
  readonly start: string;
  /** Names the processes that can see each other: a pid means nothing in another such space. */
  readonly space: string;
}

export interface ProcessTable {
  /** Undefined or rejected when the system does not tell. */
  own(): Promise<OwnRow | undefined>;
  /** Every process that can be seen now, in no order. */
  list(): Promise<readonly ProcessRow[]>;
  /** Those of the given processes whose environment has this variable, with its value. Others' are not readable. */
  marked(rows: readonly ProcessRow[], variable: string): Promise<ReadonlyMap<number, string>>;
  /** Those that are still there: the same pid and start, and not dead. */
  alive(rows: readonly ProcessRow[]): Promise<readonly ProcessRow[]>;
  /** Those on which a signal has no effect, because they ignore it; none where the system does not tell. */
  deaf(rows: readonly ProcessRow[], signal: NodeJS.Signals): ReadonlySet<number>;
  /** Sends a signal to each that is still the same process at that moment; to nothing else. */
  signal(rows: readonly ProcessRow[], signal: NodeJS.Signals): Promise<void>;
}
