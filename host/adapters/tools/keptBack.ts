/**
 * Which files of a place a look through it leaves out, told from a list of its files, and how ripgrep is kept from
 * opening them: what is not opened cannot be found out by patterns. Pure.
 */
import { dirname, resolve, sep } from 'node:path';

/** Files of one place that can be left out; a place with more is to be narrowed. */
const FILES_MOST = 100_000;
/** What ripgrep can be told on its command line, characters: Windows takes 32,767 in all, macOS 1 MiB. */
const GLOBS_CHARACTERS = process.platform === 'win32' ? 24_000 : 256 * 1024;

export class KeptBack {
  /** How many files are left out. */
  count = 0;
  private readonly files: string[] = [];
  /** Folders with something in them that is not left out. */
  private readonly open = new Set<string>();
  private begun = '';

  /** `target` is the place as it is shown, `isShown` says whether a file of it is. */
  constructor(
    target: string,
    private readonly isShown: (path: string) => boolean,
  ) {
    this.leaveOpen(target);
  }

  /** Takes what ripgrep prints: paths, each with a NUL behind it. */
  add(output: string): 'more' {
    const paths = (this.begun + output).split('\0');
    this.begun = paths.pop() ?? '';
    for (const path of paths) this.take(plainPath(path));
    return 'more';
  }

  /** Arguments that keep ripgrep, run in `folder`, from opening them; undefined when they are too many. */
  arguments(folder: string): readonly string[] | undefined {
    if (this.count > FILES_MOST) return undefined;
    const globs = [...new Set(this.files.map((path) => this.whole(path)))].map((path) =>
      globOf(path, folder),
    );
    const characters = globs.reduce((sum, glob) => sum + glob.length + 8, 0);
    return characters > GLOBS_CHARACTERS ? undefined : globs.flatMap((glob) => ['--glob', glob]);
  }

  private take(path: string): void {
    if (this.isShown(path)) this.leaveOpen(dirname(path));
    else {
      this.count += 1;
      if (this.count <= FILES_MOST) this.files.push(path);
    }
  }

  private leaveOpen(folder: string): void {
    for (let at = folder; !this.open.has(at); at = dirname(at)) this.open.add(at);
  }

  /** The file, or the outermost folder around it in which everything is left out. */
  private whole(path: string): string {
    let at = path;
    for (let up = dirname(at); !this.open.has(up); up = dirname(at)) at = up;
    return at;
  }
}

/** A path as ripgrep prints it, without the sign for the folder in which it runs. */
export const plainPath = (path: string): string => path.replace(/^\.[/\\]/, '');

/** ripgrep compares with what is left of a path behind its own folder's characters, and with the whole one elsewhere. */
function globOf(path: string, folder: string): string {
  const whole = resolve(folder, path);
  const isBelow = whole.startsWith(folder);
  const rest = (isBelow ? whole.slice(folder.length) : whole).replaceAll(sep, '/').replace(/^\/+/, '');
  return `!${isBelow ? '/' : '**/'}${literal(rest)}`;
}

/** A glob for exactly this name; what a glob cannot spell stands for more. */
const literal = (name: string): string =>
  name
    .replace(/[\\*?[\]{}!# ]/g, '\\$&')
    .replace(/\s/g, (space) => (space === ' ' ? space : '?'))
    .replaceAll('\ufffd', '*');
