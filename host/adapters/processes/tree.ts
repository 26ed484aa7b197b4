/** Which processes belong to a command: pure, from what the system tells of all of them. */
import type { ProcessRow } from './table';

/**
 * What is known to be a command's: it grows with each look, so that a process whose parent has gone since is
 * still known, and so that what a gone process has left in its group or session is found.
 */
export interface Known {
  /** Start of each process that was ever seen in the tree, by pid. */
  readonly starts: ReadonlyMap<number, string>;
  /** Pid of the command's own shell while it is not collected: no other process can have it. */
  readonly root: number | undefined;
  /** Pid of the command's own shell, which leads its group and session. */
  readonly leader: number;
}

/**
 * The members among all processes. A process belongs to the tree when it carries the command's mark, or
 * descends from a member, or sits in a group or session that a member leads or has led.
 */
export function membersOf(
  rows: readonly ProcessRow[],
  known: Known,
  marked: ReadonlySet<number>,
): readonly ProcessRow[] {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const isKnown = (row: ProcessRow): boolean =>
    marked.has(row.pid) || known.starts.get(row.pid) === row.start || row.pid === known.root;
  const members = new Map(rows.filter(isKnown).map((row) => [row.pid, row]));
  const leads = (pid: number): boolean => {
    if (members.has(pid)) return true;
    // The leader has gone. Its number is kept from others while its group or session has members, so a
    // process that has the number now shows that the group is another one.
    return !byPid.has(pid) && (known.starts.has(pid) || pid === known.leader);
  };
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const row of rows) {
      if (members.has(row.pid)) continue;
      if (members.has(row.parent) || leads(row.group) || leads(row.session)) members.set(row.pid, row);
    }
  }
  return [...members.values()];
}
