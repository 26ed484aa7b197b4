/**
 * What git reads and runs because a repository or its user says so: folders of hooks (`core.hooksPath`), included
 * configurations, and the programs that a configuration names.
 */
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

/** What git is configured to read or run: `folders` with everything below them. */
export interface Named {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Absolute paths, as they are named and as they lead; files that cannot be read say nothing. `env` is git's own. */
export async function namedByGit(roots: readonly string[], env: Environment = process.env): Promise<Named> {
  const repositories = await Promise.all(roots.map(repositoryOf));
  const tops = repositories.map(({ top }) => top);
  const found: Found = { folders: new Set(), files: new Set() };
  for (const setting of given(env)) take(found, setting, tops);
  for (const file of usersFiles(env)) await takeAll(found, file, tops);
  for (const { top, configs } of repositories) for (const file of configs) await takeAll(found, file, [top]);
  return { folders: await andReal(found.folders), files: await andReal(found.files) };
}

async function andReal(paths: ReadonlySet<string>): Promise<readonly string[]> {
  const real = await Promise.all([...paths].map((path) => realpath(path).catch(() => path)));
  return [...new Set([...paths, ...real])];
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

interface Setting {
  /** Section and key, in lower case and without what stands between them: `core.hookspath`, `filter.clean`. */
  readonly name: string;
  readonly value: string;
}

/** Settings that the environment itself gives. */
function given(env: Environment): readonly Setting[] {
  const count = Math.min(Number(env['GIT_CONFIG_COUNT'] ?? 0) || 0, GIVEN_MOST);
  return Array.from({ length: Math.max(0, Math.floor(count)) }, (_, at) => String(at)).flatMap((at) => {
    const key = env[`GIT_CONFIG_KEY_${at}`]?.toLowerCase() ?? '';
    const value = nonEmpty(env[`GIT_CONFIG_VALUE_${at}`]);
    return value === undefined ? [] : [{ name: key.replace(/\..*\./, '.'), value }];
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

interface Found {
  readonly folders: Set<string>;
  readonly files: Set<string>;
}

/** What a configuration and all that it includes name: each file once, one after the other, and not without end. */
async function takeAll(found: Found, file: string, bases: readonly string[]): Promise<void> {
  const files = new Set([file]);
  for (const one of files)
    for (const setting of settingsOf(await head(one))) {
      take(found, setting, bases);
      if (!/^include(if)?\.path$/.test(setting.name)) continue;
      const included = resolve(dirname(one), atHome(setting.value));
      found.files.add(included);
      if (files.size < FILES_MOST) files.add(included);
    }
}

/** Folders whose files git runs, or copies to where it runs them. */
const FOLDERS = new Set(['core.hookspath', 'init.templatedir']);

/** Values that are command lines. */
const COMMANDS = new RegExp(
  `^(${[
    'core\\.(fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)|sequence\\.editor',
    'diff\\.(external|command|textconv)|interactive\\.difffilter|filter\\.(clean|smudge|process)|merge\\.driver',
    '(difftool|mergetool|man|browser|trailer)\\.(cmd|command|path)|gpg\\.program|credential\\.helper|(alias|pager)\\..+',
    'remote\\.(uploadpack|receivepack)|submodule\\.update|uploadpack\\.packobjectshook',
  ].join('|')})$`,
);

function take(found: Found, { name, value }: Setting, bases: readonly string[]): void {
  for (const base of bases) {
    if (FOLDERS.has(name)) found.folders.add(resolve(base, atHome(value)));
    if (COMMANDS.test(name)) for (const path of pathsOf(value)) found.files.add(resolve(base, atHome(path)));
  }
}

/** Words of a command line that can be a file here; a bare name is a program of the system. */
const pathsOf = (command: string): readonly string[] =>
  command
    .split(/[\s"'`=;|&()<>!$]+/)
    .filter((word) => /[\w-]\.\w|[/\\]\w/.test(word) && !word.includes('://'));

const atHome = (path: string): string => path.replace(/^~(?=\/|$)/, homedir());

/** All settings of a configuration, in their order. */
export function settingsOf(config: string): readonly Setting[] {
  const settings: Setting[] = [];
  let section = '';
  // A line that ends with a backslash goes on with the next one.
  for (const line of config.replace(/\\\r?\n/g, '').split('\n')) {
    section = /^\s*\[\s*([^\]".\s]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    const [, key, value] = /^(?:\s*\[[^\]]*\])?\s*([a-z][a-z0-9-]*)\s*=\s*(.*?)\s*$/i.exec(line) ?? [];
    if (key !== undefined && value !== undefined && value !== '')
      settings.push({ name: `${section}.${key.toLowerCase()}`, value: unquoted(value) });
  }
  return settings;
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
