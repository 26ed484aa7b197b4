/**
 * The mark that everything a host starts carries in its environment, so that what a crash left behind is found
 * (X6): `HOST.PID.START.SPACE`, the host's id, its process and when that started, and the space of pids in
 * which these numbers hold. It consists of letters, digits, dots and hyphens.
 */
import { look, pidSpace } from './linuxTable';

export const HOST_MARK = 'BELAY_HOST';

export interface HostMark {
  readonly host: string;
  readonly pid: number;
  readonly start: string;
  readonly space: string;
  readonly text: string;
}

/** `host` is unique for each start of a host: letters, digits and hyphens. */
export async function hostMark(host: string): Promise<HostMark> {
  const pid = process.pid;
  const start = look(pid)?.start ?? 'unknown';
  const space = await pidSpace();
  return { host, pid, start, space, text: [host, pid, start, space].join('.') };
}

export function parseHostMark(text: string): HostMark | undefined {
  const [host, pid, start, space, ...rest] = text.split('.');
  if (host === undefined || start === undefined || space === undefined || rest.length > 0) return undefined;
  return /^[1-9]\d*$/.test(pid ?? '') ? { host, pid: Number(pid), start, space, text } : undefined;
}
