/**
 * A command's processes, and the way to end them.
 *
 * Owns what is known of one command's tree; it grows with each look. Made by the command itself.
 */
import type { Clock } from '../../base/clock';
import type { StopReport } from '../../engine/ports';
import { Stop, type Ladder } from './stop';
import type { ProcessRow, ProcessTable } from './table';
import { membersOf } from './tree';

/** The variable that names a command in the environment of everything that it starts. */
export const RUN_MARK = 'BELAY_RUN';

/**
 * `tree`: everything that the command has started. `group`: only what stayed in its process group; `session`:
 * in its session, in which a shell at a terminal gives each job a group. `work`: what went into sessions of its
 * own, as outside agents start the commands of their models.
 */
export type Scope = 'tree' | 'group' | 'session' | 'work';

export interface Family {
  /** Something is in the command's process group; a look that costs one system call. */
  hasGroup(): boolean;
  /** Never rejects: what cannot be seen is not said to have stopped. */
  end(scope: Scope, ladder: Ladder, stepMs: number): Promise<StopReport>;
  /** Looks at the tree as it is now, so that what loses its parent later is still known. Never rejects. */
  see(): Promise<void>;
  /** The command's shell has ended: a wait for the end of all looks at once. */
  nudge(): void;
}

/** How often, and how many ms apart, a group is killed whose processes cannot be seen. */
const UNSEEN_LOOKS = 20;
const UNSEEN_LOOK_MS = 10;

export interface FamilyOptions {
  readonly table: ProcessTable;
  readonly clock: Clock;
  /** Pid of the command's shell, the leader of its group and session. */
  readonly leader: number;
  /** The value of `RUN_MARK`. */
  readonly mark: string;
  /** The shell is not collected yet, so that its pid is still its own. */
  readonly isRunning: () => boolean;
  /** It is a shell at its prompt, which takes no notice of SIGINT. */
  readonly isShell?: boolean;
}

export class PosixFamily implements Family {
  private readonly starts = new Map<number, string>();
  private readonly stops = new Set<Stop>();

  constructor(private readonly options: FamilyOptions) {}

  async end(scope: Scope, ladder: Ladder, stepMs: number): Promise<StopReport> {
    const { table, clock, leader } = this.options;
    const find = async (): Promise<readonly ProcessRow[]> => {
      const members = await this.look();
      switch (scope) {
        case 'tree':
          return members;
        case 'group':
          return members.filter((row) => row.group === leader);
        case 'session':
          return members.filter((row) => row.group === leader || row.session === leader);
        case 'work':
          return members.filter((row) => placeOf(row) !== leader);
      }
    };
    const stop = new Stop({ table, clock, find, isInVain: (left, signal) => this.isInVain(left, signal) });
    this.stops.add(stop);
    try {
      return await stop.end(ladder, stepMs);
    } catch {
      return await this.endUnseen(scope);
    } finally {
      this.stops.delete(stop);
    }
  }

  /** The system shows no processes now: the group is killed by its number, and no more is said than it tells (X5). */
  private async endUnseen(scope: Scope): Promise<StopReport> {
    const { clock, leader } = this.options;
    const isThere = (): boolean => leader > 0 && scope !== 'work' && this.hasGroup();
    for (let look = 0; look < UNSEEN_LOOKS && isThere(); look += 1) {
      killGroup(leader);
      await new Promise<void>((done) => clock.after(UNSEEN_LOOK_MS, done));
    }
    return { stopped: false, survivors: isThere() ? [leader] : [] };
  }

  async see(): Promise<void> {
    await this.look().catch(() => undefined);
  }

  hasGroup(): boolean {
    // Mostly there is none, which the system tells by an error: its stack would cost more than the question.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      process.kill(-this.options.leader, 0);
      return true;
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  nudge(): void {
    for (const stop of this.stops) stop.nudge();
  }

  private isInVain(left: readonly ProcessRow[], signal: NodeJS.Signals): boolean {
    const { table, leader, isShell } = this.options;
    const deaf = table.deaf(left, signal);
    const isAtPrompt = (row: ProcessRow): boolean =>
      isShell === true && signal === 'SIGINT' && row.pid === leader;
    return left.every((row) => deaf.has(row.pid) || isAtPrompt(row));
  }

  /** Members that are alive now. */
  private async look(): Promise<readonly ProcessRow[]> {
    const { table, leader, mark, isRunning } = this.options;
    const rows = await table.list();
    const values = await table.marked(this.youngEnough(rows), RUN_MARK);
    const marked = new Set([...values].filter(([, value]) => value === mark).map(([pid]) => pid));
    const known = { starts: this.starts, root: isRunning() ? leader : undefined, leader };
    const members = membersOf(rows, known, marked);
    for (const row of members) this.starts.set(row.pid, row.start);
    return members.filter((row) => !row.dead);
  }

  /** Environments are read only of what is not older than the shell: the others cannot come from it. */
  private youngEnough(rows: readonly ProcessRow[]): readonly ProcessRow[] {
    const { leader, isRunning } = this.options;
    const row = isRunning() ? rows.find((one) => one.pid === leader) : undefined;
    const start = this.starts.get(leader) ?? row?.start;
    return start === undefined ? rows : rows.filter((one) => !isOlder(one.start, start));
  }
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It has gone meanwhile, or is another user's by now.
  }
}

/** The session of a process, or its group where the system tells no sessions. */
const placeOf = (row: ProcessRow): number => (row.session === 0 ? row.group : row.session);

/** Only Linux's numbers are compared; dates as `ps` prints them are not. */
function isOlder(start: string, than: string): boolean {
  return /^\d+$/.test(start) && /^\d+$/.test(than) && Number(start) < Number(than);
}
