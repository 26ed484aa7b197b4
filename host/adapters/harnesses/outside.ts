/** What the adapters of outside agents need around them; `compose.ts` hands it in. */
import type { HarnessModel, HarnessSettings, Preview } from '../../../protocol';
import type { Clock } from '../../base/clock';
import type { Launch } from '../../base/launch';
import type { Log } from '../../base/log';
import type { Secrets } from '../../base/redact';
import type { CommandReading, NamedFile } from '../../engine/approvals/reading';
import type { AgentChannelPort } from '../../engine/channelPort';
import type { CallClass, StopReport, Workplace } from '../../engine/ports';
import type { Content } from './sides';

export interface AgentRequest {
  /** Absolute path, or a name that is looked up. */
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute path. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** False for a program that must find its input closed. */
  readonly input: boolean;
}

export interface AgentEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** It could not be started at all. */
  readonly error: Error | undefined;
}

/** A program of an outside agent; `host/adapters/processes` has the real one. */
export interface AgentProgram {
  readonly pid: number | undefined;
  /** Settles once, after its output has been read to its end. */
  readonly ended: Promise<AgentEnd>;
  /** Settles when the program itself has gone; what it left behind may still hold its output. */
  readonly exited: Promise<void>;
  isRunning(): boolean;
  /** The last of its error output. */
  errorText(): string;
  write(launch: Launch, text: string): void;
  /** What only asks it to end its work: it is said while everything is paused as well. */
  askToEnd(text: string): void;
  endInput(): void;
  /** To its own process group. */
  signal(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void;
  /** Looks at its tree. */
  see(): Promise<void>;
  /** Ends by force what is left: all of its tree, or what it started in sessions of their own. */
  sweep(scope: 'tree' | 'work'): Promise<StopReport>;
}

/** Where a path leads, and what touching it means (A1, A12). */
export interface Place {
  readonly real: string;
  /** The workspace's folders, without links. */
  readonly roots?: readonly string[] | undefined;
  readonly shown: string;
  readonly class: CallClass;
}

/** Kept in memory: a list is of the agent's program as it is now. */
export interface ToldModels {
  keep(harness: string, models: readonly HarnessModel[]): void;
  /** What conversations worked with before another model was set for them, by their id. */
  readonly replaced: Map<string, string>;
}

export interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly arch: string;
  readonly settings: () => HarnessSettings;
  /** Starts a program. Throws what `launch` throws; what the system says of its start comes as its end. */
  talk(
    request: AgentRequest,
    launch: Launch,
    reader: (bytes: Buffer) => Promise<void> | undefined,
  ): AgentProgram;
  /** Rejects when the path is one that no agent may name. */
  locate(place: Workplace, path: string, purpose: 'read' | 'edit'): Promise<Place>;
  /** Why no tool may be called with these arguments: they name what no tool may (A12). */
  refusal(args: unknown, place: Workplace): Promise<string | undefined>;
  /** What a file holds now; `real` is an absolute path without links. Only reads; never rejects. */
  content(real: string): Promise<Content>;
  /** Reads a command as the shells of outside agents would; on Windows nobody knows which those are. */
  read(command: string): Promise<CommandReading>;
  /** Files that a command's words name. Only reads; never rejects. */
  named(reading: CommandReading, folder: string): Promise<{ readonly files?: readonly NamedFile[] }>;
  diff(path: string, before: string | undefined, after: string): Preview;
  /** Removes an empty folder; false when it is not there or not empty. */
  removeEmpty(path: string): Promise<boolean>;
  readonly secrets: () => Secrets;
  /** What agents have said of their models. */
  readonly models: ToldModels;
  /** Ways for client tools into agents that have none of their own. */
  readonly channels: AgentChannelPort | undefined;
}
