/**
 * All MCP servers of a host: which there are, and their tools as the engine's (M2).
 *
 * Owns the servers and the places over all of them. 1. The SDK is loaded with the first start. 2. Without a
 * configured server nothing of this costs more than a look at each folder's file. 3. In a workspace that is not
 * trusted nothing starts (A11).
 */
import { z } from 'zod';
import { parseJson, whyUnread } from '../../base/json';
import {
  PLACES,
  SERVER_TOOLS_MS,
  type Server,
  type ServerId,
  type ToolOrigin,
  type ToolSpec,
} from '../../../protocol';
import type { Launch } from '../../base/launch';
import { Places } from '../../base/places';
import { isSameOrigin } from '../../engine/approvals/origin';
import type { Prepared, Run, ToolPort, Unsound, Workplace } from '../../engine/ports';
import { McpRun } from './call';
import { readConfigs, type ServerConfig } from './config';
import { elicit } from './elicit';
import { workspaceFiles } from './files';
import { serverOf } from './names';
import type { ServersNeed } from './room';
import { McpServer } from './server';
import { startedFiles } from './startedFiles';
import { specOf } from './tools';

export interface Servers {
  /** The tools of all servers; `specs` is of those that are known now. */
  readonly tools: ToolPort;
  /** True for a name that begins with the name of a configured server. */
  owns(tool: string): boolean;
  list(): readonly Server[];
  /** Absolute paths of files that servers are started from, by their configurations of the last look (A12). */
  startedFiles(): readonly string[];
  get(id: ServerId): McpServer | undefined;
  /** The one whose sign-in has, or had last, this state. */
  signingIn(state: string): McpServer | undefined;
  /** Settings, files, folders or trust may have changed. */
  look(): void;
  /** The cord was pulled: what is being started is ended, before anyone awaits anything (P3). */
  pulled(): void;
  /** What was held goes on. */
  released(): void;
  /** There is no engine any more whose cord they hang on: what runs is ended. */
  drop(): void;
  /** Ends every server. */
  dispose(): Promise<void>;
}

const Args = z.record(z.string(), z.unknown());

export function createServers(need: ServersNeed): Servers {
  const servers = new Map<ServerId, McpServer>();
  /** Those that are configured no longer and may still have a process. */
  const leaving = new Set<McpServer>();
  const places = new Places(PLACES);
  const files = workspaceFiles();
  let seen = '';
  let problems = '';
  let folders = '';
  let started: readonly string[] = [];

  const look = (): void => {
    const texts = need.folders().map((folder) => ({ folder, text: files.read(folder) }));
    const settings = need.settings().mcp ?? {};
    const now = JSON.stringify([settings, texts, need.trusted()]);
    tellRoots();
    if (now === seen) return;
    // What is there from the beginning is in every snapshot.
    const isFirst = seen === '';
    seen = now;
    const found = readConfigs(settings, texts);
    if (problems !== found.problems.join('\n')) {
      problems = found.problems.join('\n');
      for (const problem of found.problems) need.log('warn', problem);
    }
    started = startedFiles(found.servers, {
      folders: need.folders(),
      env: need.env,
      secrets: need.secrets(),
    });
    adopt(found.servers, isFirst);
    if (!need.trusted()) for (const server of servers.values()) server.tell({ kind: 'dropped' });
  };

  const tellRoots = (): void => {
    const now = need.folders().join('\n');
    if (now === folders) return;
    if (folders !== '') for (const server of servers.values()) server.rootsChanged();
    folders = now;
  };

  const leave = (server: McpServer): void => {
    if (server.kind === 'removed') return;
    leaving.add(server);
    void server.gone().then(() => leaving.delete(server));
  };

  const adopt = (configs: readonly ServerConfig[], isFirst: boolean): void => {
    for (const server of servers.values())
      if (!configs.some((config) => config.id === server.id && keyOf(config) === server.key)) {
        servers.delete(server.id);
        server.tell({ kind: 'removed' });
        leave(server);
      }
    for (const config of configs) {
      const server = servers.get(config.id);
      if (server === undefined) {
        const added = new McpServer(config, keyOf(config), need);
        servers.set(config.id, added);
        if (!isFirst) need.changed(config.id, added.view());
      } else if (server.hash !== config.hash) server.reconfigure(config);
    }
  };

  const find = (tool: string) => {
    const part = serverOf(tool);
    const server = part === undefined ? undefined : [...servers.values()].find((one) => one.id === part);
    const known = server?.tool(tool);
    return server === undefined || known === undefined ? undefined : { server, tool: known };
  };

  const ready = (launch: Launch, signal: AbortSignal): Promise<void> | undefined => {
    look();
    if (!need.trusted()) return undefined;
    const unknown = [...servers.values()].filter((server) => server.isUnknown);
    if (unknown.length === 0) return undefined;
    return first(need, signal, (each) =>
      Promise.all(unknown.map((server) => server.connection(launch, each).catch(() => undefined))),
    );
  };

  const prepare = async (tool: string, text: string, place: Workplace): Promise<Prepared | Unsound> => {
    const found = find(tool);
    if (found === undefined)
      return { error: 'tool_unknown', detail: `There is no tool ${tool.slice(0, 64)}.` };
    const args = parsed(text);
    if (typeof args === 'string') return { error: 'tool_arguments_invalid', detail: args };
    const refusal = await need.refusal(args, place);
    if (refusal !== undefined) return { error: 'tool_arguments_invalid', detail: refusal };
    return {
      tool,
      origin: originOf(found.server),
      class: 'command',
      title: `${found.server.view().name}: ${found.tool.title}`,
      args,
      preview: { kind: 'arguments' },
      subject: { kind: 'none' },
      liftable: true,
      server: found.server.id,
    };
  };

  const all = (): readonly McpServer[] => [...servers.values(), ...leaving];
  const isUnderWay = ({ kind }: McpServer): boolean => kind === 'starting' || kind === 'stopping';
  const gone = async (): Promise<void> => {
    const never = new AbortController().signal;
    for (const server of all()) while (isUnderWay(server)) await server.change(never);
  };

  return {
    tools: {
      specs: (): readonly ToolSpec[] => [...servers.values()].flatMap((server) => server.offered.map(specOf)),
      originOf: (tool) => {
        const found = find(tool);
        return found === undefined ? undefined : originOf(found.server);
      },
      ready,
      underWay: () =>
        all()
          .filter(isUnderWay)
          .map((server) => ({ kind: 'server', id: server.id, title: server.view().name })),
      gone,
      prepare,
      run: (prepared, _place, launch, onOutput, steps) => {
        const found = find(prepared.tool);
        const args = Args.safeParse(prepared.args);
        if (found === undefined || !args.success) return unknown(prepared.tool);
        // What was judged and allowed was a call of another server (A3, A12).
        if (prepared.origin !== undefined && !isSameOrigin(prepared.origin, originOf(found.server)))
          return unknown(prepared.tool);
        return new McpRun({
          server: found.server,
          tool: found.tool.title,
          args: args.data,
          launch,
          need,
          places,
          onProgress: (told) => onOutput('progress', told),
          ask: (message, schema, signal) =>
            elicit(found.server.view().name, { message, schema, signal }, steps, need.secrets()),
        });
      },
      sides: () => Promise.resolve(undefined),
    },
    owns: (tool) => [...servers.keys()].some((id) => id === serverOf(tool)),
    startedFiles: () => started,
    list: () => [...servers.values()].map((server) => server.view()),
    get: (id) => servers.get(id),
    signingIn: (state) => [...servers.values()].find((server) => server.account.signIn.knows(state)),
    look,
    pulled: () => {
      for (const server of servers.values()) {
        server.account.signIn.pulled();
        server.tell({ kind: 'held' });
      }
    },
    released: () => {
      for (const server of servers.values()) server.account.signIn.released();
    },
    drop: () => {
      for (const server of servers.values()) server.tell({ kind: 'dropped' });
    },
    dispose: async () => {
      for (const server of all()) server.tell({ kind: 'removed' });
      await gone();
    },
  };
}

/** Characters of a server's name in a rule: they are for the person, the hash tells servers apart. */
const ORIGIN_NAME = 200;

const originOf = (server: McpServer): ToolOrigin => ({
  kind: 'server',
  name: server.view().name.slice(0, ORIGIN_NAME),
  hash: server.hash,
});

const keyOf = ({ source, folder, name }: ServerConfig): string => `${source}:${folder ?? ''}:${name}`;

/** The arguments, or why there are none. */
function parsed(text: string): Record<string, unknown> | string {
  try {
    const args = Args.safeParse(text.trim() === '' ? {} : parseJson(text));
    return args.success ? args.data : 'The arguments are not a JSON object.';
  } catch (error) {
    return whyUnread(error);
  }
}

/** A call whose server is configured no longer. */
const unknown = (tool: string): Run => ({
  done: Promise.resolve({
    output: {
      error: 'server_unavailable',
      detail: `The server of ${tool} is no longer configured as it was when the call was made.`,
    },
    failed: true,
    ran: false,
  }),
  stop: () => Promise.resolve({ stopped: true, survivors: [] }),
  detach: () => undefined,
  read: (offset) => ({ text: '', offset, total: 0 }),
});

/** Resolves when `work` has ended, when tools have been waited for long enough, or when `signal` aborts. */
function first(
  need: ServersNeed,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = (): void => {
      timer.clear();
      signal.removeEventListener('abort', end);
      over.abort(new Error('waited'));
      resolve();
    };
    const timer = need.clock.after(SERVER_TOOLS_MS, end);
    signal.addEventListener('abort', end, { once: true });
    void work(over.signal).then(end);
  });
}
