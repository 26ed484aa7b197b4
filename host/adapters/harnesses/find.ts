/** Where the programs of outside agents are on this machine. Only reads. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';

type Env = Readonly<Record<string, string | undefined>>;

/** The absolute path of a program: named as it is, or looked up on the PATH. */
export function findProgram(name: string, env: Env, platform: string): string | undefined {
  if (isAbsolute(name)) return isFile(name) ? name : undefined;
  const endings = platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of folders)
    for (const ending of endings) {
      const path = join(folder, `${name}${ending}`);
      if (isFile(path)) return path;
    }
  return undefined;
}

/** The path without links; itself when it cannot be followed. */
export function followed(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
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

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
