/** Where the programs of outside agents are on this machine. Only reads. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { isFile } from '../../base/programs';

/** The path without links, and behind the batch file that npm puts in their place on Windows; itself when it cannot be followed. */
export function followed(path: string): string {
  try {
    return realpathSync(/\.cmd$/i.test(path) ? (behindShim(path) ?? path) : path);
  } catch {
    return path;
  }
}

/** What npm's batch file starts: the last file that it names in the folders below its own. */
function behindShim(path: string): string | undefined {
  const named = [...readFileSync(path, 'utf8').matchAll(/"%(?:~dp0|dp0%)\\?([^"%]+)"/g)].map(
    (found) => found[1] ?? '',
  );
  const inside = named.filter((name) => name.includes('node_modules')).at(-1);
  return inside === undefined ? undefined : join(dirname(path), ...inside.split('\\'));
}

/** The first of several paths at which there is a file. */
export const firstFile = (paths: readonly string[]): string | undefined => paths.find(isFile);

const Package = z.looseObject({ version: z.string() });

/** The version in the npm package that a program lies in, if it lies in one. */
export function packageVersion(path: string): string | undefined {
  let folder = dirname(followed(path));
  for (let up = 0; up < PACKAGE_DEPTH; up += 1) {
    const version = versionIn(join(folder, 'package.json'));
    if (version !== undefined) return version;
    folder = dirname(folder);
  }
  return undefined;
}

/** Folders between a package's own and a program in it: `vendor/TRIPLE/bin`. */
const PACKAGE_DEPTH = 4;

function versionIn(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const parsed = Package.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data.version : undefined;
  } catch {
    return undefined;
  }
}
