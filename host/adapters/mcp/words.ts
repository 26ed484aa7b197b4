/** Servers in words for the person. Pure. */
import type { Launchable, ServerConfig } from './config';
import type { Life } from './lifecycle';

/** Of a command, an address, a variable or a name, characters that are shown: a window that asks cannot scroll. */
const PART_CHARACTERS = 200;
/** Arguments, and variables or headers, that are shown. */
const PARTS = 16;
const NAME_CHARACTERS = 80;

/** Its name, as it can be shown among other words. */
export const nameOf = ({ name }: ServerConfig): string => cut(visible(name), NAME_CHARACTERS);

/** What runs or is reached, in one line; each part is told from the next, and what is left out is counted. */
export function targetOf({ launch }: ServerConfig): string {
  switch (launch.kind) {
    case 'stdio':
      return several([launch.command, ...launch.args].map(part), 'more arguments').join(' ');
    case 'http':
      return part(launch.url);
    case 'unusable':
      return '';
  }
}

/** All that a person must see before a server of the workspace may start (A12). Nothing in it can hide another part. */
export function consentText(config: ServerConfig): string {
  const { launch, file = '' } = config;
  const from = `(${visible(file)})`;
  switch (launch.kind) {
    case 'unusable':
      return [launch.problem, from].join('\n');
    case 'http':
      return [
        part(launch.url),
        ...pairs(launch.headers, ': ', 'more headers'),
        ...pairs(signInOf(launch.client), ': ', 'more'),
        from,
      ].join('\n');
    case 'stdio':
      return [
        targetOf(config),
        ...pairs(launch.env, '=', 'more variables'),
        ...(launch.cwd === undefined ? [] : [`in ${part(launch.cwd)}`]),
        from,
      ].join('\n');
  }
}

/** What an authorization server is told of a client that was registered by hand. */
const signInOf = (client: Extract<Launchable, { kind: 'http' }>['client']): Record<string, string> => ({
  ...(client === undefined ? {} : { 'oauth.clientId': client.clientId }),
  ...(client?.clientSecret === undefined ? {} : { 'oauth.clientSecret': client.clientSecret }),
});

const pairs = (texts: Readonly<Record<string, string>>, between: string, more: string): readonly string[] =>
  several(
    Object.entries(texts).map(([name, value]) => `${part(name)}${between}${part(value)}`),
    more,
  );

function several(parts: readonly string[], more: string): readonly string[] {
  if (parts.length <= PARTS) return parts;
  return [...parts.slice(0, PARTS), `[${parts.length - PARTS} ${more}: see the file]`];
}

/** One part as it stands, or in quotes when its end could be mistaken. */
function part(text: string): string {
  if (text.length <= PART_CHARACTERS && PLAIN.test(text)) return text;
  return `"${cut(visible(text.replace(/["\\]/g, '\\$&')), PART_CHARACTERS)}"`;
}

const PLAIN = /^[\w@%+=:,./\\~${}?&#*-]+$/;

/** What is not seen, or moves what is seen, by its number. */
const visible = (text: string): string =>
  text.replace(HIDDEN, (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`);

const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

const cut = (text: string, most: number, where = ': see the file'): string =>
  text.length <= most ? text : `${text.slice(0, most)}[${text.length - most} more characters${where}]`;

/** What a server says beside its results (an error, a step on the way, a question), as much as is worth telling (R10). */
export const brief = (said: string): string => cut(said, SAID_CHARACTERS, '');

const SAID_CHARACTERS = 4_000;

/** Why a server that a call needs is not there, and what to do. */
export function whyNot(name: string, life: Life, error: string | undefined): string {
  const last = error === undefined ? '' : ` ${error}`;
  switch (life.kind) {
    case 'needs_consent':
      return `The server ${name} waits for the person’s consent to its configuration.`;
    case 'stopped':
      return `The person has stopped the server ${name}.`;
    case 'needs_sign_in':
      return `The server ${name} waits for the person to sign in to it.`;
    case 'needs_input':
      return `The server ${name} waits for values that the person must give it.`;
    case 'backing_off':
      return `The server ${name} has ended and is started again soon.${last}`;
    default:
      return `The server ${name} cannot be started.${last}`;
  }
}

export const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));
