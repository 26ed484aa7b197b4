/** Where git takes its hooks from when a repository or its user says so (`core.hooksPath`). */
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { realpath, stat } from 'node:fs/promises';
import { openFile } from '../../base/effects';
import { looking, readBytes } from './disk';

/** What is read of a configuration; a longer one is no one's, bytes. */
const CONFIG_BYTES = 64 * 1024;
/** Files that one configuration may include, one within the other; git itself stops at ten. */
const INCLUDES_MOST = 10;

/** Absolute folders; files that cannot be read say nothing. */
export async function hookFolders(roots: readonly string[]): Promise<readonly string[]> {
  const home = homedir();
  const repositories = await Promise.all(roots.map(repositoryOf));
  const tops = repositories.map(({ top }) => top);
  const found = await Promise.all([
    foldersOf(join(home, '.gitconfig'), tops),
    foldersOf(join(home, '.config', 'git', 'config'), tops),
    ...repositories.flatMap(({ top, configs }) => configs.map((file) => foldersOf(file, [top]))),
  ]);
  return found.flat();
}

interface Repository {
  /** The top of its working tree, which relative paths of its configuration begin at. */
  readonly top: string;
  readonly configs: readonly string[];
}

/** The repository that a folder lies in, also in a sub-folder, a worktree or a submodule. */
async function repositoryOf(folder: string): Promise<Repository> {
  for (let top = folder; ; top = dirname(top)) {
    const git = await gitFolder(join(top, '.git'));
    if (git !== undefined) {
      const common = resolve(git, (await head(join(git, 'commondir'))).trim());
      return { top, configs: [join(common, 'config'), join(git, 'config.worktree')] };
    }
    if (top === dirname(top)) return { top: folder, configs: [] };
  }
}

/** `.git` itself, or the folder that it names where it is a file. */
async function gitFolder(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined || stats.isDirectory()) return stats === undefined ? undefined : path;
  const named = /^gitdir:\s*(.+?)\s*$/m.exec(await head(path))?.[1];
  return named === undefined ? undefined : resolve(dirname(path), named);
}

async function foldersOf(file: string, bases: readonly string[], depth = 0): Promise<readonly string[]> {
  const config = await head(file);
  const own = valuesOf(config, /^core$/, 'hookspath').flatMap((path) =>
    bases.map((base) => resolve(base, atHome(path))),
  );
  if (depth === INCLUDES_MOST) return own;
  const included = valuesOf(config, /^include(if)?$/, 'path').map((path) =>
    resolve(dirname(file), atHome(path)),
  );
  const theirs = await Promise.all(included.map((one) => foldersOf(one, bases, depth + 1)));
  return [...own, ...theirs.flat()];
}

const atHome = (path: string): string => path.replace(/^~(?=\/|$)/, homedir());

/** Values of `hooksPath` in section `core` of a configuration. */
export const hooksPaths = (config: string): readonly string[] => valuesOf(config, /^core$/, 'hookspath');

function valuesOf(config: string, wanted: RegExp, name: string): readonly string[] {
  const values: string[] = [];
  let section = '';
  for (const line of config.split('\n')) {
    section = /^\s*\[\s*([^\]"\s]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    const [, key, value] = /^(?:\s*\[[^\]]*\])?\s*([a-z][a-z0-9-]*)\s*=\s*(.*?)\s*$/i.exec(line) ?? [];
    if (wanted.test(section) && key?.toLowerCase() === name && value !== undefined && value !== '')
      values.push(unquoted(value));
  }
  return values;
}

function unquoted(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(value)?.[1];
  return quoted === undefined ? value.replace(/\s[#;].*$/, '') : quoted.replace(/\\(.)/g, '$1');
}

async function head(file: string): Promise<string> {
  try {
    const handle = await openFile(looking, await realpath(file));
    try {
      return (await readBytes(handle, 0, CONFIG_BYTES)).toString('utf8');
    } finally {
      await handle.close();
    }
  } catch {
    return '';
  }
}
