/** What `activate` returns, for tests and for other extensions. See docs/api.md. */
import type { Answer, BelayEvent, Method, ParamsOf, ResultOf } from '../protocol';
import type { ClientTools, ServedTool } from './clientTools/clientTools';
import type { HostClient } from './hostClient';
import { protocolVersion } from './hostClient';

export interface BelayApi {
  /** Version of the protocol that `request` speaks. It changes only when an old caller could be misled. */
  readonly protocolVersion: number;
  /**
   * Asks the host, and starts it if need be. Rejects with an error whose `code` is one of the protocol's and whose
   * `data` is what the code's request needs to go on.
   */
  request<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>>;
  /** Hears every event from now on, in order. */
  onEvent(listener: (event: BelayEvent) => void): { dispose(): void };
  /**
   * Registers a tool that agents may call and this extension fulfils, for as long as the result is not disposed of.
   * Resolves once the host has taken the tool: at the earliest when Belay is used in this window, so an `activate`
   * must not wait for it. Rejects with the host's words when the name or the schema cannot be used.
   */
  registerTool(tool: ToolDefinition): Promise<{ dispose(): void }>;
  /** How long `activate` held up VS Code, ms. */
  readonly activatedInMs: number;
}

/** A client tool of another extension. See docs/api.md. */
export interface ToolDefinition {
  /** Letters, digits, "_" and "-", at most 64; no other tool's name. */
  readonly name: string;
  /** For the model: what it does and when to call it. It is paid with every request. */
  readonly description: string;
  /** A JSON schema of an object. Arguments that do not fit never reach `run`. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** A person answers, in a surface of this extension: the call waits however long that takes. */
  readonly person?: boolean;
  /** It changes nothing, so it is free like a read; any other call is asked for like a command. */
  readonly readOnly?: boolean;
  /** Time for an answer that needs no person, ms; 60,000 by default, at most 600,000. */
  readonly timeoutMs?: number;
  /**
   * Fulfils a call. `attempt` is above 1 when an earlier window has had this call and vanished before it answered:
   * look first what that one has done. What it throws is told to the model as the failure of the tool.
   */
  readonly run: (call: ToolCallInfo, token: ToolCancellation) => Promise<ToolAnswer> | ToolAnswer;
}

export interface ToolCallInfo {
  readonly args: unknown;
  /** Names this call among all; the same for every attempt. */
  readonly question: string;
  readonly session: string;
  readonly turn: string;
  /** Absolute path of the turn's folder. */
  readonly folder: string;
  readonly attempt: number;
}

/** Cancelled when the call has ended otherwise: its turn was stopped, everything was paused, its time is over. */
export interface ToolCancellation {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): { dispose(): void };
}

export type ToolAnswer = Answer;

/** Methods that belong to the owner of the host's life: another caller would end or confuse it. */
const OWN: ReadonlySet<string> = new Set<Method>([
  'initialize',
  'shutdown',
  'settings/update',
  'model/offer',
  'clientTool/register',
  'clientTool/unregister',
]);

export function createApi(host: HostClient, tools: ClientTools, activatedInMs: number): BelayApi {
  return {
    protocolVersion,
    activatedInMs,
    request: (method, params) =>
      OWN.has(method)
        ? Promise.reject(new Error(`${method} is Belay's own and cannot be asked from outside.`))
        : host.request(method, params),
    onEvent: (listener) => host.onEvent(listener),
    registerTool: async ({ run, ...spec }) => {
      const tool: ServedTool = {
        name: spec.name,
        description: spec.description,
        schema: { ...spec.schema },
        ...(spec.person === undefined ? {} : { person: spec.person }),
        ...(spec.readOnly === undefined ? {} : { readOnly: spec.readOnly }),
        ...(spec.timeoutMs === undefined ? {} : { timeoutMs: spec.timeoutMs }),
        run: (call, token) => run(call, token),
      };
      await tools.add(tool);
      return { dispose: () => tools.remove(tool) };
    },
  };
}
