/** Folders and files that a client names, looked at before anything is written down of them. */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { say, type RuleMatch } from '../../protocol';
import { realPath } from '../adapters/tools/paths';
import { RequestError } from '../engine/errors';

/** The folder of a session: inside the workspace, since trust was given for that alone (A11). */
export async function folderOf(path: string, roots: readonly string[]): Promise<string> {
  if (!isAbsolute(path)) throw new RequestError('invalid_params', say('"folder" must be an absolute path.'));
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new RequestError('invalid_params', say('"folder" is no folder: {path}', { path }));
  const real = await realpath(path);
  const inside = await Promise.all(
    roots.map(async (root) => {
      const from = relative(await realpath(root).catch(() => root), real);
      return from === '' || (!from.startsWith('..') && !isAbsolute(from));
    }),
  );
  if (!inside.some(Boolean))
    throw new RequestError(
      'invalid_params',
      say('"folder" is not inside a folder of this workspace: {path}', { path }),
    );
  return resolve(path);
}

/**
 * A rule's match as calls will be compared with it: its folder and its path are spelled as theirs are. Throws
 * `invalid_params` for what no call could ever match.
 */
export async function settledMatch(match: RuleMatch, roots: readonly string[]): Promise<RuleMatch> {
  switch (match.kind) {
    case 'command':
      return { ...match, folder: await folderOf(match.folder, roots) };
    case 'path':
      return { ...match, path: await fileOf(match.path) };
    case 'folder':
      return { ...match, path: await realFolder(match.path) };
    case 'tool':
    case 'server':
      return match;
  }
}

/** The folder without links; one that is not there yet may come. */
async function realFolder(path: string): Promise<string> {
  if (!isAbsolute(path)) throw new RequestError('invalid_params', say('"path" must be an absolute path.'));
  return realPath(resolve(path));
}

/** The file without links, which need not be there yet. */
async function fileOf(path: string): Promise<string> {
  if (!isAbsolute(path)) throw new RequestError('invalid_params', say('"path" must be an absolute path.'));
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true)
    throw new RequestError(
      'invalid_params',
      say('A rule is for one file, and this is a folder: {path}', { path }),
    );
  return realPath(resolve(path));
}
