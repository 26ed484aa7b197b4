import * as nodePath from 'node:path';

/**
 * The file that a link of the agent means, if it lies in one of the folders; undefined otherwise. A link is the
 * agent's text: what it opens must not be elsewhere on this machine, nor on another one, which Windows would greet
 * with the person's credentials. `base` is where a relative path begins.
 */
export function linkTarget(
  path: string,
  base: string,
  folders: readonly string[],
  flavour: nodePath.PlatformPath = nodePath,
): string | undefined {
  const full = flavour.resolve(base, path);
  const inside = (folder: string): boolean => {
    const way = flavour.relative(folder, full);
    return way !== '..' && !way.startsWith(`..${flavour.sep}`) && !flavour.isAbsolute(way);
  };
  return folders.some(inside) ? full : undefined;
}
