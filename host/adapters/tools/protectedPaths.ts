/**
 * Files that decide over the agent, or that the editor, git, a shell or the system run by themselves: an edit
 * of one asks in every mode (A12). Names are compared without regard to case, Unicode form, trailing dots or
 * streams, since some file system takes them for the same; asking once too often is the cheaper mistake.
 */
import type { Named } from './gitHooks';

const NONE: Named = { folders: [], files: [] };

/** A component of a path with this name protects everything below it. */
const FOLDERS: ReadonlyMap<string, string> = new Map([
  ['.git', 'git runs hooks and reads commands from here'],
  ['.husky', 'git runs these hooks'],
  ['.githooks', 'git may run these hooks'],
  ['.lefthook', 'git runs these hooks'],
  ['.devcontainer', 'the editor builds and starts containers from it'],
  ['.ssh', 'it decides who may log in, and what ssh runs'],
  ['.gnupg', 'it decides what is trusted'],
  ['.claude', 'an outside agent takes its permissions and hooks from it'],
  ['.codex', 'an outside agent takes its permissions and commands from it'],
  ['.gemini', 'an outside agent takes its permissions and commands from it'],
  ['.cursor', 'an outside agent takes its permissions and commands from it'],
  ['environment.d', 'what is started at a login takes its environment from it'],
  ['autostart', 'the desktop starts what is in it'],
  ['launchagents', 'the system starts what is in it'],
  ['launchdaemons', 'the system starts what is in it'],
]);

/** Files of this name, wherever they are. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['.gitconfig', 'git reads commands from it'],
  ['.gitmodules', 'git fetches from the places that it names'],
  ['.envrc', 'direnv runs it when a shell enters the folder'],
  ['.devcontainer.json', 'the editor builds and starts containers from it'],
  ['.mcp.json', 'agents start the servers that it names'],
  ['.pre-commit-config.yaml', 'git hooks run what it names'],
  ['.pre-commit-config.yml', 'git hooks run what it names'],
  ['lefthook.yml', 'git hooks run what it names'],
  ['lefthook.yaml', 'git hooks run what it names'],
  ['.lefthook.yml', 'git hooks run what it names'],
  ['.lefthook.yaml', 'git hooks run what it names'],
  ['crontab', 'the system runs what it names'],
]);

const PROFILES: ReadonlySet<string> = new Set([
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.bash_completion',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.mkshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.logout',
  '.inputrc',
  '.xprofile',
  '.xinitrc',
  '.xsession',
  '.xsessionrc',
  '.pam_environment',
  'config.fish',
  'profile.ps1',
  'microsoft.powershell_profile.ps1',
  'microsoft.vscode_profile.ps1',
]);

/** What git runs from a hooks folder, wherever `core.hooksPath` may have put it. */
const HOOKS: ReadonlySet<string> = new Set([
  'applypatch-msg',
  'pre-applypatch',
  'post-applypatch',
  'pre-commit',
  'pre-merge-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'pre-rebase',
  'post-checkout',
  'post-merge',
  'pre-push',
  'pre-receive',
  'update',
  'proc-receive',
  'post-receive',
  'post-update',
  'reference-transaction',
  'push-to-checkout',
  'pre-auto-gc',
  'post-rewrite',
  'sendemail-validate',
  'fsmonitor-watchman',
  'post-index-change',
]);

/** Two components in a row that protect everything below. */
const PAIRS: readonly (readonly [RegExp, RegExp, string])[] = [
  [/^\.config$/, /^git$/, 'git reads commands from it'],
  [/^\.config$/, /^fish$/, 'the shell runs it when it starts'],
  [/^nushell$/, /^(config|env|login)\.nu$/, 'the shell runs it when it starts'],
  [/^systemd$/, /^(user|system)$/, 'the system starts what is in it'],
  [
    /^(code|code - insiders|code - oss|vscodium|code-server|cursor)$/,
    /^(user|machine)$/,
    'it holds the settings of the editor',
  ],
];

/** Folders of the system; macOS has its own behind a link. */
const SYSTEM: Readonly<Record<string, string>> = {
  '/etc': 'the system, its shells and its services take their settings from it',
  '/private/etc': 'the system, its shells and its services take their settings from it',
  '/var/spool/cron': 'the system runs what it names',
  '/private/var/at/tabs': 'the system runs what it names',
};

/** Code points that some file systems leave out of a name when they compare. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Why an edit of this absolute, resolved path asks in every mode, as the end of a sentence, or undefined.
 * `named` is what git is configured to read or run.
 */
export function protectedBy(path: string, named: Named = NONE): string | undefined {
  const parts = path.split(/[/\\]/).map(plain);
  const name = parts.at(-1) ?? '';
  for (const [index, part] of parts.entries()) {
    if (part.startsWith('.vscode')) return 'the editor takes settings, tasks and servers from it';
    if (part === 'git~1') return 'git runs hooks and reads commands from here';
    const reason = FOLDERS.get(part);
    if (reason !== undefined) return reason;
    const next = parts[index + 1];
    const pair =
      next === undefined ? undefined : PAIRS.find(([one, two]) => one.test(part) && two.test(next));
    if (pair !== undefined) return pair[2];
  }
  const file = FILES.get(name);
  if (file !== undefined) return file;
  if (PROFILES.has(name)) return 'a shell or a login runs it when it starts';
  if (name.endsWith('.code-workspace')) return 'the editor takes settings, tasks and servers from it';
  if (parts.at(-2) === 'hooks' && HOOKS.has(name.replace(/\.(exe|bat|cmd|ps1|sh)$/, '')))
    return 'git runs this hook';
  const whole = parts.join('/');
  for (const [folder, reason] of Object.entries(SYSTEM)) if (within(whole, folder)) return reason;
  const spelled = (place: string): string => place.split(/[/\\]/).map(plain).join('/');
  if (named.folders.some((folder) => within(whole, spelled(folder))))
    return 'git is configured to run hooks from there';
  if (named.files.some((one) => whole === spelled(one))) return 'git is configured to read or run it';
  return undefined;
}

function plain(part: string): string {
  return part
    .replace(/:.*$/, '')
    .replace(IGNORED, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[. ]+$/, (end) => (/^\.*$/.test(part) ? end : ''));
}

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
