/** The ways for client tools into an outside agent that has none of its own for them (C3). */
import type { Image } from '../../protocol';
import type { Launch } from '../base/launch';
import type { AgentTools } from './ports';

export interface AgentChannelPort {
  /** An MCP server over Streamable HTTP on 127.0.0.1. */
  http(tools: AgentTools, launch: Launch): Promise<HttpChannel>;
  /** A stdio MCP server, to be started by the agent with this command line and environment. */
  shim(tools: AgentTools, launch: Launch): Promise<StdioChannel>;
  /** Writes pictures into a folder that only this user can enter (T8). */
  pictures(images: readonly Image[], launch: Launch): Promise<PictureFiles>;
  /**
   * The same as `shim` through files in `dir`, a folder that both sides see. `shim` is where the agent's side finds
   * `dist/shim.js`. Swept and ready when it resolves (C4).
   */
  relay(
    tools: AgentTools,
    place: {
      readonly dir: string;
      /** Where the agent's side finds `dir`, if elsewhere. */
      readonly seenAs?: string;
      readonly shim: string;
      readonly node: string;
    },
    launch: Launch,
  ): Promise<StdioChannel>;
}

/** Pictures as files, in their order, for an agent that takes paths alone. */
export interface PictureFiles {
  readonly paths: readonly string[];
  /** Removes them. */
  close(): Promise<void>;
}

export interface HttpChannel {
  readonly url: string;
  /** Goes with every request as `authorization: Bearer TOKEN`. */
  readonly token: string;
  /** Ends it; an answer that is being written is written. Harmless when called again. */
  close(): Promise<void>;
}

export interface StdioChannel {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Names of `env` whose values may stand on no command line: every user of the machine can read those. */
  readonly hidden: readonly string[];
  close(): Promise<void>;
}
