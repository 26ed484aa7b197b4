/** Where git takes its hooks from when a repository or its user says so (`core.hooksPath`). */
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { realpath, stat } from 'node:fs/promises';
import { openFile } from '../../base/effects';
import { looking, readBytes } from './disk';

/** What is read of a configuration; a longer one is no one's, bytes. */
const CONFIG_BYTES = 64 * 1024;
/** Files that one configuration is read from, with all that it includes: more is no one's, and would take time. */
const FILES_MOST = 32;
/** Settings that git takes from its environment (`GIT_CONFIG_COUNT`), as many as are looked at. */
const GIVEN_MOST = 64;

type Environment = Readonly<Record<string, string | undefined>>;

/** Absolute folders; files that cannot be read say nothing. `env` is what git is started with. */
export async function hookFolders(
  roots: readonly string[],
  env: Environment = process.env,
): Promise<readonly string[]> {
  const repositories = await Promise.all(roots.map(repositoryOf));
  const tops = repositories.map(({ top }) => top);
  const found = given(env).flatMap((path) => against(tops, path));
  for (const file of usersFiles(env)) found.push(...(await foldersOf(file, tops)));
  for (const { top, configs } of repositories)
    for (const file of configs) found.push(...(await foldersOf(file, [top])));
  return found;
}

/** The configurations of the system and of the user, wherever one may have put them. */
function usersFiles(env: Environment): readonly string[] {
  const home = homedir();
  const { GIT_CONFIG_SYSTEM, GIT_CONFIG_GLOBAL, XDG_CONFIG_HOME } = env;
  return [
    nonEmpty(GIT_CONFIG_SYSTEM) ?? '/etc/gitconfig',
    ...(nonEmpty(GIT_CONFIG_GLOBAL) === undefined ? [] : [resolve(home, GIT_CONFIG_GLOBAL ?? '')]),
    join(home, '.gitconfig'),
    join(nonEmpty(XDG_CONFIG_HOME) ?? join(home, '.config'), 'git', 'config'),
  ];
}

/** Folders that the environment itself names. */
function given(env: Environment): readonly string[] {
  const count = Math.min(Number(env['GIT_CONFIG_COUNT'] ?? 0) || 0, GIVEN_MOST);
  return Array.from({ length: Math.max(0, Math.floor(count)) }, (_, at) => at).flatMap((at) => {
    const isHooks = env[`GIT_CONFIG_KEY_${String(at)}`]?.toLowerCase() === 'core.hookspath';
    return isHooks ? (nonEmpty(env[`GIT_CONFIG_VALUE_${String(at)}`]) ?? []) : [];
  });
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

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

/** What a configuration and all that it includes say: each file once, one after the other, and not without end. */
async function foldersOf(file: string, bases: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  const files = new Set([file]);
  for (const one of files) {
    const config = await head(one);
    for (const path of valuesOf(config, /^core$/, 'hookspath')) found.push(...against(bases, path));
    for (const path of valuesOf(config, /^include(if)?$/, 'path'))
      if (files.size < FILES_MOST) files.add(resolve(dirname(one), atHome(path)));
  }
  return found;
}

const against = (bases: readonly string[], path: string): readonly string[] =>
  bases.map((base) => resolve(base, atHome(path)));

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
