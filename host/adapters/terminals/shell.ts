/** Which program a terminal runs, and how its environment differs from a command's. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';

export interface ShellChoice {
  readonly file: string;
  readonly args: readonly string[];
  /** Added to the cleaned environment. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Without a command, a shell at its prompt. By default it reads no start-up file and keeps no history, so that
 * nothing of the person's set-up confuses an agent; `ownShell` is the person's, when a setting asks for it.
 */
export function shellFor(
  command: string | undefined,
  platform: NodeJS.Platform,
  ownShell: string | undefined,
): ShellChoice {
  if (platform === 'win32') {
    const profile = ownShell === undefined ? ['-NoProfile'] : [];
    const run = command === undefined ? [] : ['-Command', command];
    return { file: 'powershell.exe', args: ['-NoLogo', ...profile, ...run], env: FOR_AGENTS };
  }
  if (ownShell !== undefined && existsSync(ownShell)) {
    const run = command === undefined ? ['-i'] : ['-i', '-c', command];
    return { file: ownShell, args: run, env: FOR_AGENTS };
  }
  if (command !== undefined) return { file: '/bin/sh', args: ['-c', command], env: FOR_AGENTS };
  const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((path) => existsSync(path));
  return bash === undefined
    ? { file: '/bin/sh', args: ['-i'], env: { ...FOR_AGENTS, ...BARE, PS1: '$ ' } }
    : { file: bash, args: ['--noprofile', '--norc', '-i'], env: { ...FOR_AGENTS, ...BARE, PS1: '\\w\\$ ' } };
}

/** The name of the shell that a terminal runs: for its title, and to know in which language its command is. */
export const shellName = (
  command: string | undefined,
  platform: NodeJS.Platform,
  ownShell: string | undefined,
): string => basename(shellFor(command, platform, ownShell).file).replace(/\.exe$/, '');

/** A real terminal, in which nothing pages by itself. */
const FOR_AGENTS: Readonly<Record<string, string>> = {
  TERM: 'xterm-256color',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GH_PAGER: 'cat',
  AWS_PAGER: '',
};

/** No history file, no mail, no message of the day about new versions. */
const BARE: Readonly<Record<string, string>> = {
  HISTFILE: '',
  MAIL: '',
  BASH_SILENCE_DEPRECATION_WARNING: '1',
};
