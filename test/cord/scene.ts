/** What a scene is, and a run of it. */
import type { SessionId } from '../../protocol';
import type { HostClient } from '../support/hostClient';
import type { ModelServer, ScriptedCall } from '../support/modelServer';
import type { Heard } from './troupe';

/** One run of a scene. */
export interface Stage {
  readonly host: HostClient;
  readonly server: ModelServer;
  readonly session: SessionId;
  /** Where this run works; fresh. */
  readonly folder: string;
  /** Sends a message; the session's id is its first word. */
  readonly say: (text: string) => Promise<unknown>;
  /** Lines that begin so in the log of the MCP server, of this run. */
  readonly arrived: (line: string) => number;
  /** Configures the MCP server anew: it has ended, and its tools are unknown. */
  readonly renew: () => Promise<void>;
  /** How often the client was asked for this by a session: `model/request`, or `clientTool/run`. */
  readonly asked: (method: string, session: string) => number;
  /** How often agents have read this in this run. */
  readonly heard: (what: Heard) => number;
}

export interface Scene {
  readonly name: string;
  readonly mode: 'ask' | 'edits' | 'full';
  /** The model of its session; `local/m1` when it does not matter. */
  readonly model?: string;
  /** The outside agent of its session, instead of a model. */
  readonly agent?: string;
  /** What it has started goes on living when it is over: a server or an agent that is up. */
  readonly lives?: true;
  /** Each run in a host of its own: what is done once in a host is on the way as well. */
  readonly cold?: true;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What the model plans when it was told nothing yet. */
  readonly calls?: (stage: Pick<Stage, 'folder'>) => readonly ScriptedCall[];
  /** The MCP server `stand`, and how it is reached. */
  readonly reaches?: 'stdio' | 'http';
  /** So many requests of a session fail before the first answer. */
  readonly fails?: number;
  /** Brings the session to where the scene begins. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  /** The act that leads to the effect; resolves with its reply. */
  readonly act: (stage: Stage) => Promise<unknown>;
  /** Its effect is a request to the model, although it has calls. */
  readonly asks?: true;
  /** The call whose effect it is; `c1` when it does not say. */
  readonly effect?: string;
  /** False for an effect that leaves no trace outside. */
  readonly visible?: false;
  /** How often the effect has happened, seen from outside. */
  readonly happened: (stage: Stage) => number;
  /** Words of that effect in the code, where it may have left before the pull. */
  readonly leaves?: string;
  /** Words of a place that every run holds, though another scene has been held there. */
  readonly always?: string;
  /** Resolves when nothing of it is at work, for a scene without a turn. */
  readonly over?: (stage: Stage) => Promise<unknown>;
  /** Checks what is on record after all against what has happened, for a scene whose effect is no call of the model. */
  readonly told?: (stage: Stage, where: string) => Promise<void>;
}

export const say = ({ say }: Pick<Stage, 'say'>): Promise<unknown> => say('go');

/** The request for a verdict that this run has put. */
export async function approvalOf({ host, session }: Stage) {
  const { data } = await host.next('approval_requested', 0, (event) => event.session === session);
  return { approval: data.id, request: data.request };
}

export const allow = async (stage: Stage) =>
  stage.host.request('approval/answer', { ...(await approvalOf(stage)), decision: 'allow', by: 'test' });
