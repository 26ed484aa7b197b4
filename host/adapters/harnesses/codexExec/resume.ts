/** The command line of `codex exec`: nothing is remembered by a thread, so a resume gives every flag again (H3). */
import type { Mode } from '../../../../protocol';
import type { StdioChannel } from '../../../engine/channelPort';
import { sandboxOf } from './mapApprovals';

export type ExecTools = Pick<StdioChannel, 'command' | 'args' | 'env' | 'hidden'>;

export interface ExecRequest {
  readonly model: string | undefined;
  readonly mode: Mode;
  /** The thread to go on with. */
  readonly resume: string | undefined;
  readonly tools: ExecTools | undefined;
  /** Paths of the pictures that go with the prompt. */
  readonly pictures: readonly string[];
}

/** Seconds that a call of a client tool may take; codex's own default is 300. */
export const TOOL_SECONDS = 3_600;

/** `-s` must stand before the word `resume`; the prompt comes on the input, where no other user can read it. */
export function execArgs(request: ExecRequest): readonly string[] {
  const { model, mode, resume, tools, pictures } = request;
  return [
    'exec',
    '--json',
    '--skip-git-repo-check',
    // Each takes all that follows up to the next flag: none may stand last.
    ...pictures.flatMap((path) => ['-i', path]),
    '-s',
    sandboxOf(mode),
    ...(model === undefined ? [] : ['-m', model]),
    ...(tools === undefined ? [] : ['-c', `mcp_servers.belay=${server(tools)}`]),
    ...(resume === undefined ? [] : ['resume', resume]),
    '-',
  ];
}

/** An inline table of TOML; its strings are written as JSON's are. What is hidden is taken from codex's own environment. */
function server({ command, args, env, hidden }: ExecTools): string {
  const pairs = Object.entries(env)
    .filter(([name]) => !hidden.includes(name))
    .map(([name, value]) => `${JSON.stringify(name)}=${JSON.stringify(value)}`);
  const vars = `env={${pairs.join(',')}},env_vars=${JSON.stringify(hidden)}`;
  return `{command=${JSON.stringify(command)},args=${JSON.stringify(args)},${vars},tool_timeout_sec=${String(TOOL_SECONDS)},required=true,default_tools_approval_mode="approve"}`;
}

/** What codex hands on to its tools without its standing on the command line. */
export const hiddenEnv = (tools: ExecTools | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(tools?.env ?? {}).filter(([name]) => tools?.hidden.includes(name)));

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** An id that is none silently begins a new thread. */
export const isThread = (id: string): boolean => UUID.test(id);

/** What codex says on its error output when it finds no such thread. */
export const isLostThread = (errorText: string): boolean =>
  /no rollout found|thread.*not found|no (?:saved )?(?:session|conversation|thread)/i.test(errorText);
