/** Ends what a host that is no more has left running (X6). */
import { STOP_STEP_MS } from '../../../protocol';
import type { Clock } from '../../base/clock';
import { HOST_MARK, inMark, parseHostMark, UNKNOWN, type HostMark } from './hostMark';
import { LADDER, Stop } from './stop';
import type { ProcessRow, ProcessTable } from './table';

export interface Swept {
  /** Pids of the processes that were ended, for the log. */
  readonly ended: readonly number[];
  /** Pids of those that could not be. */
  readonly survivors: readonly number[];
}

/**
 * Looks once at all processes and ends those that carry the mark of a dead host. A host is dead when no process
 * has both its pid and its start. Never judged is one that counts its pids in another space, or whose start or space
 * is not known.
 */
export async function sweep(table: ProcessTable, clock: Clock, own: HostMark): Promise<Swept> {
  const first = await leftBehind(table, own);
  if (first.length === 0) return { ended: [], survivors: [] };
  const stop = new Stop({ table, clock, find: () => leftBehind(table, own), isInVain: () => false });
  const { survivors } = await stop.end(LADDER, STOP_STEP_MS);
  return { ended: first.map((row) => row.pid).filter((pid) => !survivors.includes(pid)), survivors };
}

async function leftBehind(table: ProcessTable, own: HostMark): Promise<readonly ProcessRow[]> {
  const rows = (await table.list()).filter((row) => !row.dead);
  const marks = await table.marked(rows, HOST_MARK);
  const alive = new Set(rows.map((row) => `${row.pid} ${inMark(row.start)}`));
  return rows.filter((row) => {
    const mark = parseHostMark(marks.get(row.pid) ?? '');
    if (mark === undefined || mark.start === UNKNOWN || mark.space === UNKNOWN) return false;
    return mark.space === own.space && !alive.has(`${mark.pid} ${mark.start}`);
  });
}
