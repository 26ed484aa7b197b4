import { systemClock, type Clock } from '../../base/clock';
import { linuxTable } from './linuxTable';
import { psTable } from './psTable';
import type { ProcessTable } from './table';

/** The table of this system's processes. Windows has none: trees are ended there by the system's own tool. */
export function tableOf(platform: NodeJS.Platform, clock: Clock = systemClock): ProcessTable | undefined {
  if (platform === 'linux') return linuxTable(clock);
  return platform === 'win32' ? undefined : psTable();
}
