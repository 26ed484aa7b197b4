/**
 * Replaces VS Code's variables in a configuration: `${workspaceFolder}` and its like, `${userHome}`, `${pathSeparator}`,
 * `${env:NAME}`, and `${input:ID}`.
 */
import { homedir } from 'node:os';
import { basename, isAbsolute, resolve, sep } from 'node:path';
import { variable } from '../../base/programs';
import type { Secrets } from '../../base/redact';
import type { Launchable, ServerConfig } from './config';
import { say } from '../../../protocol';

export interface Surroundings {
  /** Folders of the workspace, the first one first. */
  readonly folders: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Keys of Belay's own: no server gets them (X8). */
  readonly secrets: Secrets;
  /** What a person has given, by the ids of inputs. */
  readonly inputs: ReadonlyMap<string, string>;
}

/** A configuration that cannot be used here; its message is for the person. */
export class Unusable extends Error {}

/** What is started or reached, with nothing left to replace. */
export type Resolved =
  | Exclude<Launchable, { kind: 'stdio' }>
  | (Extract<Launchable, { kind: 'stdio' }> & { readonly cwd: string });

/** Throws `Unusable`. */
export function resolved(config: ServerConfig, around: Surroundings): Resolved {
  const { launch } = config;
  if (launch.kind === 'unusable') throw new Unusable(launch.problem);
  const folder = config.folder ?? around.folders[0] ?? homedir();
  const replace = (text: string): string => replaced(text, folder, around);
  const all = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, replace(text)]));
  if (launch.kind === 'http') {
    const { clientId, clientSecret } = launch.client ?? {};
    const secret = clientSecret === undefined ? {} : { clientSecret: replace(clientSecret) };
    const client = clientId === undefined ? undefined : { clientId: replace(clientId), ...secret };
    return { kind: 'http', url: replace(launch.url), headers: all(launch.headers), client };
  }
  const cwd = launch.cwd === undefined ? folder : replace(launch.cwd);
  return {
    kind: 'stdio',
    command: replace(launch.command),
    args: launch.args.map(replace),
    env: all(launch.env),
    cwd: isAbsolute(cwd) ? cwd : resolve(folder, cwd),
  };
}

function replaced(text: string, folder: string, around: Surroundings): string {
  return text.replace(/\$\{([^}]*)\}/g, (whole, name: string) => {
    if (name === 'workspaceFolder') return folder;
    if (name === 'workspaceFolderBasename') return basename(folder);
    if (name === 'userHome') return homedir();
    if (name === 'pathSeparator' || name === '/') return sep;
    const [, kind, key = ''] = /^(workspaceFolder|input):(.+)$/.exec(name) ?? [];
    const known =
      kind === 'input'
        ? around.inputs.get(key)
        : around.folders.find((one) => kind === 'workspaceFolder' && basename(one) === key);
    if (known !== undefined) return known;
    const named = /^env:(.+)$/.exec(name)?.[1];
    if (named === undefined) throw new Unusable(say('{name} stands for nothing here.', { name: whole }));
    const value = variable(around.env, named);
    if (value === undefined)
      throw new Unusable(say('The environment variable {variable} is not set.', { variable: named }));
    if (isSecret(named, value, around.secrets))
      throw new Unusable(
        say(
          'The environment variable {variable} holds a key of Belay’s own, which no server gets: use another variable.',
          { variable: named },
        ),
      );
    return value;
  });
}

function isSecret(name: string, value: string, { names, values }: Secrets): boolean {
  return (
    names.some((secret) => sameName(secret) === sameName(name)) ||
    values.some((secret) => secret !== '' && value.includes(secret))
  );
}

const sameName = (name: string): string => (process.platform === 'win32' ? name.toUpperCase() : name);
