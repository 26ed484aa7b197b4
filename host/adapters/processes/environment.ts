import { isPlain } from '../../base/programs';
import { SECRET_CHARACTERS, type Secrets } from '../../base/redact';
import { PROXIES } from '../../base/web/proxy';

/**
 * The environment of a command: the host's, without what Belay or the editor keeps for itself, set so that
 * nothing pages, colours, or asks (X1, X8).
 */
export function environment(
  host: Readonly<Record<string, string | undefined>>,
  secrets: Secrets,
  marks: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...cleaned(host, secrets), ...QUIET, ...marks };
}

/** What is left of the host's without what Belay or the editor keeps for itself. */
function cleaned(
  host: Readonly<Record<string, string | undefined>>,
  secrets: Secrets,
): Record<string, string> {
  const names = new Set(secrets.names.map(sameName));
  const values = secrets.values.filter((value) => value.length >= SECRET_CHARACTERS);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined || names.has(sameName(name)) || LEFT_OUT.has(name) || EDITORS_OWN.test(name))
      continue;
    // Behind a company's proxy no program works without the latter, so they stay, with the password in them.
    const stays = isPlain(name) || PROXIES.test(name);
    if (!stays && values.some((secret) => value.includes(secret))) continue;
    kept[name] = value;
  }
  return kept;
}

type Variables = Readonly<Record<string, string>>;

/**
 * The same for many commands: made anew only when the secrets have changed. `manners` stand in the place of
 * those that keep a command quiet.
 */
export function environments(
  host: Readonly<Record<string, string | undefined>>,
  secrets: () => Secrets,
): (marks: Variables, manners?: Variables) => Record<string, string> {
  let known: { readonly of: Secrets; readonly env: Readonly<Record<string, string>> } | undefined;
  return (marks, manners = QUIET) => {
    const now = secrets();
    if (known === undefined || !same(known.of.names, now.names) || !same(known.of.values, now.values)) {
      known = { of: { names: [...now.names], values: [...now.values] }, env: cleaned(host, now) };
    }
    return { ...known.env, ...manners, ...marks };
  };
}

function same(one: readonly string[], two: readonly string[]): boolean {
  return one.length === two.length && one.every((text, at) => text === two[at]);
}

const sameName = (name: string): string => (process.platform === 'win32' ? name.toUpperCase() : name);

/** The editor's own switches: they turn its binary into Node, or reach into its window. */
const EDITORS_OWN = /^(VSCODE_|ELECTRON_)/;

/** `ENV` and `BASH_ENV` name files that a shell runs first; the others turn colour on against `NO_COLOR`. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'ENV',
  'BASH_ENV',
  'FORCE_COLOR',
  'CLICOLOR_FORCE',
  'COLORTERM',
]);

const QUIET: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  GIT_PAGER: 'cat',
  PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  NO_COLOR: '1',
  TERM: 'dumb',
  DEBIAN_FRONTEND: 'noninteractive',
};
