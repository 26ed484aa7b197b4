/** Which files a rule is for. Paths are absolute and real. Pure: it looks at no disk. */
import type { Subject } from './reading';

/** The system's own sign between names: a backslash may be part of a name where `/` is that. */
const signOf = (path: string): string => (path.startsWith('/') ? '/' : '\\');

/** Whether a file is in a folder or in one of its folders. */
export function isUnder(folder: string, path: string): boolean {
  const sign = signOf(folder);
  return path.startsWith(folder.endsWith(sign) ? folder : folder + sign);
}

/** The folder of a file; none for what is at the very root. */
export function folderOf(path: string): string | undefined {
  const at = path.lastIndexOf(signOf(path));
  return at <= 0 ? undefined : path.slice(0, at);
}

/** The files that a call is for. */
export const pathsOf = (subject: Subject): readonly string[] =>
  subject.kind === 'path' ? [subject.path] : subject.kind === 'paths' ? subject.paths : [];
