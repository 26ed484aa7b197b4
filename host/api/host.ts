import type { Answer, ClientTool, ClientToolSpec, Image, ModelInfo, Settings } from '../../protocol';
import type { Windows } from '../adapters/windows/windows';
import type { Engine } from '../engine/engine';
import type { Servers } from '../adapters/mcp/servers';
import type { FilePort } from '../engine/filePort';
import type { ModelPort, ToolPort } from '../engine/ports';
import type { HarnessPort } from '../engine/harnessPort';
import type { RuleRecord } from '../engine/records';
import type { Store } from '../store/contract';
import type { PullMarker } from '../store/pullMarker';
import type { Tables } from '../store/ledger';
import type { Exports } from './exports';
import type { Hub } from './hub';
import type { TerminalViews } from './terminalViews';

/** What handlers work with. Before `initialize` there is none. */
export interface Host {
  readonly storeDir: string;
  /** What a client has left there because a pull was not answered. */
  readonly pullAsked: PullMarker;
  readonly store: Store;
  /** Reads rows; what has been committed is on disk first (D1). */
  look<T>(query: (tables: Tables) => T): Promise<T>;
  /** Removes files beside the database that no row needs; how many went. */
  sweepFiles(): Promise<number>;
  /** Writes pictures that a message brings, before the message is accepted; messages keep their order. */
  pictures(images: readonly Image[]): Promise<void>;
  /** Throws `store_read_only` in a host that only reads. */
  engine(): Engine;
  readonly readOnly: boolean;
  readonly models: ModelPort;
  readonly harnesses: HarnessPort;
  readonly tools: ToolPort;
  readonly servers: Servers;
  readonly files: FilePort;
  /** Secrets that agents have asked for: what is known here is redacted from all that comes (X8). */
  readonly asked: {
    hide(text: string): void;
    learn(names: readonly string[]): Promise<void>;
    /** An answer without any of them. */
    clean(answer: Answer): Answer;
  };
  /** The other windows of this user (D4). */
  readonly windows: Windows;
  readonly hub: Hub;
  readonly views: TerminalViews;
  /** Documents on their way to whoever speaks to this host. */
  readonly exports: Exports;
  readonly trusted: () => boolean;
  readonly roots: () => readonly string[];
  readonly trouble: () => string | undefined;
  readonly hidden: readonly string[];
  /** The person's rules for all workspaces, the oldest first. */
  readonly userRules: () => readonly RuleRecord[];
  /** The client tools of whoever speaks to this host. */
  readonly clientTools: {
    list(): readonly ClientTool[];
    register(client: string, tools: readonly ClientToolSpec[]): readonly string[];
    unregister(client: string, tools: readonly string[] | undefined): void;
    /** The window has gone, and all its tools with it. */
    leave(): void;
  };
  /** Files with unsaved changes: of all windows, and what whoever speaks to this host says of its own. */
  readonly unsaved: {
    paths(): readonly string[];
    told(paths: readonly string[]): Promise<void>;
  };
  offer(models: readonly ModelInfo[]): void;
  update(change: {
    readonly settings?: unknown;
    readonly trusted?: boolean | undefined;
    readonly folders?: readonly { readonly path: string; readonly name: string }[] | undefined;
  }): Promise<{ readonly warnings: string[] }>;
  readonly settings: () => Settings;
}
