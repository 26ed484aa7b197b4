/** The processes of a Linux system, read from /proc. */
import { readFileSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { constants } from 'node:os';
import type { Clock } from '../../base/clock';
import type { ProcessRow, ProcessTable } from './table';

/** Processes looked at before others on this thread get a turn: about a millisecond of work. */
const BATCH = 100;

export function linuxTable(clock: Clock): ProcessTable {
  const marks = new Map<string, WeakMap<ProcessRow, { readonly value: string | undefined }>>();
  return {
    own: async () => {
      const row = look(process.pid);
      return row === undefined ? undefined : { start: row.start, space: await pidSpace() };
    },
    list: together(async () => {
      const rows: ProcessRow[] = [];
      for (const [index, name] of (await readdir('/proc')).entries()) {
        if (index % BATCH === BATCH - 1) await breath(clock);
        const row = /^\d+$/.test(name) ? look(Number(name)) : undefined;
        if (row !== undefined) rows.push(row);
      }
      return rows;
    }),
    marked: async (rows, variable) => {
      const known = marks.get(variable) ?? new WeakMap<ProcessRow, { readonly value: string | undefined }>();
      marks.set(variable, known);
      const found = new Map<number, string>();
      let fresh = 0;
      for (const row of rows) {
        // A row of a list that several have asked for is read once for all of them.
        let mark = known.get(row);
        if (mark === undefined) {
          if (++fresh % BATCH === 0) await breath(clock);
          known.set(row, (mark = { value: variableOf(row.pid, variable) }));
        }
        if (mark.value !== undefined) found.set(row.pid, mark.value);
      }
      return found;
    },
    alive: (rows) => Promise.resolve(rows.filter(isAlive)),
    deaf: (rows, signal) => new Set(rows.filter((row) => ignores(row.pid, signal)).map((row) => row.pid)),
    signal: (rows, signal) => {
      for (const row of rows) if (isAlive(row)) send(row.pid, signal);
      return Promise.resolve();
    },
  };
}

/**
 * Whoever asks before a look has begun shares it, and whoever asks while one is under way shares the next: a hundred
 * stops at once look once, and nobody is shown what was so before it was asked for.
 */
function together<T>(begin: () => Promise<T>): () => Promise<T> {
  let next: Promise<T> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return () =>
    (next ??= last.then(() => {
      next = undefined;
      const begun = begin();
      last = begun.catch(() => undefined);
      return begun;
    }));
}

/** The row of one process, or undefined when there is none. */
function look(pid: number): ProcessRow | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** The second field is the program's name in parentheses, and may hold spaces and parentheses itself. */
export function parseStat(line: string): ProcessRow | undefined {
  const [state, parent, group, session, ...rest] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const start = rest[15];
  const pid = Number.parseInt(line, 10);
  if (state === undefined || start === undefined || Number.isNaN(pid)) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    start,
    dead: state === 'Z' || state === 'X',
  };
}

async function pidSpace(): Promise<string> {
  return (await readlink('/proc/self/ns/pid')).replace(/\D/g, '');
}

function isAlive(row: ProcessRow): boolean {
  const now = look(row.pid);
  return now?.start === row.start && !now.dead;
}

/** From the mask of ignored signals, in which each has one bit. */
function ignores(pid: number, signal: NodeJS.Signals): boolean {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
  } catch {
    return false;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just gone, or belongs to another user: the next look at the tree tells which.
  }
}

function variableOf(pid: number, variable: string): string | undefined {
  try {
    const found = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.split(`\0${variable}=`)[1];
    return found?.split('\0')[0];
  } catch {
    return undefined;
  }
}

function breath(clock: Clock): Promise<void> {
  return new Promise((done) => clock.after(0, done));
}
