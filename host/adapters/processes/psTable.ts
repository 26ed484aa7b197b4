/**
 * The processes of macOS and the BSDs, told by `ps`. No test runs it on these systems; its reading of their
 * output is tested.
 */
import { systemTool } from '../../base/effects';
import type { ProcessRow, ProcessTable } from './table';

type Ps = (args: readonly string[]) => Promise<string>;

const COLUMNS = 'pid=,ppid=,pgid=,stat=,lstart=';
const LIST = ['-A', '-o', COLUMNS] as const;
/** There is one space of pids on these systems. */
const SPACE = 'whole';
/** `-E` adds the environment behind the command; the system shows it only of one's own processes. */
const ENVIRONMENTS = ['-A', '-E', '-ww', '-o', 'pid=,command='] as const;

export function psTable(ps: Ps = (args) => systemTool('ps', args)): ProcessTable {
  const list = async (): Promise<readonly ProcessRow[]> => parseList(await ps(LIST));
  const alive = async (rows: readonly ProcessRow[]): Promise<readonly ProcessRow[]> => {
    const now = new Map((await list()).map((row) => [row.pid, row]));
    return rows.filter((row) => {
      const found = now.get(row.pid);
      return found?.start === row.start && !found.dead;
    });
  };
  return {
    own: async () => {
      const rows = parseList(await ps(['-o', COLUMNS, '-p', String(process.pid)]));
      const start = rows.find((row) => row.pid === process.pid)?.start;
      return start === undefined ? undefined : { start, space: SPACE };
    },
    list,
    marked: async (rows, variable) => {
      const wanted = new Set(rows.map((row) => row.pid));
      const values = parseEnvironments(await ps(ENVIRONMENTS), variable);
      return new Map([...values].filter(([pid]) => wanted.has(pid)));
    },
    alive,
    deaf: () => NONE,
    signal: async (rows, signal) => {
      for (const row of await alive(rows)) {
        try {
          process.kill(row.pid, signal);
        } catch {
          // It has just gone, or belongs to another user: the next look tells which.
        }
      }
    },
  };
}

const NONE: ReadonlySet<number> = new Set();

/** Lines of pid, parent, group, state and start; sessions are not told as numbers there. */
export function parseList(output: string): readonly ProcessRow[] {
  return output.split('\n').flatMap((line) => {
    const [, pid, parent, group, state, start] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (pid === undefined || state === undefined || start === undefined) return [];
    const dead = state.startsWith('Z');
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, start, dead }];
  });
}

/** The value of a variable by pid; the last one of a line, since arguments stand before the environment. */
export function parseEnvironments(output: string, variable: string): ReadonlyMap<number, string> {
  const values = new Map<number, string>();
  for (const line of output.split('\n')) {
    const pid = /^\s*(\d+) /.exec(line)?.[1];
    const value = line.split(` ${variable}=`).at(-1);
    if (pid !== undefined && value !== undefined && value !== line)
      values.set(Number(pid), value.split(' ')[0] ?? '');
  }
  return values;
}
