/**
 * Which file a program's name stands for, and how the system starts it. Only reads. Windows starts no name without its
 * ending and no batch file; what npm installs is just that. No test runs it there: its words are tested.
 */
import { statSync } from 'node:fs';
import { delimiter, extname, isAbsolute, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** The absolute path of a program: named as it is, or looked up on the PATH. */
export function findProgram(name: string, env: Env, platform: string): string | undefined {
  if (isAbsolute(name)) return ended(name, platform);
  const folders = (variable(env, 'PATH') ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of folders) {
    const path = ended(join(folder, name), platform);
    if (path !== undefined) return path;
  }
  return undefined;
}

export interface Start {
  readonly file: string;
  readonly args: readonly string[];
  /** The arguments are a command line already, and are handed over as they are (Windows). */
  readonly verbatim: boolean;
}

/**
 * How a program is started with these arguments. A name that cannot be found stays as it is: the system's own error
 * says so. Throws when a batch file cannot be given an argument as it is.
 */
export function startOf(
  file: string,
  args: readonly string[],
  { env, cwd }: { readonly env: Env; readonly cwd: string },
  platform: string,
): Start {
  if (platform !== 'win32') return { file, args, verbatim: false };
  const path = /[\\/]/.test(file) && !isAbsolute(file) ? join(cwd, file) : file;
  const found = findProgram(path, env, platform) ?? file;
  if (!BATCH.test(found)) return { file: found, args, verbatim: false };
  const line = [found, ...args].map(batchWord).join(' ');
  return {
    file: variable(env, 'ComSpec') ?? 'cmd.exe',
    // No start-up commands, no delayed expansion, and of the quotes only the outermost are taken off.
    args: ['/d', '/e:on', '/v:off', '/s', '/c', `"${line}"`],
    verbatim: true,
  };
}

const BATCH = /\.(?:cmd|bat)$/i;
/** In the order in which Windows looks. */
const ENDINGS = ['.com', '.exe', '.bat', '.cmd'] as const;

function ended(path: string, platform: string): string | undefined {
  if (platform !== 'win32') return isFile(path) ? path : undefined;
  if (ENDINGS.some((ending) => ending === extname(path).toLowerCase()))
    return isFile(path) ? path : undefined;
  return ENDINGS.map((ending) => `${path}${ending}`).find(isFile);
}

/**
 * One argument in the quotes of both who read it: the command interpreter, for which a quote ends what is quoted and a
 * percent sign begins a name wherever it stands, and the program behind it.
 */
function batchWord(word: string): string {
  if (/[\0\r\n]/.test(word)) throw new Error('A batch file cannot be given an argument of several lines.');
  const quoted = word
    .replaceAll(/(\\*)"/g, '$1$1""')
    .replaceAll(/(\\+)$/g, '$1$1')
    // What follows the first sign is a name that stands for nothing, and takes the second one along.
    .replaceAll('%', '%%cd:~,%');
  return `"${quoted}"`;
}

/** A variable by a name from outside, which may be that of a member of every object; Windows has it in any case. */
export function variable(env: Env, name: string): string | undefined {
  if (Object.hasOwn(env, name)) return env[name];
  const found = Object.keys(env).find((one) => one.toUpperCase() === name.toUpperCase());
  return found === undefined ? undefined : env[found];
}

/** Variables that say who works where: no program does without them, and what they hold is no secret. */
const PLAIN =
  /^(PATH|PATHEXT|HOME|USER|LOGNAME|USERNAME|USERDOMAIN|USERPROFILE|HOMEDRIVE|HOMEPATH|SHELL|COMSPEC|PWD|OLDPWD|HOSTNAME|COMPUTERNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|TMP|TEMP|TMPDIR|SYSTEMDRIVE|SYSTEMROOT|WINDIR|OS|(LOCAL)?APPDATA|PROGRAMDATA|(COMMON)?PROGRAM(FILES|W6432)(\(X86\))?|XDG_[A-Z_]+)$/;

export const isPlain = (name: string): boolean => PLAIN.test(name.toUpperCase());

export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
