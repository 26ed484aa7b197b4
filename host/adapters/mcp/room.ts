/** What the parts of this adapter share, and need from outside. */
import type { Readable, Writable } from 'node:stream';
import type { Server, ServerId, Settings } from '../../../protocol';
import type { Clock } from '../../base/clock';
import type { Launch } from '../../base/launch';
import type { Log } from '../../base/log';
import type { Secrets } from '../../base/redact';
import type { Web } from '../../base/web/web';
import type { StopReport, Workplace } from '../../engine/ports';
import type { ServerRecord } from '../../engine/records';
import type { CordView } from './gate';

/** A server's process; `host/adapters/processes` starts the real ones. */
export interface ServerProcess {
  readonly child: {
    readonly pid?: number | undefined;
    readonly stdin: Writable;
    readonly stdout: Readable;
    readonly stderr: Readable;
  };
  readonly exited: Promise<{ readonly code?: number; readonly signal?: string; readonly error?: Error }>;
  /** Closes its input, waits, ends its tree. */
  end(): Promise<StopReport>;
}

export interface ServersNeed {
  readonly clock: Clock;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostVersion: string;
  readonly cord: CordView;
  settings(): Settings;
  /** Absolute paths of the workspace's folders. */
  folders(): readonly string[];
  trusted(): boolean;
  /** Why no tool may be called with these arguments: they name what no tool may (A12). */
  refusal(args: unknown, place: Workplace): Promise<string | undefined>;
  secrets(): Secrets;
  /** What the client keeps. Neither `get` nor `set` rejects: a storage that does not answer has nothing. */
  readonly secret: {
    get(name: string): Promise<string | undefined>;
    /** Undefined forgets it. */
    set(name: string, value: string | undefined): Promise<void>;
    /** From now on this value is kept out of results, logs and events (X8). */
    hide(value: string): void;
  };
  /** Throws what `launch` throws. */
  start(
    request: {
      readonly file: string;
      readonly args: readonly string[];
      readonly folder: string;
      readonly env: Readonly<Record<string, string>>;
    },
    launch: Launch,
  ): ServerProcess;
  readonly web: Web;
  /** What is remembered of a server, by where it is configured. */
  recall(key: string): ServerRecord;
  /** Writes it down; settles when it is on disk. */
  remember(key: string, known: ServerRecord): Promise<void>;
  /** Something about a server has changed; undefined when it is configured no longer. */
  changed(id: ServerId, server: Server | undefined): void;
}
