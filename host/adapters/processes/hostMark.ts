/**
 * The mark that everything a host starts carries in its environment, so that what a crash left behind is found
 * (X6): `HOST.PID.START.SPACE`, the host's id, its process and when that started, and the space of pids in
 * which these numbers hold. It consists of letters, digits, dots and hyphens.
 */
import type { ProcessTable } from './table';
import { tableOf } from './tables';

export const HOST_MARK = 'BELAY_HOST';

export interface HostMark {
  readonly host: string;
  readonly pid: number;
  readonly start: string;
  readonly space: string;
  readonly text: string;
}

/** Stands where the system does not tell: such a mark is never judged. */
export const UNKNOWN = 'unknown';

/**
 * `host` is unique for each start of a host: letters, digits and hyphens. Its start is told by the same table by
 * which a later host looks for it.
 */
export async function hostMark(
  host: string,
  table: ProcessTable | undefined = tableOf(process.platform),
): Promise<HostMark> {
  const pid = process.pid;
  const own = await table?.own().catch(() => undefined);
  const start = own === undefined ? UNKNOWN : inMark(own.start);
  const space = own?.space ?? UNKNOWN;
  return { host, pid, start, space, text: [host, pid, start, space].join('.') };
}

/** A start as it stands in a mark: without blanks, dots and colons. */
export const inMark = (start: string): string => start.replaceAll(/[^A-Za-z0-9]+/g, '-');

export function parseHostMark(text: string): HostMark | undefined {
  const [host, pid, start, space, ...rest] = text.split('.');
  if (host === undefined || start === undefined || space === undefined || rest.length > 0) return undefined;
  return /^[1-9]\d*$/.test(pid ?? '') ? { host, pid: Number(pid), start, space, text } : undefined;
}
