/**
 * Servers as they are configured: in the setting `mcp.servers`, and in `.vscode/mcp.json` of each folder of the
 * workspace. Pure: what stands in a file is handed in as its text.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { SERVERS_MOST, ServerId, say } from '../../../protocol';
import { namedIn, readInputs, type Input } from './inputs';
import { parseJsonc } from './jsonc';
import { serverPart } from './names';

const Texts = z.record(z.string(), z.string());

const Stdio = z.looseObject({
  type: z.literal('stdio').optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  cwd: z.string().min(1).optional(),
});
const Http = z.looseObject({
  type: z.enum(['http', 'streamable-http']).optional(),
  url: z.url({ protocol: /^https?$/ }),
  headers: Texts.optional(),
  /** A client that was registered by hand; in VS Code's shape, which has no secret in it. */
  oauth: z
    .looseObject({ clientId: z.string().min(1).optional(), clientSecret: z.string().min(1).optional() })
    .optional(),
});
const File = z.looseObject({
  servers: z.record(z.string(), z.unknown()).optional(),
  inputs: z.array(z.unknown()).optional(),
});

export type Launchable =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Undefined: the first folder of the workspace. */
      readonly cwd: string | undefined;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly client: { readonly clientId: string; readonly clientSecret?: string } | undefined;
    };

export interface ServerConfig {
  readonly id: ServerId;
  readonly name: string;
  readonly source: 'settings' | 'workspace';
  /** The file that names it, for a server of the workspace. */
  readonly file: string | undefined;
  /** The folder of the workspace that it belongs to; undefined for one of the settings. */
  readonly folder: string | undefined;
  /** What is started or reached, before variables are replaced; or why it cannot be. */
  readonly launch: Launchable | { readonly kind: 'unusable'; readonly problem: string };
  /** What it asks a person for. */
  readonly inputs: readonly Input[];
  /** Of exactly this configuration with what it asks for, where it stands: what a consent is bound to (A12). */
  readonly hash: string;
}

/** One's own settings are one's word; and where nothing can be started there is nothing to consent to (A12). */
export const needsNoConsent = ({ source, launch }: ServerConfig): boolean =>
  source === 'settings' || launch.kind === 'unusable';

export interface WorkspaceFile {
  readonly folder: string;
  /** Undefined when there is none. */
  readonly text: string | undefined;
}

export const filePath = (folder: string): string => join(folder, '.vscode', 'mcp.json');

/** What the settings say of servers. */
export interface ServerSettings {
  readonly servers?: Readonly<Record<string, unknown>> | undefined;
  readonly inputs?: readonly unknown[] | undefined;
}

/** Settings come first, then the folders in their order; a name that is taken gets a number (M2). */
export function readConfigs(
  settings: ServerSettings,
  files: readonly WorkspaceFile[],
): { readonly servers: readonly ServerConfig[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const servers: ServerConfig[] = [];
  const taken = new Set<string>();
  const add = (
    name: string,
    raw: unknown,
    folder: string | undefined,
    asked: Asked,
    wrong?: string,
  ): void => {
    if (servers.length >= SERVERS_MOST) {
      problems.push(`More than ${SERVERS_MOST} servers are configured: "${name}" is left out.`);
      return;
    }
    const id = free(serverPart(name), taken);
    taken.add(id);
    const inputs = namedIn(raw).flatMap((id) => asked.get(id) ?? []);
    servers.push({
      id: ServerId.parse(id),
      name,
      source: folder === undefined ? 'settings' : 'workspace',
      file: folder === undefined ? undefined : filePath(folder),
      folder,
      launch: wrong === undefined ? launchable(raw, asked) : { kind: 'unusable', problem: wrong },
      inputs,
      hash: hashOf({ name, folder: folder ?? null, raw, ...(inputs.length === 0 ? {} : { inputs }) }),
    });
  };
  const addAll = (one: ServerSettings, folder: string | undefined): void => {
    const { inputs, problems: wrong } = readInputs(one.inputs ?? [], folder ?? '');
    problems.push(...wrong);
    for (const [name, raw] of Object.entries(one.servers ?? {})) add(name, raw, folder, inputs);
  };
  addAll(settings, undefined);
  for (const { folder, text } of files)
    if (text !== undefined) {
      const file = fileOf(text);
      // A file that cannot be read is listed in the place of its servers, where a person looks for them.
      if (file === undefined)
        add('.vscode/mcp.json', text, folder, NOBODY, say('It must be JSON with an object "servers".'));
      else addAll(file, folder);
    }
  return { servers, problems };
}

type Asked = ReadonlyMap<string, Input>;
const NOBODY: Asked = new Map();

function fileOf(text: string): ServerSettings | undefined {
  try {
    return File.parse(parseJsonc(text));
  } catch {
    return undefined;
  }
}

function launchable(raw: unknown, asked: Asked): ServerConfig['launch'] {
  const unusable = (problem: string) => ({ kind: 'unusable' as const, problem });
  const [stray] = namedIn(raw).filter((id) => !asked.has(id));
  if (stray !== undefined)
    return unusable(
      say('It asks for {name}, which no entry of "inputs" beside it describes.', {
        name: `\${input:${stray}}`,
      }),
    );
  const stdio = Stdio.safeParse(raw);
  if (stdio.success) {
    const { command, args = [], env = {}, cwd } = stdio.data;
    const set = Object.entries(env).flatMap(([name, value]) =>
      value === null ? [] : [[name, String(value)]],
    );
    return { kind: 'stdio', command, args, env: Texts.parse(Object.fromEntries(set)), cwd };
  }
  const http = Http.safeParse(raw);
  if (http.success) {
    const { url, headers = {}, oauth } = http.data;
    const { clientId, clientSecret } = oauth ?? {};
    const secret = clientSecret === undefined ? {} : { clientSecret };
    return {
      kind: 'http',
      url,
      headers,
      client: clientId === undefined ? undefined : { clientId, ...secret },
    };
  }
  if (z.looseObject({ type: z.literal('sse') }).safeParse(raw).success)
    return unusable(
      say('The transport "sse" is out of use: give the address of its Streamable HTTP ("http").'),
    );
  return unusable(say('It needs "command" (and "args"), or "type": "http" with "url".'));
}

function free(part: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? part : serverPart(`${part}-${n}`);
    if (!taken.has(name)) return name;
  }
}

/** The same text for the same data, whatever the order of keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`;
}

const hashOf = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');
