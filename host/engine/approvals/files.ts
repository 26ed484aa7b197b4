/** Which files a rule is for. Paths are absolute and real. Pure: it looks at no disk. */
import type { RuleMatch } from '../../../protocol';
import type { CallClass } from '../ports';
import type { Roots, Subject } from './reading';

/** The system's own sign between names: a backslash may be part of a name where `/` is that. */
const signOf = (path: string): string => (path.startsWith('/') ? '/' : '\\');

/** Whether a file is in a folder or in one of its folders. */
export function isUnder(folder: string, path: string): boolean {
  const sign = signOf(folder);
  return path.startsWith(folder.endsWith(sign) ? folder : folder + sign);
}

/** The folder of a file; none for what is at the very root. */
export function folderOf(path: string): string | undefined {
  const at = path.lastIndexOf(signOf(path));
  return at <= 0 ? undefined : path.slice(0, at);
}

/** The files that a call is for, and where names begin to count. */
export function filesOf(subject: Subject): { readonly paths: readonly string[]; readonly roots: Roots } {
  if (subject.kind === 'path') return { paths: [subject.path], roots: subject.roots };
  return subject.kind === 'paths'
    ? { paths: subject.paths, roots: subject.roots }
    : { paths: [], roots: undefined };
}

/** What a call does with files. */
export function accessOf({ class: of }: { readonly class: CallClass }): 'read' | 'edit' | undefined {
  switch (of) {
    case 'read':
    case 'read_outside':
      return 'read';
    case 'edit':
    case 'edit_outside':
    case 'edit_protected':
      return 'edit';
    case 'own':
    case 'command':
      return undefined;
  }
}

/** Whether a call does this with files; what an edit says may make it a read as well. */
export const does = (
  call: { readonly class: CallClass; readonly tells?: true | undefined },
  access: 'read' | 'edit',
): boolean => accessOf(call) === access || (access === 'read' && call.tells === true);

export type FilesMatch = Extract<RuleMatch, { kind: 'path' | 'folder' | 'pattern' }>;

export const isOfFiles = (match: RuleMatch): match is FilesMatch =>
  match.kind === 'path' || match.kind === 'folder' || match.kind === 'pattern';

/**
 * Whether a rule that denies or asks names a file. Names are compared without regard to case, since some file system
 * takes them for the same: asking once too often is the cheaper mistake.
 */
export function namesFile(match: FilesMatch, path: string, roots?: Roots): boolean {
  if (match.kind === 'pattern') return fits(match.pattern, path, roots);
  const [own, other] = [plain(match.path), plain(path)];
  return own === other || (match.kind === 'folder' && isUnder(own, other));
}

/** Whether a call for a path concerns a rule: to look through a folder is to look at what is under it. */
export const concerns = (match: FilesMatch, path: string, roots?: Roots): boolean =>
  namesFile(match, path, roots) ||
  (match.kind === 'pattern' && fits(match.pattern.replace(/([/\\]\*\*)+[/\\]?$/, ''), path, roots));

const plain = (name: string): string => name.normalize('NFC').toLowerCase();

const names = (path: string): readonly string[] =>
  plain(path)
    .split(/[/\\]/)
    .filter((name) => name !== '');

/** What is left of a path in the outermost of the folders around it: what those are called says nothing of a file. */
function within(path: string, roots: Roots = []): string {
  const around = roots.filter((root) => root === path || isUnder(root, path)).map((root) => root.length);
  return around.length === 0 ? path : path.slice(Math.min(...around));
}

/** Whether names in a row of this path fit the pattern's; what is under them counts as well. */
export const fits = (pattern: string, path: string, roots?: Roots): boolean =>
  areIn(names(pattern), names(within(path, roots)));

function areIn(wanted: readonly string[], there: readonly string[]): boolean {
  // Which names of the path may come next, once those of the pattern so far have been found.
  let next = there.map((_, at) => at);
  for (const one of wanted) {
    const [first = there.length] = next;
    next =
      one === '**'
        ? there.map((_, at) => at).filter((at) => at >= first)
        : next.filter((at) => at < there.length && isLike(there[at] ?? '', one)).map((at) => at + 1);
    if (next.length === 0) return false;
  }
  return wanted.length > 0;
}

/** `*` stands for any characters, `?` for one. In time that is at most the product of both lengths. */
function isLike(name: string, pattern: string): boolean {
  let [at, own, star, from] = [0, 0, -1, 0];
  while (at < name.length) {
    const wanted = pattern[own];
    if (wanted === '*') {
      star = own;
      from = at;
      own += 1;
    } else if (wanted === '?' || wanted === name[at]) {
      own += 1;
      at += 1;
    } else if (star === -1) return false;
    else {
      own = star + 1;
      from += 1;
      at = from;
    }
  }
  return /^\**$/.test(pattern.slice(own));
}

/** Names of files and folders that hold keys and passwords by custom. */
const SECRETS =
  `.env .env.* .envrc *.env *.pem *.key *.ppk *.p12 *.pfx *.jks *.keystore *.kdbx id_rsa id_dsa id_ecdsa id_ed25519
  .npmrc .yarnrc.yml .netrc _netrc .pypirc .pgpass .htpasswd .git-credentials .ssh .aws .gnupg .azure .kube/config
  .docker/config.json credentials credentials.json credentials.y*ml credentials.toml .config/gcloud *.tfvars`
    .split(/\s+/)
    .map(names);

/** Templates that are meant to be read, and the public half of a key. */
const HARMLESS = /^(.*\.pub|\.env\.(example|sample|template|dist|defaults))$/;

/** Whether a file commonly holds secrets. */
export function isSecret(path: string, roots?: Roots): boolean {
  const there = names(within(path, roots));
  return !HARMLESS.test(there.at(-1) ?? '') && SECRETS.some((one) => areIn(one, there));
}
