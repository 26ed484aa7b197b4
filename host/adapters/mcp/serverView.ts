/** One server as clients see it. Pure. */
import type { Server } from '../../../protocol';
import type { ServerConfig } from './config';
import type { Life } from './lifecycle';
import { viewOf, type Tool } from './tools';
import { consentText, nameOf, targetOf } from './words';

export interface ServerFacts {
  readonly config: ServerConfig;
  readonly life: Life;
  readonly tools: readonly Tool[];
  readonly changedAt: number;
  readonly error: string | undefined;
  readonly pid: number | undefined;
  readonly version: string | undefined;
  readonly isSigningIn: boolean;
  readonly isSignedIn: boolean;
  /** Ids of the inputs that had no value at the last start. */
  readonly missing: readonly string[];
}

export function serverView(facts: ServerFacts): Server {
  const { config, life, error, pid, version } = facts;
  const account = accountOf(facts);
  return {
    id: config.id,
    name: nameOf(config),
    source: config.source,
    transport: config.launch.kind === 'http' ? 'http' : 'stdio',
    target: targetOf(config),
    state: life.kind === 'removed' ? 'stopping' : life.kind,
    tools: facts.tools.map(viewOf),
    restarts: life.restarts,
    changedAt: facts.changedAt,
    ...(config.file === undefined ? {} : { file: config.file }),
    ...(error === undefined ? {} : { error }),
    ...(pid === undefined ? {} : { pid }),
    ...(version === undefined ? {} : { version }),
    ...(life.kind === 'needs_consent' ? { consent: { hash: config.hash, text: consentText(config) } } : {}),
    ...(account === undefined ? {} : { account }),
    ...(config.inputs.length === 0 ? {} : { inputs: inputsOf(facts) }),
  };
}

function accountOf({ life, isSigningIn, isSignedIn }: ServerFacts): Server['account'] {
  if (isSigningIn) return 'under_way';
  if (life.kind === 'needs_sign_in') return 'needed';
  return isSignedIn ? 'signed_in' : undefined;
}

const inputsOf = ({ config, missing }: ServerFacts): NonNullable<Server['inputs']> =>
  config.inputs.map((input) => ({
    ...input,
    options: [...input.options],
    missing: missing.includes(input.id),
  }));
