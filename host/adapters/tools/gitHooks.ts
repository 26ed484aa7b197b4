/** Where git takes its hooks from when a repository or its user says so (`core.hooksPath`). */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { realpath } from 'node:fs/promises';
import { openFile } from '../../base/effects';
import { looking, readBytes } from './disk';

/** What is read of a configuration; a longer one is no one's, bytes. */
const CONFIG_BYTES = 64 * 1024;

/** Absolute folders; files that cannot be read say nothing. */
export async function hookFolders(roots: readonly string[]): Promise<readonly string[]> {
  const home = homedir();
  const configs = [
    { file: join(home, '.gitconfig'), bases: roots },
    { file: join(home, '.config', 'git', 'config'), bases: roots },
    ...roots.map((root) => ({ file: join(root, '.git', 'config'), bases: [root] })),
  ];
  const found = await Promise.all(
    configs.map(async ({ file, bases }) => {
      const paths = hooksPaths(await head(file));
      return paths.flatMap((path) => bases.map((base) => resolve(base, path.replace(/^~(?=\/|$)/, home))));
    }),
  );
  return found.flat();
}

/** Values of `hooksPath` in section `core` of a configuration. */
export function hooksPaths(config: string): readonly string[] {
  const paths: string[] = [];
  let section = '';
  for (const line of config.split('\n')) {
    section = /^\s*\[\s*([^\]"\s]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    const value = /^(?:\s*\[[^\]]*\])?\s*hookspath\s*=\s*(.*?)\s*$/i.exec(line)?.[1];
    if (section === 'core' && value !== undefined && value !== '') paths.push(unquoted(value));
  }
  return paths;
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
