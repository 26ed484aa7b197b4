/** Files that servers are started from, as far as their configurations name them. Pure. */
import { resolve } from 'node:path';
import type { ServerConfig } from './config';
import { resolved, type Surroundings } from './variables';

/** Words of one configuration that are looked at; more than any real one has. */
const WORDS_MOST = 512;

/**
 * Absolute paths of everything that a program, an argument or a variable of a process could name: a word that is no
 * file harms nobody, since only edits of just that path are meant.
 */
export function startedFiles(
  configs: readonly ServerConfig[],
  around: Omit<Surroundings, 'inputs'>,
): readonly string[] {
  return [...new Set(configs.flatMap((config) => filesOf(config, around)))];
}

function filesOf(config: ServerConfig, around: Omit<Surroundings, 'inputs'>): readonly string[] {
  const target = targetOf(config, around);
  if (target?.kind !== 'stdio') return [];
  const { command, args, env, cwd } = target;
  const texts = [command, ...args, ...Object.values(env)];
  return texts
    .flatMap((text) => [text, ...text.split(/[\s=,;"'`]+/)])
    .filter((word) => word !== '' && !word.includes('\0'))
    .slice(0, WORDS_MOST)
    .map((word) => resolve(cwd, word));
}

/** What a person is asked for stands for nothing here; what cannot be used starts nothing. */
function targetOf(config: ServerConfig, around: Omit<Surroundings, 'inputs'>) {
  try {
    const inputs = new Map(config.inputs.map(({ id }) => [id, '']));
    return resolved(config, { ...around, inputs });
  } catch {
    return undefined;
  }
}
