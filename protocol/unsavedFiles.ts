import type { Approval } from './approval';
import type { HostState } from './host';

/** Whether a person has unsaved changes in the file that a request would change: it is refused until they are saved. */
export function meetsUnsaved({ preview, folder }: Approval, host: HostState | undefined): boolean {
  if (preview.kind !== 'diff' || host?.unsaved === undefined) return false;
  const path = plain(isAbsolute(preview.path) ? preview.path : `${folder}/${preview.path}`);
  return host.unsaved.some((one) => plain(one) === path);
}

const DRIVE = /^[a-z]:[\\/]/i;
const isAbsolute = (path: string): boolean => path.startsWith('/') || DRIVE.test(path);

/** One writing of a path: Windows knows two separators and no case. */
const plain = (path: string): string => (DRIVE.test(path) ? path.toLowerCase().replaceAll('\\', '/') : path);
