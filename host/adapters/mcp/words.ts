/** Servers in words for the person. Pure. */
import type { ServerConfig } from './config';
import type { Life } from './lifecycle';

/** What runs or is reached, in one line. */
export function targetOf({ launch }: ServerConfig): string {
  switch (launch.kind) {
    case 'stdio':
      return [launch.command, ...launch.args].join(' ');
    case 'http':
      return launch.url;
    case 'unusable':
      return '';
  }
}

/** All that a person must see before a server of the workspace may start (A12). */
export function consentText(config: ServerConfig): string {
  const { launch, file = '' } = config;
  const from = `(${file})`;
  switch (launch.kind) {
    case 'unusable':
      return [launch.problem, from].join('\n');
    case 'http':
      return [launch.url, ...pairs(launch.headers, ': '), from].join('\n');
    case 'stdio':
      return [
        targetOf(config),
        ...pairs(launch.env, '='),
        ...(launch.cwd === undefined ? [] : [`in ${launch.cwd}`]),
        from,
      ].join('\n');
  }
}

const pairs = (texts: Readonly<Record<string, string>>, between: string): readonly string[] =>
  Object.entries(texts).map(([name, value]) => `${name}${between}${value}`);

/** Why a server that a call needs is not there, and what to do. */
export function whyNot(name: string, life: Life, error: string | undefined): string {
  const last = error === undefined ? '' : ` ${error}`;
  switch (life.kind) {
    case 'needs_consent':
      return `The server ${name} waits for the person’s consent to its configuration.`;
    case 'stopped':
      return `The person has stopped the server ${name}.`;
    case 'backing_off':
      return `The server ${name} has ended and is started again soon.${last}`;
    default:
      return `The server ${name} cannot be started.${last}`;
  }
}

export const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));
