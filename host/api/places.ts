/** Folders and files that a client names, looked at before anything is written down of them. */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { say, type RuleDraft, type RuleMatch } from '../../protocol';
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
export async function settledMatch(
  { match, scope }: Pick<RuleDraft, 'match' | 'scope'>,
  roots: readonly string[],
): Promise<RuleMatch> {
  switch (match.kind) {
    case 'command':
      if ((match.folder === undefined) !== (scope === 'user'))
        throw new RequestError(
          'invalid_params',
          say('A rule for a command has a "folder", or the scope "user" and none.'),
        );
      return match.folder === undefined ? match : { ...match, folder: await folderOf(match.folder, roots) };
    case 'pattern':
      refusePattern(match.pattern);
      return match;
    case 'path':
      return { ...match, path: await fileOf(match.path) };
    case 'folder':
      return { ...match, path: await realFolder(match.path) };
    case 'tool':
    case 'server':
      return match;
  }
}

/** Names from one folder to the next, wherever they are: neither from the root on nor upwards. */
function refusePattern(pattern: string): void {
  const names = pattern.replace(/[/\\]$/, '').split(/[/\\]/);
  if (names.some((name) => /^(\.{0,2}|~.*)$/.test(name)) || names.every((name) => /^\*+$/.test(name)))
    throw new RequestError(
      'invalid_params',
      say('A pattern is a name or several with / between them, like .env* or secrets/*.json.'),
    );
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
